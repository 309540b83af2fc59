// Run by fake-clocks.test.ts: a fake clock that is there before the engine read its clock for the
// first time.
import assert from 'node:assert/strict';
import sinon from 'sinon';
import { SystemTimer } from '../../../src/index.ts';

const fake = sinon.useFakeTimers();
const timer = new SystemTimer({ tickMs: 1 });
let runs = 0;
timer.schedule(() => runs++, 100);
fake.tick(99);
assert.equal(runs, 0);
fake.tick(1);
assert.equal(runs, 1);
fake.restore();
process.stdout.write('all well\n');
