// Run by drop-in-fakes.test.ts: the drop-in timers under the mock timers of node:test. Prints what
// went wrong.
import assert from 'node:assert/strict';
import { mock } from 'node:test';
import * as timers from '../../../src/waits/timers/index.ts';

for (const apis of [
  ['setTimeout', 'setInterval', 'Date'],
  ['setTimeout', 'setInterval'],
  ['setTimeout'],
] as const) {
  mock.timers.enable({ apis: [...apis] });
  const ran: number[] = [];
  for (let i = 0; i < 5; i++) timers.setTimeout(() => ran.push(i), 100);
  timers.clearTimeout(timers.setTimeout(() => ran.push(-1), 100));
  mock.timers.tick(99);
  assert.deepEqual(ran, []);
  mock.timers.tick(1);
  assert.deepEqual(ran, [0, 1, 2, 3, 4]);
  if (apis[1] !== undefined) {
    let runs = 0;
    const interval = timers.setInterval(() => runs++, 10);
    mock.timers.tick(100);
    assert.equal(runs, 10);
    timers.clearInterval(interval);
    mock.timers.tick(100);
    assert.equal(runs, 10);
  }
  timers.setTimeout(() => {}, 1_000);
  mock.timers.reset();
}
process.stdout.write('all well\n');
