#!/usr/bin/env bash
# npm run test:images: builds every image and runs the whole of compose.yaml with them, as a project of its own on a port of its own:
# how each container is confined, its health, a paid request, the audit, the same again after a stop, and what each program ended with.
# Needs Docker and its compose (the plugin, or docker-compose); where no registry is reached, infra/docker/offline/build.sh before.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
export COMPOSE_PROJECT_NAME=${COMPOSE_PROJECT_NAME:-turnpike-images-test} TURNPIKE_PORT=${TURNPIKE_PORT:-8492} TAG=${TAG:-dev} COMPOSE_INTERACTIVE_NO_CLI=1
passed=0
die() { echo "✗ $*" >&2; exit 1; }
ok() { passed=$((passed + 1)); printf '  ✓ %s\n' "$*"; }
seconds() { awk -v ms="$(($(date +%s%3N) - $1))" 'BEGIN { printf "%.1f s", ms / 1000 }'; }
compose() { if docker compose version > /dev/null 2>&1; then docker compose "$@"; else docker-compose "$@"; fi; }
id() { docker ps -aq --filter "label=com.docker.compose.project=$COMPOSE_PROJECT_NAME" --filter "label=com.docker.compose.service=$1" --filter label=com.docker.compose.oneoff=False; }
# Compose says nothing of interest on the way; what failed says it.
quietly() { local log; log=$(mktemp); "$@" > "$log" 2>&1 || { tail -30 "$log" >&2; die "$* failed; see $log"; }; rm -f "$log"; }
services="gateway ledger facilitator text-worker media-worker transcription-worker"

[ "${BUILD:-1}" = 0 ] || "$here/build.sh"
trap 'compose down -v --remove-orphans > /dev/null 2>&1 || true' EXIT
quietly compose down -v --remove-orphans
started=$(date +%s%3N)
quietly compose up -d --no-build
ok "compose up: everything it waits for is healthy after $(seconds "$started")"

for service in $services auditor; do
  read -r user mb <<< "$(docker image inspect -f '{{.Config.User}} {{.Size}}' "turnpike/$service:$TAG")"
  [ "$user" = 10001:10001 ] || die "turnpike/$service runs as $user"
  [ "$mb" -lt 300000000 ] || die "turnpike/$service has $mb bytes"
done
ok "every image names a user by number and stays below 300 MB"
for service in $services sandbox chain kafka postgres redis s3; do
  confined=$(docker inspect -f '{{.HostConfig.ReadonlyRootfs}} {{.HostConfig.CapDrop}} {{.HostConfig.SecurityOpt}}' "$(id "$service")")
  [ "$confined" = 'true [ALL] [no-new-privileges:true]' ] || die "$service is not confined: $confined"
done
ok "every container has a read-only root, no capability and gains none"

healthy() {
  local deadline=$(($(date +%s) + 180))
  for service in $services; do
    until docker exec "$(id "$service")" node /app/healthcheck.mjs /healthz 2> /dev/null && docker exec "$(id "$service")" node /app/healthcheck.mjs /readyz 2> /dev/null; do
      [ "$(date +%s)" -lt "$deadline" ] || { docker logs --tail 5 "$(id "$service")" >&2; die "$service is not ready"; }
      sleep 1
    done
  done
}
paid() {
  local answer
  answer=$(compose run --rm pay 2> /dev/null) || die "the paid request failed: $answer"
  grep -q '"receiptId"' <<< "$answer" || die "no receipt: $answer"
  answer=$(compose run --rm audit 2> /dev/null) || die "the books differ: $answer"
  ok "$1: a paid request, then: $(tail -1 <<< "$answer" | tr -d '\r')"
}
healthy
ok "/healthz and /readyz of every service answer 200"
page=$(curl -sf -m 10 "http://127.0.0.1:$TURNPIKE_PORT/docs/reference") || die "the published port does not answer"
asset=$(grep -o '/docs/assets/viewer\.[^"]*\.js' <<< "$page" | head -1)
curl -sf -m 10 -o /dev/null "http://127.0.0.1:$TURNPIKE_PORT$asset" || die "no $asset"
ok "the gateway answers on this machine's port, with the files of its pages"
# Large bodies are read in a thread, which is a file of its own.
status=$(head -c 400000 /dev/zero | tr '\0' a | awk '{ printf "{\"model\":\"gm-2.5-flash-lite\",\"messages\":[{\"role\":\"user\",\"content\":\"%s\"}]}", $0 }' \
  | curl -s -m 30 -o /dev/null -w '%{http_code}' -H 'content-type: application/json' -H 'x-idempotency-key: 7a3c3f0e-5d0f-4d55-8f0b-9a3b3d1c2e11' --data-binary @- "http://127.0.0.1:$TURNPIKE_PORT/v1/chat/completions")
[ "$status" = 402 ] || die "a body of 400 kB is answered $status"
ok "a body of 400 kB is read in its thread and answered 402"
paid "fresh"

started=$(date +%s%3N)
quietly compose stop -t 60
for service in $services; do
  [ "$(docker inspect -f '{{.State.ExitCode}}' "$(id "$service")")" = 0 ] || die "$service did not end in an orderly way"
done
ok "every service ended by itself, all after $(seconds "$started")"
quietly compose up -d --no-build
healthy
paid "after a stop, on the old volumes"
echo "$passed passed, 0 failed"
