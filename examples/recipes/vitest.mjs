// A test with the fake timers of vitest: docs/testing.md

import { Purgatory } from 'purgatory';
import { expect, test, vi } from 'vitest';

test('a poll expires', async () => {
  vi.useFakeTimers();
  const polls = new Purgatory('polls');
  const poll = polls.waitFor(['feed'], () => undefined, { timeoutMs: 30_000 });
  vi.advanceTimersByTime(29_999);
  expect(polls.numDelayed).toBe(1);
  vi.advanceTimersByTime(1);
  expect(await poll).toEqual({ expired: true });
  vi.useRealTimers();
});
