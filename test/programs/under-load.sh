#!/bin/sh
# `test/programs/under-load.sh [N]` runs `npm test` N times (3) while four processes spin on its two
# cores. Each must be green: no test asks how fast the machine is. It ends at the first red one.
times=${1:-3}
cores=$(taskset -cp $$ | sed 's/.*: //' | cut -d, -f1,2)
[ "$(nproc)" -le 2 ] || exec taskset -c "$cores" "$0" "$times"

for _ in 1 2 3 4; do
  sh -c 'while :; do :; done' &
  spinning="$spinning $!"
done
trap 'kill $spinning' EXIT
trap 'exit 1' INT TERM

for run in $(seq "$times"); do
  beganAt=$(date +%s)
  npm test || { echo "RED under load: run $run of $times"; exit 1; }
  echo "green under load: run $run of $times, $(($(date +%s) - beganAt)) s"
done
