// Mocha's reporter in the gate: a dot for a test, and at once what a failure or a second try is
// about. In a parallel run mocha reports a file at its end. The results go to a file, from which the
// gate makes the end of the whole run.
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import Mocha from 'mocha';

const { Base } = Mocha.reporters;
const { EVENT_RUN_END, EVENT_TEST_FAIL, EVENT_TEST_PASS, EVENT_TEST_PENDING, EVENT_TEST_RETRY } =
  Mocha.Runner.constants;

export default class Dots {
  constructor(runner, { reporterOption: { results } }) {
    const passed = [];
    const failed = [];
    const skipped = [];
    const secondTries = [];
    const named = (test) => ({
      file: relative('.', test.file ?? test.parent?.file ?? '.'),
      title: test.fullTitle(),
    });
    const say = (text) => process.stdout.write(text);

    runner.on(EVENT_TEST_PASS, (test) => {
      passed.push({ ...named(test), ms: test.duration });
      say('.');
    });
    runner.on(EVENT_TEST_PENDING, (test) => {
      skipped.push(named(test));
      say(',');
    });
    runner.on(EVENT_TEST_RETRY, (test, error) => {
      secondTries.push(named(test));
      say(`\nSECOND TRY: ${test.fullTitle()}\n  after ${error?.stack ?? error}\n`);
    });
    runner.on(EVENT_TEST_FAIL, (test, error) => {
      failed.push(named(test));
      test.err = error;
      say(`\nFAILED ${named(test).file}`);
      Base.list([test]);
    });
    runner.once(EVENT_RUN_END, () => {
      writeFileSync(results, JSON.stringify({ passed, failed, skipped, secondTries }));
    });
  }
}
