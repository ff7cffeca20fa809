# The images that are not ours, in one place for the scripts; compose.yaml and infra/local name the same (a test compares them).
DEBIAN_IMAGE=${DEBIAN_IMAGE:-debian:bookworm-slim}
NODE_VERSION=24.21.0
NPM_VERSION=11.21.2
NODE_IMAGE=${NODE_IMAGE:-node:24.21.0-bookworm-slim}
# The same with the certificates that this machine trusts; made by offline/build.sh only.
NODE_BUILD_IMAGE=${NODE_BUILD_IMAGE:-node:24.21.0-bookworm-slim-build}
KAFKA_IMAGE=${KAFKA_IMAGE:-apache/kafka:4.3.1}
POSTGRES_IMAGE=${POSTGRES_IMAGE:-postgres:18-bookworm}
REDIS_IMAGE=${REDIS_IMAGE:-redis:7-bookworm}
S3_IMAGE=${S3_IMAGE:-versity/versitygw:v1.8.0}
