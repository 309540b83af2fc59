#!/bin/sh
# `beside.sh 'ONE COMMAND' ANOTHER ARGUMENTS...`: runs both at once. What the first prints is shown
# when both have ended. Fails when one of them does.
log=$(mktemp)
trap 'rm -f "$log"' EXIT
sh -c "$1" >"$log" 2>&1 &
first=$!
shift
status=0
"$@" || status=1
wait "$first" || status=1
cat "$log"
exit "$status"
