// Root hooks of the whole run: tests with processes, browsers, servers or the host's clock get a
// second try, because three of them run side by side on two processors. A second try is printed,
// with what the first has thrown. Everything else, the models above all, must pass at once: what
// they find is never tried again.
import type { Context, Test } from 'mocha';

const ON_THE_HOST =
  /\/test\/(examples|observe\/inspector|programs|compat|docs|bench|waits\/timers|waits\/idle|bus\/transports)\/|\/(system-timer-stood-still|bus\/close|readme)\./;

let thrown: unknown;

export const mochaHooks = {
  beforeEach(this: Context): void {
    const test = this.currentTest;
    if (test === undefined || !ON_THE_HOST.test(test.file ?? '')) return;
    test.retries(1);
    const { currentRetry } = test as unknown as { currentRetry(): number };
    if (currentRetry.call(test) > 0) console.log(`SECOND TRY: ${test.fullTitle()}\n  after`, thrown);
    else keepWhatItThrows(test);
  },
};

/** Mocha drops the error of a first try. */
function keepWhatItThrows(test: Test): void {
  const { fn } = test;
  thrown = 'no end in time';
  test.fn = async function (this: Context): Promise<void> {
    try {
      await (fn as () => unknown).call(this);
    } catch (error) {
      thrown = error;
      throw error;
    }
  };
}
