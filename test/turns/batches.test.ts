import { expect } from 'chai';
import { ManualClock } from '../../src/index.ts';
import { Batches, type DoBatch, type Yielding } from '../../src/turns/batches.ts';
import { TurnSlice } from '../../src/turns/turn-slice.ts';
import { microtasks, turn, until } from '../support/turns.ts';

/** `count` steps of `ms` each. `done` has how many were done in each batch. */
function steps(count: number, ms: number, { answers = true, sliceMs = 5 } = {}, yielding?: Yielding) {
  const clock = new ManualClock();
  const done: number[] = [];
  let left = count;
  const doBatch: DoBatch = (batch) => {
    let inBatch = 0;
    while (left > 0 && !batch.isFull) {
      left--;
      inBatch++;
      batch.step(answers);
      clock.advance(ms);
    }
    done.push(inBatch);
    return left > 0;
  };
  const batches = new Batches(new TurnSlice(clock), sliceMs, doBatch, yielding);
  return { clock, batches, done, more: (by: number) => (left += by) };
}

describe('Work in batches', () => {
  it('begins in the call, and lets microtasks run after each batch that answered somebody', async () => {
    const { batches, done } = steps(60, 0);
    batches.begin();
    expect(done).to.deep.equal([16]);
    batches.begin();
    expect(done, 'it is under way').to.deep.equal([16]);
    await microtasks();
    expect(done).to.deep.equal([16, 32, 12]);
    expect(batches.isUnderWay).to.equal(false);
  });

  it('goes on in the call where nobody is answered', () => {
    const { batches, done } = steps(2_000, 0, { answers: false });
    batches.begin();
    expect(done).to.deep.equal([16, 32, 64, 128, 256, 512, 992]);
  });

  it('waits for the next turn of the loop when the slice is spent, in batches for their cost', async () => {
    const { batches, done } = steps(23, 1);
    batches.begin();
    await microtasks();
    expect(done).to.deep.equal([16]);
    await turn();
    await microtasks();
    expect(done).to.deep.equal([16, 1, 1, 1, 1, 1]);
    await until(() => !batches.isUnderWay);
    expect(done).to.deep.equal([16, 1, 1, 1, 1, 1, 1, 1]);
  });

  it('may be told to begin after the microtasks', async () => {
    const { batches, done } = steps(1, 0);
    batches.beginLater();
    expect([batches.isUnderWay, done.length]).to.deep.equal([true, 0]);
    await microtasks();
    expect([batches.isUnderWay, done.length]).to.deep.equal([false, 1]);
  });

  it('waits at once when others have spent the slice of the turn', async () => {
    const clock = new ManualClock();
    const slice = new TurnSlice(clock);
    let done = 0;
    const others = new Batches(slice, 5, (batch) => {
      batch.step(true);
      clock.advance(6);
      return done === 0;
    });
    others.begin();
    const batches = new Batches(slice, 5, () => ++done < 0);
    batches.begin();
    await microtasks();
    expect(done).to.equal(0);
    await turn(); // the others go first: they came before
    await turn();
    expect(done).to.equal(1);
  });

  it('goes on in the next turn after a throw', async () => {
    let calls = 0;
    const batches = new Batches(new TurnSlice(new ManualClock()), 5, () => {
      if (++calls === 1) throw new Error('once');
      return false;
    });
    expect(() => batches.begin()).to.throw('once');
    expect(batches.isUnderWay).to.equal(true);
    await turn();
    expect([calls, batches.isUnderWay]).to.deep.equal([2, false]);
  });

  it('reads no clock where the first batch is enough, if it need not', () => {
    let readings = 0;
    const slice = new TurnSlice({ now: () => ++readings });
    const batches = new Batches(slice, 5, () => false);
    batches.beginUnread();
    expect(readings).to.equal(0);
    batches.begin();
    expect(readings, 'before and after').to.equal(2);
  });

  it('counts the time from the first reading, where the clock was not read before', async () => {
    const { batches, done } = steps(30, 1);
    batches.beginUnread();
    await microtasks();
    expect(done, 'nothing is known of the first batch').to.deep.equal([16, 14]);
  });

  it('waits for the next turn when its owner must yield, and tells the owner', async () => {
    let yields = 0;
    const yielding = { mustYield: true, didYield: () => void yields++ };
    const { batches, done } = steps(40, 0, {}, yielding);
    batches.begin();
    await microtasks();
    expect({ done, yields }).to.deep.equal({ done: [16], yields: 1 });
    yielding.mustYield = false;
    await until(() => !batches.isUnderWay);
    expect({ done, yields }).to.deep.equal({ done: [16, 16, 8], yields: 1 });
  });

  it('tells the owner once that it waits, for however many turns', async () => {
    const clock = new ManualClock();
    const slice = new TurnSlice(clock);
    const log: string[] = [];
    const yielding = { mustYield: false, didYield: () => void log.push('waits') };
    const doBatch = (): boolean => {
      clock.advance(6);
      return log.push('batch') < 4;
    };
    let hogs = 0;
    const hog = new Batches(slice, 5, () => {
      clock.advance(6);
      return ++hogs < 9;
    });
    const other = new Batches(slice, 5, () => {
      clock.advance(6);
      return ++hogs < 9;
    });
    const batches = new Batches(slice, 5, doBatch, yielding);
    for (const each of [batches, hog, other]) each.begin();
    await until(() => !batches.isUnderWay);
    expect(log).to.deep.equal(['batch', 'waits', 'batch', 'waits', 'batch']);
  });

  it('begins each time with a first batch of the same size, whatever it has learnt', async () => {
    const { batches, done, more } = steps(60, 0);
    batches.begin();
    await microtasks();
    more(20);
    batches.begin();
    await microtasks();
    expect(done).to.deep.equal([16, 32, 12, 16, 4]);
  });
});
