import { expect } from 'chai';
import { checkTimerInvariants } from '../support/checks/timer.ts';
import { bench, Task } from '../support/task.ts';
import { turn } from '../support/turns.ts';

/** More cells than a new timer has. */
const MANY = 100;

describe('A pending task', () => {
  it('runs in the order of add, when very many are added', () => {
    const { clock, add, log } = bench();
    const expected = Array.from({ length: MANY }, (_, index) => `${index}@9`);
    add('first', 5);
    for (let index = 0; index < MANY; index++) add(`${index}`, 9);
    clock.advance(9);
    expect(log).to.deep.equal(['first@5', ...expected]);
  });

  it('does not run when it was cancelled, wherever it stood in its bucket', () => {
    const { clock, timer, add, log } = bench();
    add('first', 5);
    const tasks = ['a', 'b', 'c', 'd', 'e'].map((label) => add(label, 9));
    for (const index of [1, 4, 3]) expect(tasks[index].cancel()).to.equal(true);
    expect(timer.size).to.equal(3);
    checkTimerInvariants(timer);
    add('f', 9);
    clock.advance(9);
    expect(log).to.deep.equal(['first@5', 'a@9', 'c@9', 'f@9']);
    expect(tasks[1].cancel()).to.equal(false);
  });

  it('is due when all before it have been cancelled', () => {
    const { clock, timer, add, log } = bench({ reaper: false });
    const first = add('first', 5);
    add('second', 6);
    first.cancel();
    clock.advance(6);
    expect(timer.advanceClock()).to.equal(1);
    expect(log).to.deep.equal(['second@6']);
  });

  it('is moved when it is added again, after the head of the queue has gone by as well', () => {
    const { clock, timer, add, log } = bench({ reaper: false });
    const first = add('first', 10);
    const moved = add('moved', 20);
    add('other', 20);
    timer.add(moved); // to the end of its tick
    expect(timer.size).to.equal(3);
    first.cancel();
    clock.advance(15);
    timer.add(moved);
    checkTimerInvariants(timer);
    for (const ms of [5, 15]) {
      clock.advance(ms);
      timer.advanceClock();
    }
    expect(log).to.deep.equal(['other@20', 'moved@35']);
    expect(timer.size).to.equal(0);
  });

  it('is among what close() returns, by deadline', () => {
    const { timer, add } = bench();
    for (const delayMs of [5, 30, 7, 2, 30]) add(`${delayMs}`, delayMs);
    const labels = timer.close().map((task) => (task as Task).label);
    expect(labels).to.deep.equal(['2', '5', '7', '30', '30']);
  });

  it('is neither lost nor run twice where memory runs out', () => {
    const { clock, timer, add, log } = bench();
    add('first', 5);
    const real = globalThis.Int32Array;
    const added: string[] = [];
    let refused = 0;
    globalThis.Int32Array = class {
      constructor() {
        throw new RangeError('Array buffer allocation failed');
      }
    } as unknown as Int32ArrayConstructor;
    try {
      for (let index = 0; index < 3 * MANY; index++) {
        try {
          add(`${index}`, 9);
          added.push(`${index}@9`);
        } catch (error) {
          expect(error).to.be.instanceOf(RangeError);
          refused++;
        }
      }
    } finally {
      globalThis.Int32Array = real;
    }
    expect(refused).to.be.above(0);
    expect(timer.size).to.equal(1 + added.length);
    checkTimerInvariants(timer);
    add('after', 9);
    clock.advance(9);
    expect(log).to.deep.equal(['first@5', ...added, 'after@9']);
  });

  it('allocates next to nothing for a start while a bucket is overdue', () => {
    const { clock, timer, add } = bench({ reaper: false });
    const steps = 2_000;
    const tasks = Array.from({ length: MANY }, () => new Task(1_000));
    const startAndCancelOldest = (): void => {
      for (let step = 0; step < steps; step++) {
        const task = tasks[step % MANY];
        task.cancel();
        timer.add(task);
      }
    };
    add('overdue', 5);
    clock.advance(10);
    const bytes = Array.from({ length: 9 }, () => {
      const before = process.memoryUsage().heapUsed;
      startAndCancelOldest();
      return (process.memoryUsage().heapUsed - before) / steps;
    });
    checkTimerInvariants(timer);
    // Doubles are boxed here and there. An array for each start would take some 300 bytes.
    const median = bytes.sort((x, y) => x - y)[4];
    expect(median).to.be.below(200);
  });

  it('leaves no memory of a burst behind, in a turn of its own, where few others stay (behaviour 25)', async () => {
    const { clock, timer, add, log } = bench();
    const tasks = Array.from({ length: 100_000 }, (_, i) => add(`${i}`, 1_000 + (i % 1_000)));
    for (const task of tasks.slice(0, 95_000)) task.cancel();
    const slots = (): number[] => tasks.slice(95_000).map(({ $slot }) => $slot);
    expect(Math.max(...slots())).to.be.above(300_000);
    for (let i = 0; i < 3; i++) await turn();
    checkTimerInvariants(timer);
    expect(Math.max(...slots())).to.be.below(65_536); // of 16,384 cells
    clock.advance(2_000);
    expect(log).to.have.length(5_000);
    expect(log.slice(0, 2)).to.deep.equal(['95000@1000', '96000@1000']);
  });

  it('stays where it is while memory cannot be given back in about 10 ms', async () => {
    const { timer, add } = bench();
    const tasks = Array.from({ length: 100_000 }, (_, i) => add(`${i}`, 1_000 + (i % 1_000)));
    const { $slot } = tasks[99_999];
    for (const task of tasks.slice(0, 80_000)) task.cancel();
    for (let i = 0; i < 3; i++) await turn();
    expect(tasks[99_999].$slot).to.equal($slot);
    checkTimerInvariants(timer);
  });

  it('waits for its time when it was added from inside a pass that leads past it', () => {
    const { clock, timer, add, log } = bench({ reaper: false });
    add('first', 10, () => {
      add('inside', 5);
      add('later', 100);
    });
    add('second', 50);
    clock.advance(60);
    expect(timer.advanceClock()).to.equal(2);
    clock.advance(5);
    expect(timer.advanceClock()).to.equal(1);
    expect(log).to.deep.equal(['first@60', 'second@60', 'inside@65']);
    expect(timer.nextExpirationMs).to.be.within(65, 160);
  });
});
