// Run by node-test.test.ts: the mock timers of node:test, with Date, installed after the import.
// Prints what went wrong.
import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { SystemTimer, systemClock } from '../../../src/index.ts';

const timer = new SystemTimer({ tickMs: 1 });
const before: string[] = [];
timer.schedule(() => before.push('ran'), 600_000);

mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'setImmediate', 'Date'] });
let last = systemClock.now(); // notices
// Some real time passed between the start of that task and the fake.
mock.timers.tick(300_000);
assert.deepEqual(before, []);
mock.timers.tick(300_000);
assert.deepEqual(before, ['ran']);

last = systemClock.now();
const leftOver: string[] = [];
timer.schedule(() => leftOver.push('ran'), 5);
mock.timers.reset();
assert.ok(systemClock.now() >= last, 'time went back');
last = systemClock.now();
const ran = new Promise<void>((resolve) => timer.schedule(resolve, 10));
await ran;
assert.ok(systemClock.now() >= last + 10, 'early after the reset');
assert.deepEqual(leftOver, ['ran']);

mock.timers.enable({ apis: ['setTimeout', 'Date'] });
assert.ok(systemClock.now() >= last, 'time went back');
let again = 0;
timer.schedule(() => again++, 20);
mock.timers.tick(19);
assert.equal(again, 0);
mock.timers.tick(1);
assert.equal(again, 1);
mock.timers.reset();
await pause(1); // the host's timers go on
timer.close();
process.stdout.write('all well\n');
