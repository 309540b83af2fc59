// A test with the fake timers of jest: docs/testing.md
import { expect, jest, test } from '@jest/globals';
import { Purgatory } from 'purgatory';

test('a poll expires', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'] });
  const polls = new Purgatory('polls');
  const poll = polls.waitFor(['feed'], () => undefined, { timeoutMs: 30_000 });
  jest.advanceTimersByTime(29_999);
  expect(polls.numDelayed).toBe(1);
  jest.advanceTimersByTime(1);
  expect(await poll).toEqual({ expired: true });
  jest.useRealTimers();
});
