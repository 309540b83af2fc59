// Run by half-fakes.test.ts: plays every combination of what the fake named by the first argument
// can fake, with the library in the bundle that the second one names. With a third one,
// 'first', the library is imported under the fake. Prints the result as JSON.
import { mock } from 'node:test';
import { type FakeMethod, withGlobal } from '@sinonjs/fake-timers';
import sinon from 'sinon';
import { jestWith } from '../fake-clocks.ts';
import { FAKEABLE, type Fakeable, type Play, playAll, TIMES } from '../half-fake.ts';

/** The names as @sinonjs/fake-timers has them. */
function methods(faked: readonly Fakeable[]): FakeMethod[] {
  return faked.flatMap((name): FakeMethod[] =>
    name === 'setTimeout' ? [name, 'clearTimeout', 'setInterval', 'clearInterval'] : [name],
  );
}

const installs: Record<string, Play['install']> = {
  sinon(faked) {
    const clock = sinon.useFakeTimers({ toFake: methods(faked) });
    return { tick: (ms) => void clock.tick(ms), restore: () => clock.restore() };
  },
  // As in FakeTimers.useFakeTimers of vitest 4.
  vitest(faked) {
    const clock = withGlobal(globalThis).install({
      now: Date.now(),
      toFake: methods(faked),
      ignoreMissingTimers: true,
    });
    return { tick: (ms) => void clock.tick(ms), restore: () => void clock.uninstall() };
  },
  jest: (faked) => jestWith(FAKEABLE.filter((name) => !faked.includes(name)))(),
  'node:test'(faked) {
    mock.timers.enable({ apis: [...faked] as ('setTimeout' | 'setImmediate' | 'Date')[] });
    return { tick: (ms) => mock.timers.tick(ms), restore: () => mock.timers.reset() };
  },
};

const [name, bundle, order] = process.argv.slice(2);
const isFirst = order === 'first';
const ofNodeTest = ['Date', 'setTimeout', 'setImmediate'] as const;
const names = name === 'node:test' ? ofNodeTest : isFirst ? TIMES : FAKEABLE;
const result = await playAll({
  names,
  load: (n) => import(`${bundle}?${n}`),
  install: installs[name],
  isFirst,
});
process.stdout.write(JSON.stringify(result));
