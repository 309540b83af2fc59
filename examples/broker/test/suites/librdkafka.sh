#!/bin/bash
# Runs librdkafka's own test programs that need a broker, one by one, each for four minutes at most.
#
#   librdkafka.sh SOURCES BOOTSTRAP [TEST...]     such as librdkafka.sh ~/librdkafka 127.0.0.1:9092 0001_multiobj
#
# SOURCES is built: ./configure && make libs && make -C tests test-runner, with a bash and a C++
# compiler. The broker has four partitions a topic, as these tests want it, and Kafka's default for
# the first join of a group: npm start -- --partitions 4 --group-initial-rebalance-ms 3000.
# Some tests make topics by Kafka's kafka-topics.sh: bin/ has one, which needs python3-confluent-kafka.
# The output of each test is kept in a folder that the first line names.
set -u
sources=$1 bootstrap=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
out=$(mktemp -d)
echo "output in $out"
export KAFKA_PATH=$here BROKERS=$bootstrap RDKAFKA_TEST_CONF=$out/test.conf
export LD_LIBRARY_PATH=$sources/src:$sources/src-cpp
cat >"$RDKAFKA_TEST_CONF" <<CONF
metadata.broker.list=$bootstrap
test.topic.random=true
test.timeout.multiplier=2
CONF
cd "$sources/tests" || exit 2

# The table of tests, but for those that need no broker, or a human.
[ $# -gt 0 ] || set -- $(sed -n '/^struct test tests\[\]/,/^};/p' test.c | tr '\n' ' ' |
  grep -oE '_TEST\([0-9][^)]*' | grep -vE 'LOCAL|MANUAL' | sed 's/_TEST(//; s/,.*//')

declare -A count=([passed]=0 [skipped]=0 [failed]=0)
for name; do
  # A version of Kafka that has all that this broker speaks.
  # (The braces keep the shell from telling of each that ends itself by an assertion.)
  { TESTS=$name timeout -k 5 240 ./test-runner -p1 -L -V 3.1.0 >"$out/$name" 2>&1 </dev/null; } 2>/dev/null
  # Not by its exit code: the runner of 2.15 aborts after all has passed (it frees what getenv gave).
  if ! grep -q 'ALL TESTS PASSED' "$out/$name"; then result=failed
  elif ! grep -q "Running test $name " "$out/$name" || grep -q "Test $name SKIPPED" "$out/$name"; then result=skipped
  else result=passed; fi
  ((count[$result] += 1))
  echo "$name $result"
done
echo "${count[passed]} passed, ${count[skipped]} skipped, ${count[failed]} failed of $#"
