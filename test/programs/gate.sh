#!/bin/sh
# The end of `npm test`, where the package is built: its checks, and all tests with coverage.
# Without scripts, because `prepack` would build anew what the tests are using.
npm_config_ignore_scripts=true publint --strict || exit 1
# Slow files start first: the run ends when the last file does.
c8 mocha --parallel --jobs "${TEST_JOBS:-4}" --require ./test/support/covered-worker.ts \
  'test/programs/**/*.test.ts' \
  'test/examples/*.test.ts' \
  'test/{observe,compat,docs,bench}/**/*.test.ts' \
  'test/examples/broker/**/*.test.ts' \
  'test/!(programs|examples|observe|compat|docs|bench)/**/*.test.ts' \
  'test/*.test.ts'
