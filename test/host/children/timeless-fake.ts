// Run by drop-in-fakes.test.ts: a fake of setTimeout that moves neither Date nor performance fires
// early by both.
import assert from 'node:assert/strict';
import sinon from 'sinon';
import { SystemTimer } from '../../../src/index.ts';

const timer = new SystemTimer({ tickMs: 1 });
for (let i = 0; i < 2; i++) {
  const fake = sinon.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  let runs = 0;
  timer.schedule(() => runs++, 3_600_000);
  fake.tick(3_600_000);
  assert.equal(runs, 0); // never early by its clock
  fake.restore();
}
timer.close();
process.stdout.write('all well\n');
