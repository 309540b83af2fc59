// Run by abort-signal.test.ts: ten thousand waiters on one AbortSignal, in every way that they can
// end.
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { ManualClock, Purgatory } from '../../../src/index.ts';

const WAITERS = 10_000;
const warnings: string[] = [];
process.on('warning', (warning) => warnings.push(warning.message));

const clock = new ManualClock();
const controller = new AbortController();
const { signal } = controller;
const purgatory = new Purgatory<number>('p', { clock });
let open = false;

function waiters(): Promise<unknown>[] {
  const attempt = (): true | undefined => open || undefined;
  return Array.from({ length: WAITERS }, (_, i) =>
    purgatory.waitFor([i % 10], attempt, { timeoutMs: 100, signal }).catch((reason: unknown) => reason),
  );
}

let waiting = waiters();
open = true;
for (let key = 0; key < 10; key++) purgatory.checkAndComplete(key);
open = false;
assert.equal((await Promise.all(waiting)).length, WAITERS);
assert.equal(getEventListeners(signal, 'abort').length, 0, 'listeners left after completion');

waiting = waiters();
clock.advance(100);
await Promise.all(waiting);
assert.equal(getEventListeners(signal, 'abort').length, 0, 'listeners left after expiry');

waiting = waiters();
for (let key = 0; key < 10; key++) purgatory.cancelForKey(key);
await Promise.all(waiting);
assert.equal(getEventListeners(signal, 'abort').length, 0, 'listeners left after cancelForKey');

waiting = waiters();
controller.abort('enough');
assert.ok((await Promise.all(waiting)).every((reason) => reason === 'enough'));
assert.equal(getEventListeners(signal, 'abort').length, 0, 'listeners left after the abort');
assert.deepEqual([purgatory.numDelayed, purgatory.watched, purgatory.watchedKeys], [0, 0, 0]);

await turn();
assert.deepEqual(warnings, []);
process.stdout.write('all well\n');
