import { expect } from 'chai';
import { ManualClock, Purgatory, PurgatoryError, SystemTimer, type TimerTask } from '../../src/index.ts';
import { checkTimerInvariants } from '../support/checks/timer.ts';
import { counts, EMPTY, Op } from '../support/op.ts';
import { refuses } from '../support/refusals.ts';
import { rejection } from '../support/rejection.ts';
import { manual, Task } from '../support/task.ts';

function shared(): {
  clock: ManualClock;
  timer: SystemTimer;
  first: Purgatory<unknown, Op>;
  second: Purgatory<unknown, Op>;
} {
  const { clock, timer } = manual({ tickMs: 1, reaper: false });
  const first = new Purgatory<unknown, Op>('first', { timer });
  const second = new Purgatory<unknown, Op>('second', { timer });
  return { clock, timer, first, second };
}

describe('Purgatories that share a timer', () => {
  it('give its wake-up back in the call, while memory is still to be given back', () => {
    const timer = new SystemTimer({ clock: new ManualClock() });
    const purgatory = new Purgatory<string, Op>('first', { timer });
    const park = (key: string, delayMs?: number): boolean =>
      purgatory.tryCompleteElseWatch(new Op('op', { delayMs }), [key]);
    for (let i = 0; i < 50_000; i++) park(i % 10 === 0 ? 'rest' : 'crowd');
    park('timed', 5);
    purgatory.cancelForKey('crowd');
    purgatory.cancelForKey('timed');
    checkTimerInvariants(timer);
  });

  it('expire in one order with the tasks of the timer, whichever of them is advanced', () => {
    const { clock, timer, first, second } = shared();
    const log: string[] = [];
    first.tryCompleteElseWatch(new Op('a', { delayMs: 5, log }), ['k']);
    timer.add(new Task(5, () => log.push('task')));
    second.tryCompleteElseWatch(new Op('b', { delayMs: 5, log }), ['k']);
    first.tryCompleteElseWatch(new Op('c', { delayMs: 4, log }), ['k']);
    clock.advance(5);
    expect(second.advanceClock()).to.equal(4);
    expect(log).to.deep.equal([
      'complete c',
      'expire c',
      'complete a',
      'expire a',
      'task',
      'complete b',
      'expire b',
    ]);
    expect(counts(first)).to.deep.equal(EMPTY);
    expect(counts(second)).to.deep.equal(EMPTY);
  });

  it('lose their operations to a close of the timer, which returns them by deadline, unanswered', async () => {
    const { clock, timer, first, second } = shared();
    const a = new Op('a', { delayMs: 50 });
    const b = new Op('b', { delayMs: 5 });
    const forever = new Op('forever');
    const task = new Task(20);
    first.tryCompleteElseWatch(a, ['k', 'l']);
    first.tryCompleteElseWatch(forever, ['k']);
    second.tryCompleteElseWatch(b, ['k']);
    timer.add(task);
    const waiting = first.waitFor(['k'], () => undefined, { timeoutMs: 30 }).catch((error: unknown) => error);
    const returned: TimerTask[] = timer.close();
    expect(returned).to.deep.equal([b, task, a]);
    expect(await waiting)
      .to.be.instanceOf(PurgatoryError)
      .with.property('code', 'ERR_PURGATORY_CLOSED');
    expect([a, b].some((op) => op.isPending || op.isCompleted)).to.equal(false);
    expect(counts(first)).to.deep.equal({ watched: 1, watchedKeys: 1, numDelayed: 1 });
    expect(counts(second)).to.deep.equal(EMPTY);
    const refused = new Op('refused', { delayMs: 5 });
    refuses(
      () => second.tryCompleteElseWatch(refused, ['k']),
      'ERR_PURGATORY_CLOSED',
      'The timer of Purgatory "second" is closed',
    );
    const late = await rejection(first.waitFor(['k'], () => undefined, { timeoutMs: 30 }));
    expect(late).to.have.property('message', 'The timer of Purgatory "first" is closed');
    expect(refused.isPending).to.equal(false);
    expect(counts(second)).to.deep.equal(EMPTY);
    clock.advance(100);
    expect(timer.advanceClock()).to.equal(0);
    expect(first.close()).to.deep.equal([forever]);
  });

  it('refuse options that only a timer of their own would follow', () => {
    const { clock, timer } = shared();
    for (const given of [
      { clock: new ManualClock() },
      { tickMs: 5 },
      { wheelSize: 8 },
      { reaper: false },
      { maxPending: 5 },
    ]) {
      const make = (): unknown => new Purgatory('p', { timer, ...given });
      const [name] = Object.keys(given);
      expect(make, name)
        .to.throw(TypeError, `"options.${name}" property must not be given beside options.timer`)
        .with.property('code', 'ERR_INVALID_ARG_VALUE');
    }
    expect(new Purgatory('p', { timer, clock }).timer).to.equal(timer);
  });
});
