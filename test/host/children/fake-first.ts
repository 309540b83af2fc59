// Run by fake-clocks.test.ts: a fake clock that is there before the engine is imported, so that it
// passes for the host.
import assert from 'node:assert/strict';
import sinon from 'sinon';

const fake = sinon.useFakeTimers();
const { SystemTimer } = await import('../../../src/index.ts');
const timer = new SystemTimer({ tickMs: 1 });
let runs = 0;
for (let i = 0; i < 1_000; i++) timer.schedule(() => runs++, 100);
fake.tick(100 + 2);
assert.equal(runs, 1_000, 'all that is due runs in the call that moves the time');
fake.restore();
process.stdout.write('all well\n');
