#!/usr/bin/env bash
# Builds TimerBench.java against Debian's libnetty-java and runs it: each timer at each size in a JVM of its own, on one core.
# Prints a message and does nothing where there is no JDK or no Netty.
set -euo pipefail
cd "$(dirname "$0")"

jars=/usr/share/java
classpath=$jars/netty-common.jar:$jars/netty-all.jar
if ! command -v javac >/dev/null; then
  echo 'JVM: skipped, there is no JDK here (on Debian: apt-get install default-jdk-headless)'
  exit 0
fi
if [ ! -e "$jars/netty-common.jar" ]; then
  echo 'JVM: skipped, there is no Netty here (on Debian: apt-get install libnetty-java)'
  exit 0
fi

build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
javac -d "$build" -cp "$classpath" TimerBench.java
pin=()
if taskset -c 0 true 2>/dev/null; then pin=(taskset -c 0); fi
echo '| JVM                               |      size | steady     | churn      |'
echo '| --------------------------------- | --------- | ---------- | ---------- |'
for size in 1000 100000 1000000; do
  for timer in netty jdk; do
    "${pin[@]}" java -Xmx4g -cp "$build:$classpath" TimerBench "$timer" "$size"
  done
done
