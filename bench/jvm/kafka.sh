#!/usr/bin/env bash
# KAFKA_HOME=/opt/kafka bench/jvm/kafka.sh [WORKLOAD ...] [--quick]: Kafka's own timer and purgatory
# beside ours, as a table. Kafka 4.0 or later, unpacked in $KAFKA_HOME, and JDK 17 or later.
# Prints a message and does nothing where one of them is missing.
set -euo pipefail
[ -z "${KAFKA_HOME:-}" ] || KAFKA_HOME=$(realpath -m "$KAFKA_HOME")
cd "$(dirname "$0")/../.."

if ! command -v javac >/dev/null; then
  echo 'Kafka: skipped, there is no JDK here (on Debian: apt-get install default-jdk-headless)'
  exit 0
fi
if ! compgen -G "${KAFKA_HOME:-}/libs/kafka-server-common-*.jar" >/dev/null; then
  echo 'Kafka: skipped, KAFKA_HOME is to name an unpacked Kafka, 4.0 or later (with libs/kafka-server-common-*.jar)'
  exit 0
fi

classes=$(mktemp -d)
trap 'rm -rf "$classes"' EXIT
javac -d "$classes" -cp "$KAFKA_HOME/libs/*" bench/jvm/KafkaBench.java
npm run --silent build >&2 # its line is no part of the table
npx tsc -p bench
echo "$(basename "$(compgen -G "$KAFKA_HOME/libs/kafka-server-common-*.jar" | head -n 1)" .jar), $(java -version 2>&1 | head -n 1)"
node bench/build/jvm/kafka.js "$classes:$KAFKA_HOME/libs/*" "$@"
