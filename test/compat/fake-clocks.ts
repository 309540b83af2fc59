// The fake clocks that users have, each behind the same two calls: install it now, and move or remove it later.
import { ModernFakeTimers } from '@jest/fake-timers';
import { type FakeMethod, withGlobal } from '@sinonjs/fake-timers';
import sinon from 'sinon';

export interface FakeClock {
  tick(ms: number): void;
  restore(): void;
}

type JestConfig = ConstructorParameters<typeof ModernFakeTimers>[0]['config'];

/** What vitest hands to @sinonjs/fake-timers unless it is told otherwise: all but nextTick and queueMicrotask. */
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
    return { tick: (ms) => void clock.tick(ms), restore: () => clock.restore() };
  };
}

function vitestWith(toFake: FakeMethod[]): () => FakeClock {
  return () => {
    const clock = withGlobal(globalThis).install({ now: Date.now(), toFake, ignoreMissingTimers: true });
    return { tick: (ms) => void clock.tick(ms), restore: () => clock.uninstall() };
  };
}

function jestWith(doNotFake: string[] = []): () => FakeClock {
  return () => {
    const config = {
      rootDir: process.cwd(),
      fakeTimers: { doNotFake },
      testEnvironmentOptions: {},
    } as unknown;
    const timers = new ModernFakeTimers({ config: config as JestConfig, global: globalThis });
    timers.useFakeTimers({ doNotFake } as Parameters<ModernFakeTimers['useFakeTimers']>[0]);
    return { tick: (ms) => timers.advanceTimersByTime(ms), restore: () => timers.useRealTimers() };
  };
}

/** Fake clocks by name. node:test's is not here: its own run is in node-test.test.ts. */
export const FAKE_CLOCKS: Readonly<Record<string, () => FakeClock>> = {
  sinon: sinonWith(),
  'sinon at the epoch': sinonWith(undefined, 0),
  'sinon far in the future': sinonWith(undefined, 4e12),
  'sinon without performance': sinonWith([
    'setTimeout',
    'clearTimeout',
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
