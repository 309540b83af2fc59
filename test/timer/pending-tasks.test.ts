import { expect } from 'chai';
import { PendingTasks } from '../../src/timer/pending-tasks.ts';
import type { TimerTask } from '../../src/timer/timer-task.ts';
import { WheelScheme } from '../../src/timer/wheels/wheel-scheme.ts';
import { checkTimerInvariants } from '../support/checks/timer.ts';
import { bench, Task } from '../support/task.ts';
import { turn } from '../support/turns.ts';

describe('A pending task', () => {
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

describe('PendingTasks', () => {
  const pending = (): PendingTasks => new PendingTasks((slab, cursor) => new WheelScheme(slab, cursor, 3), 0);
  const addTo = (tasks: PendingTasks, ...ticks: number[]): TimerTask[] =>
    ticks.map((tick) => {
      const task = new Task(tick) as TimerTask;
      task.$slot = tasks.add(task, tick);
      return task;
    });
  const allOf = (tasks: PendingTasks): TimerTask[] => {
    const taken: TimerTask[] = [];
    while (tasks.isPassOpen) taken.push(tasks.take() as TimerTask);
    return taken.filter((task) => task !== undefined); // some are none: a bucket was only moved
  };

  it('are due in the next pass where they are added for the tick that it has caught up with', () => {
    const tasks = pending();
    tasks.catchUp(100);
    const added = addTo(tasks, 100);
    expect([tasks.horizon, tasks.nextTick()]).to.deep.equal([100, 100]);
    tasks.openPass(100);
    expect(allOf(tasks)).to.deep.equal(added);
  });

  it('are looked for at once where their tick is that of the pass under way, or before', () => {
    const tasks = pending();
    addTo(tasks, 5, 500);
    tasks.openPass(1_000);
    for (const tick of [6, 999, 1_000]) expect(tasks.lookFor(tick)).to.equal(tasks.scheme.cursor);
    expect(tasks.lookFor(1_001)).to.be.within(tasks.scheme.cursor, 1_001);
    expect(tasks.lookFor(Number.POSITIVE_INFINITY)).to.equal(Number.POSITIVE_INFINITY);
  });

  it('end a pass that has lost its tasks', () => {
    const tasks = pending();
    const added = addTo(tasks, 5, 500);
    tasks.openPass(1_000);
    for (const task of added) tasks.release(task.$slot);
    expect(tasks.isPassOpen).to.equal(true);
    tasks.endPass();
    expect([tasks.isPassOpen, tasks.scheme.cursor]).to.deep.equal([false, 1_000]);
  });

  it('give back the lists of a burst when none is left, and nothing while a pass is open', () => {
    const tasks = pending();
    expect(tasks.isSparse).to.equal(false);
    const burst = Array.from({ length: 84 }, (_, i) => (1 + (i % 7)) * 8 ** Math.floor(i / 7));
    for (const task of addTo(tasks, ...burst)) tasks.release(task.$slot);
    const { inUse } = tasks.slab;
    expect(tasks.isSparse).to.equal(true);
    tasks.compact();
    expect(tasks.isSparse).to.equal(false);
    expect(tasks.slab.inUse).to.be.below(inUse);

    const due = addTo(tasks, 2, 2, 70);
    tasks.openPass(100);
    const first = tasks.take();
    tasks.compact();
    expect([first, ...allOf(tasks)]).to.deep.equal(due);
  });
});
