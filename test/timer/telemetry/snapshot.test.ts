import { expect } from 'chai';
import { bench } from '../../support/task.ts';

describe('timer.snapshot()', () => {
  it('tells of an empty timer, in plain JSON', () => {
    const { timer } = bench({ tickMs: 10, wheelSize: 3 }, 57);
    const snapshot = timer.unref().snapshot();
    expect(JSON.parse(JSON.stringify(snapshot))).to.deep.equal(snapshot);
    expect(snapshot).to.deep.include({
      tickMs: 10,
      wheelSize: 4,
      nowMs: 57,
      pending: 0,
      nextExpirationMs: null,
      isRef: false,
      levels: [{ tickMs: 10, position: 1 }],
      delayQueue: { size: 0, head: null },
      totals: { ran: 0, failed: 0, cascaded: 0, slices: 0 },
    });
  });

  it('shows each wheel with the place of the present tick, and which bucket is the next', () => {
    const { clock, timer, add } = bench({ wheelSize: 4 });
    add('a', 2); // in base 4: 002, 013 twice, 120
    add('b', 7);
    add('c', 7);
    add('d', 24);
    clock.advance(1);
    const { levels, delayQueue, pending, nextExpirationMs } = timer.snapshot();
    expect(levels).to.deep.equal([
      { tickMs: 1, position: 1 },
      { tickMs: 4, position: 0 },
      { tickMs: 16, position: 0 },
    ]);
    expect(delayQueue).to.deep.equal({ size: 3, head: { level: 0, bucket: 2, expirationMs: 2 } });
    expect([pending, nextExpirationMs]).to.deep.equal([4, 2]);
  });

  it('moves the hands with the clock, though nothing is due', () => {
    const { clock, timer, add } = bench({ wheelSize: 4 });
    add('a', 63);
    clock.advance(27); // 123
    expect(timer.snapshot().levels.map(({ position }) => position)).to.deep.equal([3, 2, 1]);
  });

  it('shows no bucket as queued when all tasks have been cancelled, few or many', () => {
    for (const tasks of [3, 300]) {
      const { clock, timer, add, log } = bench({ wheelSize: 512 });
      for (const task of Array.from({ length: tasks }, (_, index) => add('', 1 + index))) task.cancel();
      expect(timer.snapshot().delayQueue).to.deep.equal({ size: 0, head: null });
      add('after', 2);
      clock.advance(400);
      expect(log).to.deep.equal(['after@2']);
    }
  });

  it('counts what ran, threw and cascaded', () => {
    const { timer, add, runTo } = bench({ wheelSize: 4, onError: () => {} });
    add('a', 7);
    add('b', 24, () => {
      throw new Error('no');
    });
    runTo(30);
    expect(timer.snapshot().totals).to.deep.equal({ ran: 2, failed: 1, cascaded: 3, slices: 0 });
  });

  it('counts how late tasks ran, in powers of two', () => {
    const { clock, timer, add } = bench({ reaper: false });
    for (const delayMs of [100, 99, 98, 97, 90, 1]) add('', delayMs);
    clock.advance(100);
    timer.advanceClock();
    const { lastMs, maxMs, meanMs, sumMs, histogram } = timer.snapshot().lateness;
    expect({ lastMs, maxMs, meanMs, sumMs }).to.eql({ lastMs: 0, maxMs: 99, meanMs: 115 / 6, sumMs: 115 });
    expect(histogram.leMs.slice(0, 8)).to.deep.equal([1, 2, 4, 8, 16, 32, 64, 128]);
    expect(histogram.counts.slice(0, 8)).to.deep.equal([2, 1, 1, 0, 1, 0, 0, 1]);
    expect(histogram.counts).to.have.lengthOf(histogram.leMs.length + 1);
    add('however late', 1);
    clock.advance(2 ** 40);
    timer.advanceClock();
    expect(timer.snapshot().lateness.histogram.counts.at(-1)).to.equal(1);
  });

  it('may be taken from inside a task, and changes nothing', () => {
    const { timer, add, runTo, log } = bench({ wheelSize: 4 });
    add('a', 5, () => log.push(`${timer.snapshot().pending} pending`));
    add('b', 5);
    add('c', 5).cancel();
    add('d', 21);
    runTo(30);
    expect(log).to.deep.equal(['a@5', '2 pending', 'b@5', 'd@21']);
  });
});
