// A SystemTimer on the real clock. What all eight timers do on a clock of their own, and so this one:
// test/waits/schemes/conformance.test.ts.
import { expect } from 'chai';
import { SystemTimer, systemClock } from '../../../src/index.ts';
import { until } from '../../support/turns.ts';

describe('A SystemTimer on the real clock', () => {
  it('runs nothing inside add, and nothing early, each delay by its own reading (behaviours 1 and 3)', async () => {
    using timer = new SystemTimer({ tickMs: 1 });
    const early: number[] = [];
    let ran = 0;
    for (const delayMs of [0, 0.3, 1, 1.5, 2, 3.9, 5, 8, 12]) {
      const startMs = systemClock.now();
      timer.schedule(() => {
        ran++;
        if (systemClock.now() < startMs + delayMs) early.push(delayMs);
      }, delayMs);
      expect(timer.size).to.be.above(0);
    }
    expect(ran).to.equal(0);
    await Promise.resolve();
    expect(ran).to.equal(0);
    await until(() => timer.size === 0);
    expect([ran, early]).to.deep.equal([9, []]);
  });
});
