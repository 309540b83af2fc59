import { expect } from 'chai';
import { checkTimerInvariants } from '../support/checks/timer.ts';
import { bench, Task } from '../support/task.ts';
import { turn } from '../support/turns.ts';

/** More cells than a new timer has. */
const MANY = 100;

describe('A pending task', () => {
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
});
