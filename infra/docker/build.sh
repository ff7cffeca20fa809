#!/usr/bin/env bash
# infra/docker/build.sh [image]...   builds our images (all without arguments) as turnpike/<image>:<TAG>.
#   TAG            dev
#   REGISTRY       put before the name, with its slash
#   NODE_IMAGE, NODE_BUILD_IMAGE   what they run on and are built on
# Where offline/build.sh made the base images, its build image is taken by itself.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
. "$here/image-names.sh"
cd "$root"
[ $# -gt 0 ] || set -- gateway text-worker media-worker transcription-worker ledger facilitator auditor sandbox local
revision=$(git rev-parse HEAD 2> /dev/null || echo unknown)
# The time of the commit, so that one commit gives the same files twice.
epoch=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2> /dev/null || echo 0)}
version=$(sed -n 's/^  "version": "\(.*\)",$/\1/p' package.json)
docker image inspect "$NODE_BUILD_IMAGE" > /dev/null 2>&1 || NODE_BUILD_IMAGE=$NODE_IMAGE
# Debian's Docker has BuildKit inside; a newer client without the buildx plugin has only the old builder, which does it too, slower.
docker=docker
if ! docker buildx version > /dev/null 2>&1 && DOCKER_BUILDKIT=1 /usr/bin/docker build --help 2> /dev/null | grep -q -- --progress; then
  docker=/usr/bin/docker
  export DOCKER_BUILDKIT=1
fi
for image in "$@"; do
  started=$(date +%s%N)
  log=$(mktemp)
  "$docker" build --network host -f infra/docker/Dockerfile --target "$image" -t "${REGISTRY:-}turnpike/$image:${TAG:-dev}" \
    --build-arg "BUILD_IMAGE=$NODE_BUILD_IMAGE" --build-arg "RUNTIME_IMAGE=$NODE_IMAGE" --build-arg "SOURCE_DATE_EPOCH=$epoch" \
    --build-arg "VERSION=$version" --build-arg "REVISION=$revision" . > "$log" 2>&1 || { tail -40 "$log" >&2; echo "build.sh: $image failed; see $log" >&2; exit 1; }
  rm -f "$log"
  bytes=$(docker image inspect -f '{{.Size}}' "${REGISTRY:-}turnpike/$image:${TAG:-dev}")
  awk -v name="turnpike/$image:${TAG:-dev}" -v ms="$((($(date +%s%N) - started) / 1000000))" -v bytes="$bytes" \
    'BEGIN { printf "  ✓ %-36s %6.1f s  %4.0f MB\n", name, ms / 1000, bytes / 1e6 }'
done
