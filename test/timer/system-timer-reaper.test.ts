import { expect } from 'chai';
import { SystemTimer } from '../../src/index.ts';
import { HostClock } from '../support/host-clock.ts';
import { Task, type TimerOptions } from '../support/task.ts';
import { turn } from '../support/turns.ts';

function onHost(options: TimerOptions = {}): { clock: HostClock; timer: SystemTimer } {
  const clock = new HostClock();
  return { clock, timer: new SystemTimer({ tickMs: 1, wheelSize: 16, ...options, clock }) };
}

/** Jumps from wake-up to wake-up until `atMs`, as an idle host does. */
async function runHost(clock: HostClock, atMs: number): Promise<void> {
  for (;;) {
    await turn();
    const next = clock.next;
    if (next === undefined || next.atMs > atMs) break;
    clock.time = Math.max(clock.time, next.atMs);
    clock.fire();
  }
  clock.time = atMs;
}

describe('The reaper', () => {
  it('does not set its wake-up again for tasks that are due later', async () => {
    const { clock, timer } = onHost();
    timer.add(new Task(5));
    await turn();
    const armed = clock.next;
    for (let i = 0; i < 100; i++) timer.add(new Task(5 + i));
    await turn();
    expect(clock.next).to.equal(armed);
  });

  it('takes a wake-up that comes too early for what it is, and wakes again', async () => {
    const { clock, timer } = onHost();
    const task = new Task(10);
    timer.add(task);
    await turn();
    const early = clock.next;
    clock.time = 9.5;
    if (early !== undefined) clock.outstanding.delete(early);
    early?.wake();
    expect(task.runs).to.equal(0);
    await runHost(clock, 10);
    expect(task.runs).to.equal(1);
  });

  it('takes a wake-up that comes after close for nothing', async () => {
    const { clock, timer } = onHost();
    const task = new Task(10);
    timer.add(task);
    await turn();
    const late = clock.next;
    timer.close();
    clock.time = 50;
    late?.wake();
    expect(task.runs).to.equal(0);
    expect(clock.outstanding.size).to.equal(0);
  });

  it('never asks the clock for a wake-up when it is off', async () => {
    const { clock, timer } = onHost({ reaper: false });
    timer.add(new Task(5));
    await turn();
    expect(clock.most).to.equal(0);
    clock.time = 5;
    expect(timer.advanceClock()).to.equal(1);
  });
});
