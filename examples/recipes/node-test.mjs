// A test with the mock timers of node:test: docs/testing.md
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Purgatory } from 'purgatory';

test('a poll expires', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  const polls = new Purgatory('polls');
  const poll = polls.waitFor(['feed'], () => undefined, { timeoutMs: 30_000 });
  t.mock.timers.tick(29_999);
  assert.equal(polls.numDelayed, 1);
  t.mock.timers.tick(1);
  assert.deepEqual(await poll, { expired: true });
});
