import { channel } from 'node:diagnostics_channel';
import { expect } from 'chai';
import { Purgatory, SystemTimer, type WakeUp } from '../../src/index.ts';
import { NONE } from '../../src/slab/slab.ts';
import { checkPurgatoryInvariants } from '../support/checks/purgatory.ts';
import { checkTimerInvariants } from '../support/checks/timer.ts';
import { HostClock } from '../support/host-clock.ts';
import { counts, isEmpty, Op } from '../support/op.ts';
import { rejection } from '../support/rejection.ts';
import { Task } from '../support/task.ts';
import { uncaughtDuring } from '../support/uncaught.ts';

/** A clock of the user that fails when the test says so. */
class FailingClock extends HostClock {
  fails = false;

  override now(): number {
    if (this.fails) throw new Error('no time');
    return super.now();
  }

  override wakeAt(atMs: number, wake: () => void): WakeUp {
    if (this.fails) throw new Error('no wake-up');
    return super.wakeAt(atMs, wake);
  }
}

function onFailing(): { clock: FailingClock; timer: SystemTimer; purgatory: Purgatory<string, Op> } {
  const clock = new FailingClock();
  const timer = new SystemTimer({ clock });
  return { clock, timer, purgatory: new Purgatory('test', { timer }) };
}

/** Makes the clock fail at its next wake-up, but give the time. */
function failToWake(clock: FailingClock): void {
  clock.now = () => clock.time;
  clock.fails = true;
}

describe('A clock that throws', () => {
  it('from wakeAt: add lets it through, the task is not pending, and the others keep their wake-up', () => {
    for (const firstMs of [undefined, 100]) {
      const { clock, timer } = onFailing();
      const first = new Task(100);
      if (firstMs !== undefined) timer.add(first);
      failToWake(clock);
      const task = new Task(50);
      expect(() => timer.add(task)).to.throw('no wake-up');
      expect([task.isPending, clock.next?.atMs]).to.deep.equal([false, firstMs]);
      checkTimerInvariants(timer);
      clock.fails = false;
      timer.add(new Task(150));
      timer.add(task);
      checkTimerInvariants(timer);
      for (clock.time = 50; clock.time <= 150; clock.time += 50) clock.fire();
      expect([task.runs, first.runs, timer.size]).to.deep.equal([1, firstMs === undefined ? 0 : 1, 0]);
    }
  });

  it('from now, in a wake-up: the next task has the timer look again', () => {
    const { clock, timer } = onFailing();
    const first = new Task(10);
    timer.add(first);
    clock.time = 10;
    clock.fails = true;
    expect(() => clock.fire()).to.throw('no time');
    clock.fails = false;
    timer.add(new Task(20));
    checkTimerInvariants(timer);
    clock.fire();
    expect(first.runs).to.equal(1);
  });

  it('from wakeAt, at the end of a pass: not into an add of that pass, which asks for nothing', () => {
    const { clock, timer } = onFailing();
    const inside = new Task(1);
    const refusals: unknown[] = [];
    timer.add(
      new Task(10, () => {
        failToWake(clock);
        try {
          timer.add(inside);
        } catch (error) {
          refusals.push(error);
        }
      }),
    );
    clock.time = 10;
    expect(() => clock.fire()).to.throw('no wake-up');
    expect([refusals, inside.isPending]).to.deep.equal([[], true]);
    clock.fails = false;
    clock.time = 11;
    expect(timer.advanceClock()).to.equal(1);
  });

  for (const [delayMs, says] of [
    [5, 'no wake-up'],
    [Number.POSITIVE_INFINITY, 'no time'],
  ] as const) {
    it(`with "${says}": nothing is parked, and what was parked before can still leave`, () => {
      const { clock, timer, purgatory } = onFailing();
      const before = new Op('before', { delayMs: 50 });
      purgatory.tryCompleteElseWatch(before, ['k']);
      if (says === 'no wake-up') failToWake(clock);
      clock.fails = true;
      const op = new Op('a', { delayMs });
      expect(() => purgatory.tryCompleteElseWatch(op, ['k', 'l'])).to.throw(says);
      expect([op.isPending, op.cancel(), op.$slot, timer.size]).to.deep.equal([false, false, NONE, 1]);
      expect(counts(purgatory)).to.deep.equal({ watched: 1, watchedKeys: 1, numDelayed: 1 });
      checkPurgatoryInvariants(purgatory);
      clock.fails = false;
      expect(before.forceComplete()).to.equal(true);
      isEmpty(purgatory);
      checkTimerInvariants(timer);
    });
  }

  const leaves: Record<string, (op: Op, purgatory: Purgatory<string, Op>) => unknown> = {
    'a force': (op) => op.forceComplete(),
    'an event': (op, purgatory) => {
      op.ready = true;
      return purgatory.checkAndComplete('k');
    },
    'a cancel': (op) => op.cancel(),
    'an abort': () => undefined,
  };
  for (const [how, leave] of Object.entries(leaves)) {
    it(`from the cancel of a wake-up, and from now while somebody listens: ${how} is not held up`, async () => {
      const { clock, timer, purgatory } = onFailing();
      const abort = new AbortController();
      const isWait = how === 'an abort';
      const op = new Op('op', { delayMs: 50 });
      const wait = isWait
        ? purgatory.waitFor(['k'], () => undefined, { timeoutMs: 50, signal: abort.signal })
        : undefined;
      const reason = wait && rejection(wait);
      if (!isWait) purgatory.tryCompleteElseWatch(op, ['k']);
      const [wakeUp] = clock.outstanding;
      wakeUp.cancel = () => {
        throw new Error('no cancel');
      };
      const heard: unknown[] = [];
      const ends = ['completed', 'cancelled'].map((end) => channel(`purgatory:operation:${end}`));
      const listener = (message: unknown): void => void heard.push(message);
      for (const each of ends) each.subscribe(listener);
      const uncaught = await uncaughtDuring(2, async () => {
        clock.fails = true;
        if (isWait) abort.abort('gone');
        else leave(op, purgatory);
        clock.fails = false;
      });
      for (const each of ends) each.unsubscribe(listener);
      expect(uncaught.map((error) => (error as Error).message)).to.have.members(['no time', 'no cancel']);
      expect([heard.length, op.completions]).to.deep.equal([1, how === 'a cancel' || isWait ? 0 : 1]);
      expect(await reason).to.equal(isWait ? 'gone' : undefined);
      expect([timer.size, timer.nextExpirationMs]).to.deep.equal([0, undefined]);
      checkPurgatoryInvariants(purgatory);
      // It goes on.
      const next = new Op('next', { delayMs: 5 });
      purgatory.tryCompleteElseWatch(next, ['k']);
      clock.time += 5;
      clock.fire();
      expect(next.expirations).to.equal(1);
    });
  }

  it('from now, where a condition returns a promise: the wait is tried on', async () => {
    const { clock, purgatory } = onFailing();
    let tries = 0;
    const condition = (): unknown => (++tries === 1 ? undefined : Promise.resolve(tries > 2 && 'news'));
    const wait = purgatory.waitFor(['k'], condition, { timeoutMs: 50 });
    const uncaught = await uncaughtDuring(1, async () => {
      clock.fails = true;
      purgatory.checkAndComplete('k');
      clock.fails = false;
    });
    expect(uncaught).to.have.lengthOf(1);
    purgatory.checkAndComplete('k');
    expect(await wait).to.deep.equal({ expired: false, value: 'news' });
  });

  it('from now, between two tasks: the reaper goes on with the rest', () => {
    const { clock, timer } = onFailing();
    const first = new Task(5, () => {
      clock.now = () => {
        clock.now = () => clock.time;
        throw new Error('no time');
      };
    });
    const second = new Task(5);
    timer.add(first);
    timer.add(second);
    clock.time = 5;
    expect(() => clock.fire()).to.throw('no time');
    expect([first.runs, second.runs]).to.deep.equal([1, 0]);
    clock.fire();
    expect([second.runs, timer.size]).to.deep.equal([1, 0]);
    expect(clock.outstanding.size).to.equal(0);
  });
});
