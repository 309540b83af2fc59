import { expect } from 'chai';
import { ManualClock } from '../../src/index.ts';
import { Budget } from '../../src/turns/budget.ts';

describe('A budget of time and tries', () => {
  function budget(tries: number): { clock: ManualClock; budget: Budget; readings: () => number } {
    const clock = new ManualClock();
    let readings = 0;
    const counted = {
      now: (): number => {
        readings++;
        return clock.now();
      },
    };
    const made = new Budget(counted, 5, tries);
    made.begin(clock.now());
    return { clock, budget: made, readings: () => readings };
  }

  it('is spent when its time is', () => {
    const { clock, budget: own } = budget(100);
    clock.advance(4);
    expect(own.isSpentBy(1)).to.equal(false);
    clock.advance(1);
    expect(own.isSpentBy(1)).to.equal(true);
    own.begin(clock.now());
    expect(own.isSpentBy(1)).to.equal(false);
  });

  it('is spent when its tries are, however little time they took', () => {
    const { budget: own } = budget(10);
    expect([own.isSpentBy(4), own.isSpentBy(5), own.isSpentBy(1)]).to.deep.equal([false, false, true]);
  });

  it('reads the clock once in 64 steps that try nothing', () => {
    const { clock, budget: own, readings } = budget(10);
    clock.advance(9);
    const spent = Array.from({ length: 64 }, () => own.isSpentBy(0));
    expect(spent.indexOf(true)).to.equal(63);
    expect(readings()).to.equal(1);
  });

  it('goes on within less than a millisecond of the last reading, and begins anew after a pause', () => {
    const { clock, budget: own } = budget(3);
    own.isSpentBy(2);
    clock.advance(0.5);
    own.goOn(clock.now());
    expect(own.isSpentBy(1)).to.equal(true);
    clock.advance(1);
    own.goOn(clock.now());
    expect(own.isSpentBy(2)).to.equal(false);
  });
});
