// Many elements at once, and what the timer makes of them: slices, order, limits.
import { expect } from 'chai';
import { ManualClock, SystemTimer, type TimerTask } from '../../../src/index.ts';
import { IdleTimeouts } from '../../../src/waits/idle/index.ts';
import { HostClock } from '../../support/host-clock.ts';
import { refuses } from '../../support/refusals.ts';
import { manual } from '../../support/task.ts';

const COUNT = 1_000;

const all = Array.from({ length: COUNT }, (_, index) => index);

/** COUNT elements that are due at 100, and a clock that each listener takes a ms of. */
function setUp(onIdle: (element: number, idle: IdleTimeouts<number>) => void = () => {}, reaper = true) {
  const clock = new HostClock();
  const timer = new SystemTimer({ clock, reaper, sliceMs: 10 });
  const told: number[] = [];
  const errors: string[] = [];
  const idle = new IdleTimeouts<number>('idle', {
    timeoutMs: 100,
    timer,
    onIdle: (element) => {
      clock.time++;
      told.push(element);
      onIdle(element, idle);
    },
    onError: (error) => errors.push(String(error)),
  });
  for (const element of all) idle.touch(element);
  clock.time = 100;
  return { clock, timer, idle, told, errors };
}

/**
 * Lets the reaper run, slice by slice, until it has nothing to do. Returns how many elements were
 * reported in each slice.
 */
function slices(clock: HostClock, told: readonly number[]): number[] {
  const counts: number[] = [];
  for (let before = 0; clock.fire() > 0; before = told.length) counts.push(told.length - before);
  return counts;
}

describe('IdleTimeouts with many elements idle at once', () => {
  it('yield to the event loop when the slice is spent, and go on after it, in order', () => {
    const { clock, timer, idle, told } = setUp();
    const counts = slices(clock, told);
    expect(counts).to.deep.equal(Array(COUNT / 10).fill(10));
    expect(told).to.deep.equal(all);
    expect([idle.size, timer.size]).to.deep.equal([0, 0]);
  });

  it('are all told of in one advanceClock()', () => {
    const { timer, told } = setUp(undefined, false);
    timer.advanceClock();
    expect(told).to.deep.equal(all);
  });

  it('end with a listener that closes: it returns the others, and they are not told of', () => {
    let closed: number[] = [];
    const { clock, timer, told } = setUp((element, idle) => {
      if (element === 40) closed = idle.close();
    });
    slices(clock, told);
    expect(told).to.deep.equal(all.slice(0, 41));
    expect(closed.sort((a, b) => a - b)).to.deep.equal(all.slice(41));
    expect(timer.size).to.equal(0);
  });
});

describe('IdleTimeouts on a shared timer', () => {
  it('hold one task in it for each element that has a deadline', () => {
    const { timer, idle } = setUp();
    expect(timer.size).to.equal(COUNT);
    idle.touch(0);
    idle.touch(1, 5);
    idle.remove(2);
    expect(timer.size).to.equal(COUNT - 1);
    idle.touch(COUNT, Number.POSITIVE_INFINITY);
    expect([idle.size, timer.size]).to.deep.equal([COUNT, COUNT - 1]);
  });

  it('refuse each touch and refresh when it has been closed, and close() returns their elements', () => {
    const { timer } = manual();
    const idle = new IdleTimeouts<string>('idle', { timeoutMs: 100, timer });
    idle.touch('a');
    idle.touch('endless', Number.POSITIVE_INFINITY);
    expect(timer.close()).to.have.length(1);
    for (const element of ['a', 'endless']) {
      for (const timeoutMs of [undefined, 50, 500, Number.POSITIVE_INFINITY]) {
        for (const act of [() => idle.touch(element, timeoutMs), () => idle.refresh(element, timeoutMs)]) {
          refuses(act, 'ERR_PURGATORY_CLOSED', 'The timer of IdleTimeouts "idle" is closed');
        }
      }
    }
    refuses(() => idle.touch('b'), 'ERR_PURGATORY_CLOSED');
    expect([idle.size, idle.has('b'), idle.refresh('b')]).to.deep.equal([2, false, false]);
    expect(idle.close()).to.deep.equal(['a', 'endless']);
  });

  it('report what it throws at a look, other than that it is full', () => {
    class Failing extends SystemTimer {
      isFailing = false;
      override add(task: TimerTask): void {
        if (this.isFailing) throw new Error('out of order');
        super.add(task);
      }
    }
    const clock = new ManualClock();
    const errors: unknown[] = [];
    const onError = (error: unknown): void => void errors.push(error);
    const timer = new Failing({ clock, reaper: false, onError });
    const idle = new IdleTimeouts<string>('idle', { timeoutMs: 100, timer, clock });
    idle.touch('a');
    clock.advance(50);
    idle.touch('a');
    clock.advance(50);
    timer.isFailing = true;
    timer.advanceClock();
    expect(errors.map(String)).to.deep.equal(['Error: out of order']);
    timer.isFailing = false;
    idle.touch('a'); // no timer holds it: so it is filed again
    clock.advance(100);
    timer.advanceClock();
    expect(idle.size).to.equal(0);
  });
});
