#!/bin/sh
# The end of `npm test`, where the package is built: its types, and all tests in two runs of mocha.
# The three go side by side. What each prints stays together.
#
# Coverage makes a test up to half as slow again. So it is measured in one run of mocha, of the tests
# that mirror src and most models. The other run has what uses the package as a program does, and the
# longest models: its tests wait for other processes, so it has a job more. Slow files start first: a
# run ends when its last file does.
log=$(mktemp -d)
trap 'rm -rf "$log"' EXIT

npm run -s typecheck >"$log/types" 2>&1 &
types=$!

mocha --parallel --jobs 3 \
  'test/observe/inspector/page.test.ts' \
  'test/docs/recipes.test.ts' \
  'test/programs/**/*.test.ts' \
  'test/observe/inspector/page-*.test.ts' \
  'test/examples/*.test.ts' \
  'test/examples/broker/**/*.test.ts' \
  'test/property/{bus,*short-histories}.test.ts' \
  'test/{docs,bench}/**/!(recipes).test.ts' >"$log/programs" 2>&1 &
programs=$!

c8 mocha --parallel --jobs 2 --require ./test/support/covered-worker.ts \
  'test/timer/system-timer-stood-still.test.ts' \
  'test/compat/**/*.test.ts' \
  'test/bus/**/*.test.ts' \
  'test/observe/**/!(page|page-*).test.ts' \
  'test/property/!(bus|*short-histories).test.ts' \
  'test/waits/**/*.test.ts' \
  'test/!(programs|examples|docs|bench|property|observe|compat|bus|waits)/**/!(system-timer-stood-still).test.ts' \
  'test/*.test.ts'
status=$?

wait "$programs" || status=1
cat "$log/programs"
wait "$types" || status=1
cat "$log/types"
exit "$status"
