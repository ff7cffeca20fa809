#!/bin/sh
# Draws requests from /openapi.json against a running stack and holds every answer against the document: no undocumented status,
# content type, header or shape, and no 5xx. Slow, so not a part of npm test.
#   sh tests/e2e/schemathesis.sh http://127.0.0.1:8402 600
# A 402 answers whoever has not paid, so "valid data is accepted" is not among the checks.
set -eu
base=${1:-http://127.0.0.1:8402}
seconds=${2:-300}
python=${XDG_CACHE_HOME:-$HOME/.cache}/turnpike/schemathesis-4.32.5
[ -x "$python/bin/st" ] || { python3 -m venv "$python" && "$python/bin/pip" install -q schemathesis==4.32.5; }
exec "$python/bin/st" run "$base/openapi.json" --phases examples,coverage,fuzzing --max-time "$seconds" --continue-on-failure \
  --checks not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,response_headers_conformance
