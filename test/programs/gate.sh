#!/bin/sh
# The end of `npm test`, where the package is built: all tests with coverage, and the checks of the
# package beside them. What the checks print is shown when both have ended.
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# Without scripts, because `prepack` would build anew what the tests are using.
nice sh -c 'publint --strict && npm_config_ignore_scripts=true attw --quiet --pack . --profile esm-only' >"$log" 2>&1 &
checks=$!
status=0
# Slow files start first: the run ends when the last file does.
c8 mocha --parallel --jobs "${TEST_JOBS:-4}" --require ./test/support/covered-worker.ts \
  'test/programs/**/*.test.ts' \
  'test/examples/*.test.ts' \
  'test/{observe,compat,docs,bench}/**/*.test.ts' \
  'test/examples/broker/**/*.test.ts' \
  'test/!(programs|examples|observe|compat|docs|bench)/**/*.test.ts' \
  'test/*.test.ts' || status=1
wait "$checks" || status=1
cat "$log"
exit "$status"
