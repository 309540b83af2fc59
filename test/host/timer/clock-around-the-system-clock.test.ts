import { setImmediate as hostImmediate } from 'node:timers';
import { expect } from 'chai';
import { type Clock, SystemTimer, systemClock, type WakeUp } from '../../../src/index.ts';
import { until } from '../../support/turns.ts';

/** The system clock, `offsetMs` ahead of it. */
class OffsetClock implements Clock {
  offsetMs: number;

  constructor(offsetMs: number) {
    this.offsetMs = offsetMs;
  }

  now(): number {
    return systemClock.now() + this.offsetMs;
  }

  wakeAt(atMs: number, wake: (dueMs?: number) => void): WakeUp {
    return systemClock.wakeAt(atMs - this.offsetMs, wake);
  }
}

describe('A clock around the system clock', () => {
  it('has its timers share the slice: twenty of them are no twenty slices (behaviour 9)', async () => {
    const clock = new OffsetClock(1_000);
    const timers = Array.from({ length: 20 }, () => new SystemTimer({ clock, sliceMs: 5 }));
    const ranInTurns = [0];
    let hasRun = 0;
    for (const timer of timers) {
      for (let i = 0; i < 10; i++) {
        timer.schedule(() => {
          ranInTurns[ranInTurns.length - 1]++;
          hasRun++;
          clock.offsetMs++; // it takes 1 ms, by this clock
        }, 1);
      }
    }
    const nextTurn = (): void => {
      ranInTurns.push(0);
      if (hasRun < 200) hostImmediate(nextTurn);
    };
    hostImmediate(nextTurn);
    await until(() => hasRun === 200);
    // From one immediate of the test to the next: the end of a slice, and the beginning of another.
    expect(Math.max(...ranInTurns)).to.be.at.most(10);
  });

  it('has the microtasks run between two batches (behaviour 9)', async () => {
    const timer = new SystemTimer({ clock: new OffsetClock(-1_000), sliceMs: Number.POSITIVE_INFINITY });
    const log: string[] = [];
    for (let i = 0; i < 100; i++) {
      timer.schedule(() => {
        log.push('task');
        void Promise.resolve().then(() => log.push('microtask'));
      }, 1);
    }
    await until(() => log.length === 200);
    expect(log.lastIndexOf('task')).to.be.above(log.indexOf('microtask'));
  });
});
