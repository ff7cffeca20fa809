#!/bin/sh
# The part of the official image's entry point that compose.yaml and the container tests use.
set -eu
if [ "$1" = postgres ] && [ ! -s "$PGDATA/PG_VERSION" ]; then
  user=${POSTGRES_USER:-postgres}
  umask 077
  mkdir -p "$PGDATA"
  password=$(mktemp)
  if [ -n "${POSTGRES_PASSWORD_FILE:-}" ]; then cat "$POSTGRES_PASSWORD_FILE" > "$password"; else printf %s "${POSTGRES_PASSWORD:?is not set}" > "$password"; fi
  initdb --username "$user" --pwfile "$password" --auth-host scram-sha-256 --auth-local trust --encoding UTF8 --locale C.UTF-8 --locale-provider builtin
  rm -f "$password"
  echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
  # A database of that name, by the server's single-user mode: nobody connects before it is whole.
  if [ "${POSTGRES_DB:-$user}" != postgres ]; then echo "CREATE DATABASE \"${POSTGRES_DB:-$user}\"" | postgres --single -j -D "$PGDATA" postgres > /dev/null; fi
fi
[ "$1" != postgres ] || { shift; set -- postgres -c 'listen_addresses=*' "$@"; }
exec "$@"
