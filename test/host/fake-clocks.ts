// The fake clocks that users have, each behind the same two calls: install it now, and move or
// remove it later.
import { type Clock, type FakeMethod, withGlobal } from '@sinonjs/fake-timers';
import sinon from 'sinon';

export interface FakeClock {
  tick(ms: number): void;
  /** Steps to the next timer and runs that. */
  next(): void;
  /** Forgets all timers: `clock.reset()`, `jest.clearAllTimers()`, `vi.clearAllTimers()`. */
  reset(): void;
  /** Sets `Date`, which moves no timer. */
  setSystemTime(ms: number): void;
  restore(): void;
}

const fakeTimers = withGlobal(globalThis);

/** The default that vitest passes to @sinonjs/fake-timers: all but nextTick and queueMicrotask. */
const VITEST_FAKES: FakeMethod[] = [
  'setTimeout',
  'clearTimeout',
  'setImmediate',
  'clearImmediate',
  'setInterval',
  'clearInterval',
  'Date',
  'performance',
];

function sinonWith(toFake?: FakeMethod[], now?: number): () => FakeClock {
  return () => {
    const clock = sinon.useFakeTimers({ ...(toFake && { toFake }), ...(now !== undefined && { now }) });
    return calls(clock, () => clock.restore());
  };
}

/** As vitest and jest install it. */
function installedWith(config: Parameters<typeof fakeTimers.install>[0]): FakeClock {
  const clock = fakeTimers.install({ now: Date.now(), ...config });
  return calls(clock, () => clock.uninstall());
}

function calls(clock: sinon.SinonFakeTimers | Clock, restore: () => void): FakeClock {
  return {
    tick: (ms) => void clock.tick(ms),
    next: () => void clock.next(),
    reset: () => clock.reset(),
    setSystemTime: (ms) => clock.setSystemTime(ms),
    restore,
  };
}

function vitestWith(toFake: FakeMethod[]): () => FakeClock {
  return () => installedWith({ toFake, ignoreMissingTimers: true });
}

/** As FakeTimers of jest 30 installs it. (jest itself runs in test/programs/runtimes.) */
export function jestWith(doNotFake: readonly string[] = []): () => FakeClock {
  const all = Object.keys(fakeTimers.timers) as FakeMethod[];
  const toFake = all.filter((name) => !doNotFake.includes(name));
  return () => installedWith({ toFake, loopLimit: 100_000, shouldClearNativeTimers: true });
}

/** Fake clocks by name. node:test's is not here: its own run is in node-test.test.ts. */
export const FAKE_CLOCKS: Readonly<Record<string, () => FakeClock>> = {
  sinon: sinonWith(),
  'sinon at the epoch': sinonWith(undefined, 0),
  'sinon far in the future': sinonWith(undefined, 4e12),
  'sinon without performance': sinonWith([
    'setTimeout',
    'clearTimeout',
    'setInterval',
    'clearInterval',
    'setImmediate',
    'clearImmediate',
    'Date',
  ]),
  jest: jestWith(),
  'jest without performance': jestWith(['performance']),
  'jest without nextTick and queueMicrotask': jestWith(['nextTick', 'queueMicrotask']),
  vitest: vitestWith(VITEST_FAKES),
  'vitest before version 3, without performance': vitestWith(
    VITEST_FAKES.filter((name) => name !== 'performance'),
  ),
};

const TIMERS_ALONE: FakeMethod[] = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'];

/** Those that move timers and no time. */
export const TIMELESS_FAKE_CLOCKS: Readonly<Record<string, () => FakeClock>> = {
  'sinon with timers alone': sinonWith(TIMERS_ALONE),
  'jest without Date and performance': jestWith(['Date', 'performance', 'hrtime']),
  'vitest with timers alone': vitestWith(TIMERS_ALONE),
};
