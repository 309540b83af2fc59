import { expect } from 'chai';
import { ManualClock } from '../../../src/index.ts';
import {
  HashedWheelTimer,
  type HashedWheelTimerOptions,
  type Timeout,
} from '../../../src/waits/schemes/index.ts';
import { HostClock } from '../../support/host-clock.ts';
import { refuses } from '../../support/refusals.ts';
import { Task } from '../../support/task.ts';

describe('HashedWheelTimer in Netty’s language', () => {
  it('ticks every 100 ms unless told', () => {
    const clock = new ManualClock();
    const timer = new HashedWheelTimer({ clock });
    const ranAtMs: number[] = [];
    timer.newTimeout(() => ranAtMs.push(clock.now()), 101);
    clock.advance(199);
    expect(ranAtMs).to.deep.equal([]);
    clock.advance(1);
    expect(ranAtMs).to.deep.equal([200]);
  });

  it('gives a Timeout that knows its timer and its task, and is given to it', () => {
    const clock = new ManualClock();
    const timer = new HashedWheelTimer({ clock, tickDurationMs: 10, ticksPerWheel: 4 });
    const given: unknown[] = [];
    const task = {
      run(timeout: Timeout): void {
        given.push(this, timeout, timeout.isExpired, timeout.isCancelled);
      },
    };
    const timeout = timer.newTimeout(task, 1_000);
    expect(timeout.timer).to.equal(timer);
    expect(timeout.task).to.equal(task);
    expect([timeout.isExpired, timeout.isCancelled, timer.pendingTimeouts]).to.deep.equal([false, false, 1]);
    clock.advance(1_000);
    expect(given).to.deep.equal([task, timeout, true, false]);
    expect([timeout.isExpired, timeout.isCancelled, timer.pendingTimeouts]).to.deep.equal([true, false, 0]);
    expect(timeout.cancel()).to.equal(false);
    expect(timeout.isCancelled).to.equal(false);
  });

  it('cancels a timeout once, and at once', () => {
    const clock = new ManualClock();
    const timer = new HashedWheelTimer({ clock });
    let runs = 0;
    const timeout = timer.newTimeout(() => runs++, 100);
    expect([timeout.cancel(), timeout.cancel()]).to.deep.equal([true, false]);
    expect([timeout.isExpired, timeout.isCancelled, timer.pendingTimeouts]).to.deep.equal([false, true, 0]);
    clock.advance(1_000);
    expect(runs).to.equal(0);
  });

  it('starts lazily, with the first timeout, and rests when none is pending', () => {
    const clock = new HostClock();
    const timer = new HashedWheelTimer({ clock });
    expect(clock.outstanding.size).to.equal(0);
    const timeout = timer.newTimeout(() => {}, 250);
    expect(clock.next?.atMs).to.equal(300);
    timeout.cancel();
    expect(clock.outstanding.size).to.equal(0);
  });

  it('stops for good: returns the unprocessed by deadline, cancelled, and refuses from then on', () => {
    const clock = new ManualClock();
    const timer = new HashedWheelTimer({ clock });
    const done = timer.newTimeout(() => {}, 100);
    clock.advance(100);
    const cancelled = timer.newTimeout(() => {}, 100);
    cancelled.cancel();
    const late = timer.newTimeout(() => {}, 90_000);
    const soon = timer.newTimeout(() => {}, 200);
    const added = new Task(200);
    timer.add(added);
    expect(timer.stop()).to.deep.equal([soon, late]);
    for (const timeout of [soon, late]) {
      expect([timeout.isCancelled, timeout.isExpired, timeout.cancel()]).to.deep.equal([true, false, false]);
    }
    expect(done.isExpired).to.equal(true);
    expect(added.isPending).to.equal(false);
    expect(timer.stop()).to.deep.equal([]);
    expect(timer.pendingTimeouts).to.equal(0);
    refuses(() => timer.newTimeout(() => {}, 1), 'ERR_PURGATORY_CLOSED');
  });

  it('refuses a timeout more than maxPendingTimeouts, which 0 or less does not limit', () => {
    const clock = new ManualClock();
    const timer = new HashedWheelTimer({ clock, maxPendingTimeouts: 2 });
    const first = timer.newTimeout(() => {}, 100);
    timer.newTimeout(() => {}, 100);
    refuses(() => timer.newTimeout(() => {}, 100), 'ERR_PURGATORY_FULL');
    expect(timer.pendingTimeouts).to.equal(2);
    first.cancel();
    timer.newTimeout(() => {}, 100);
    for (const maxPendingTimeouts of [0, -1, Number.POSITIVE_INFINITY, undefined]) {
      const unlimited = new HashedWheelTimer({ clock, maxPendingTimeouts });
      for (let index = 0; index < 10; index++) unlimited.newTimeout(() => {}, 100);
      expect(unlimited.pendingTimeouts).to.equal(10);
    }
  });

  it('refuses what cannot run, and a delay that is no finite number', () => {
    const timer = new HashedWheelTimer({ clock: new ManualClock() });
    for (const task of [undefined, null, 1, {}, { run: 1 }]) {
      refuses(() => timer.newTimeout(task as never, 1), 'ERR_INVALID_ARG_TYPE');
    }
    refuses(() => timer.newTimeout(() => {}, '1' as never), 'ERR_INVALID_ARG_TYPE');
    for (const delayMs of [Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
      refuses(() => timer.newTimeout(() => {}, delayMs), 'ERR_OUT_OF_RANGE');
    }
    expect(timer.pendingTimeouts).to.equal(0);
  });

  it('takes its options by Netty’s names or the library’s, not both', () => {
    const clock = new ManualClock();
    const make = (options: HashedWheelTimerOptions) => () => new HashedWheelTimer({ clock, ...options });
    const timer = make({ tickMs: 1, wheelSize: 5, maxPending: 1 })();
    timer.newTimeout(() => {}, 7);
    expect(timer.nextExpirationMs).to.equal(7);
    refuses(() => timer.newTimeout(() => {}, 7), 'ERR_PURGATORY_FULL');
    expect(make({ tickDurationMs: 1, tickMs: 1 })).to.throw(TypeError, /options.tickDurationMs.*tickMs/);
    refuses(make({ ticksPerWheel: 8, wheelSize: 8 }), 'ERR_INVALID_ARG_VALUE');
    refuses(make({ maxPendingTimeouts: 8, maxPending: 8 }), 'ERR_INVALID_ARG_VALUE');
    expect(make({ tickDurationMs: 0 })).to.throw(RangeError, /options.tickDurationMs.*Received 0/);
    expect(make({ ticksPerWheel: 65_537 })).to.throw(RangeError, /options.ticksPerWheel/);
    expect(make({ maxPendingTimeouts: 1.5 })).to.throw(RangeError, /options.maxPendingTimeouts/);
    refuses(make({ maxPending: 0 }), 'ERR_OUT_OF_RANGE');
  });
});
