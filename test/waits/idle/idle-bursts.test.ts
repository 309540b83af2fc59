// Many elements at once, and what the timer makes of them: slices, order, limits.
import { expect } from 'chai';
import { ManualClock, SystemTimer, type TimerTask } from '../../../src/index.ts';
import { IdleTimeouts } from '../../../src/waits/idle/index.ts';
import { checkTimerInvariants } from '../../support/checks/timer.ts';
import { codeOf } from '../../support/code-of.ts';
import { HostClock } from '../../support/host-clock.ts';

const COUNT = 1_000;

const all = Array.from({ length: COUNT }, (_, index) => index);

/** COUNT elements that are due at 100, and a clock that each listener takes a ms of. */
function setUp(onIdle: (element: number, idle: IdleTimeouts<number>) => void = () => {}, reaper = true) {
  const clock = new HostClock();
  const timer = new SystemTimer({ clock, reaper, sliceMs: 10 });
  const told: number[] = [];
  const errors: string[] = [];
  const idle = new IdleTimeouts<number>({
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

  it('lose none to a listener that throws', () => {
    const { clock, told, errors } = setUp((element) => {
      if (element % 3 === 0) throw element;
    });
    slices(clock, told);
    expect(told).to.deep.equal(all);
    expect(errors).to.deep.equal(all.filter((element) => element % 3 === 0).map(String));
  });

  it('tell of none that a listener has removed or touched, until that one is idle again', () => {
    const { clock, timer, idle, told } = setUp((element) => {
      if (element % 5 !== 0) return;
      idle.remove(element + 1);
      idle.touch(element + 2);
      idle.touch(element + 3, 5);
    });
    clock.fire();
    expect(told.slice(0, 4)).to.deep.equal([0, 4, 5, 9]);
    expect(idle.remainingMs(2)).to.equal(101 + 100 - clock.now());
    while (idle.size > 0) {
      clock.time++;
      clock.fire();
      checkTimerInvariants(timer);
    }
    const kept = all.filter((element) => element % 5 !== 1);
    expect([...told].sort((a, b) => a - b)).to.deep.equal(kept);
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

  it('give their memory back as they go', () => {
    const { clock, timer, idle, told } = setUp(() => checkTimerInvariants(timer));
    for (const element of all) if (element % 10 !== 0) idle.remove(element);
    checkTimerInvariants(timer);
    slices(clock, told);
    expect(told).to.deep.equal(all.filter((element) => element % 10 === 0));
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

  it('track nothing that it refuses, as it is full', () => {
    const clock = new ManualClock();
    const timer = new SystemTimer({ clock, maxPending: 1 });
    const idle = new IdleTimeouts<string>({ timeoutMs: 100, timer });
    idle.touch('a');
    clock.advance(10);
    expect(codeOf(() => idle.touch('b'))).to.equal('ERR_PURGATORY_FULL');
    expect([idle.size, idle.has('b'), idle.remainingMs('a')]).to.deep.equal([1, false, 90]);
    idle.touch('b', Number.POSITIVE_INFINITY); // has no task
    expect(codeOf(() => idle.touch('b', 50))).to.equal('ERR_PURGATORY_FULL');
    expect(idle.remainingMs('b')).to.equal(Number.POSITIVE_INFINITY);
    for (const timeoutMs of [50, 500]) {
      idle.touch('a', timeoutMs);
      expect(idle.remainingMs('a')).to.equal(timeoutMs);
    }
  });

  it('are exact though it is full when an element is to be filed anew', () => {
    const clock = new ManualClock();
    const timer = new SystemTimer({ clock, maxPending: 5 });
    const log: string[] = [];
    const idle = new IdleTimeouts<number>({
      timeoutMs: 100,
      timer,
      onIdle: (element) => {
        log.push(`${element}@${clock.now()}`);
        while (timer.size < 5) timer.schedule(() => {}, 10_000);
      },
    });
    for (const element of [0, 1, 2, 3, 4]) idle.touch(element);
    for (const element of [1, 2, 3, 4]) {
      clock.advance(10);
      idle.touch(element);
    }
    clock.advance(60);
    expect(log).to.deep.equal(['0@100']);
    idle.touch(2);
    clock.advance(1_000);
    expect(log).to.deep.equal(['0@100', '1@110', '3@130', '4@140', '2@200']);
  });

  it('refuse each touch and refresh when it has been closed, and close() returns their elements', () => {
    const clock = new ManualClock();
    const timer = new SystemTimer({ clock });
    const idle = new IdleTimeouts<string>({ timeoutMs: 100, timer });
    idle.touch('a');
    idle.touch('endless', Number.POSITIVE_INFINITY);
    expect(timer.close()).to.have.length(1);
    for (const element of ['a', 'endless']) {
      for (const timeoutMs of [undefined, 50, 500, Number.POSITIVE_INFINITY]) {
        for (const act of [() => idle.touch(element, timeoutMs), () => idle.refresh(element, timeoutMs)]) {
          expect(act)
            .to.throw('The timer of IdleTimeouts "idle" was closed')
            .with.property('code', 'ERR_PURGATORY_CLOSED');
        }
      }
    }
    expect(codeOf(() => idle.touch('b'))).to.equal('ERR_PURGATORY_CLOSED');
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
    const idle = new IdleTimeouts<string>({ timeoutMs: 100, timer, clock });
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
