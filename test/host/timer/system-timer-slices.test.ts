import { setImmediate as hostImmediate } from 'node:timers';
import { expect } from 'chai';
import { type Clock, SystemTimer, systemClock, type TimerTask, type WakeUp } from '../../../src/index.ts';
import { listen } from '../../../src/observe/events/index.ts';
import { checkTimerInvariants } from '../../support/checks/timer.ts';
import { block, microtasks, turn, until } from '../../support/turns.ts';

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

describe('behaviour 9: a burst does not freeze the process', () => {
  it('runs nothing more of a timer that is closed while its pass waits for its turn', async () => {
    const timer = new SystemTimer({ sliceMs: 1 });
    let ran = 0;
    let closed: TimerTask[] = [];
    const closeAfterMicrotasks = async (): Promise<void> => {
      await microtasks();
      closed = timer.close();
    };
    const spin = (): void => {
      if (++ran === 1) void closeAfterMicrotasks();
      block(2);
    };
    for (let i = 0; i < 3; i++) timer.schedule(spin, 1);
    await until(() => closed.length > 0);
    for (let i = 0; i < 3; i++) await turn();
    expect([ran, closed.length]).to.deep.equal([1, 2]);
    checkTimerInvariants(timer);
  });

  it('keeps what is added while a pass waits for its turn for the pass after it', async () => {
    const [spinning, waiting] = [new SystemTimer(), new SystemTimer()];
    const ranIn: number[] = [];
    let turns = 0;
    const count = (): void => {
      turns++;
      if (ranIn.length < 2) setImmediate(count);
    };
    const spin = (ms: number): void => {
      block(ms);
    };
    spinning.schedule(() => {
      spin(6); // the slice is spent
      setImmediate(() => waiting.schedule(() => ranIn.push(turns), 0));
    }, 1);
    waiting.schedule(() => ranIn.push(turns), 1);
    setImmediate(count);
    spin(5); // both wake in the same turn
    await until(() => ranIn.length === 2);
    expect(ranIn[1]).to.be.above(ranIn[0]);
  });

  it('tells how many tasks ran in the slice, and not in passes before', async () => {
    const timer = new SystemTimer({ sliceMs: 1 });
    for (let i = 0; i < 10; i++) {
      timer.schedule(() => {}, 0);
      await until(() => timer.size === 0);
    }
    const ran: number[] = [];
    const stop = listen('purgatory:reaper:sliced', (event) => {
      if (event.timer === timer) ran.push(event.ran);
    });
    for (let i = 0; i < 3; i++) {
      timer.schedule(() => {
        block(2);
      }, 1);
    }
    const dueMs = performance.now() + 3;
    while (performance.now() < dueMs); // all are due, however long their starts took
    await until(() => timer.size === 0);
    stop();
    expect(ran.length).to.be.within(2, 3); // the end of a pass may be found in a turn of its own
    expect(Math.max(...ran)).to.equal(1);
  });

  it('has the timers of a clock around the system clock share the slice: twenty are no twenty slices', async () => {
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

  for (const [name, clock] of [
    ['the system clock', systemClock],
    ['a clock around it', new OffsetClock(-1_000)],
  ] as const) {
    it(`runs the microtasks after a batch of at most 64 tasks on ${name}`, async () => {
      const timer = new SystemTimer({ clock, tickMs: 1, sliceMs: Number.POSITIVE_INFINITY });
      const log: number[] = [];
      let ahead = 0;
      let furthest = 0;
      const goOn = async (i: number): Promise<void> => {
        await undefined;
        log.push(i);
        ahead--;
      };
      for (let i = 0; i < 1_000; i++) {
        timer.schedule(() => {
          furthest = Math.max(furthest, ++ahead);
          void goOn(i);
        }, 1);
      }
      await until(() => log.length === 1_000);
      expect(log).to.deep.equal(Array.from({ length: 1_000 }, (_, i) => i));
      expect(furthest).to.be.at.most(64);
      timer.close();
    });
  }

  it('counts what runs in microtasks after its tasks on the system clock', async () => {
    const timer = new SystemTimer({ tickMs: 1, sliceMs: 2 });
    let turns = 0;
    const spin = (): void => {
      turns++;
      if (seenTurns.length < 100) setImmediate(spin);
    };
    const seenTurns: number[] = [];
    const answer = async (): Promise<void> => {
      await undefined;
      seenTurns.push(turns);
      block(1);
    };
    for (let i = 0; i < 100; i++) timer.schedule(() => void answer(), 1);
    setImmediate(spin);
    await until(() => seenTurns.length === 100);
    expect(new Set(seenTurns).size).to.be.at.least(10);
    timer.close();
  });

  it('lets a continuation between two batches cancel, add, and run the rest', async () => {
    const timer = new SystemTimer({ tickMs: 1, sliceMs: Number.POSITIVE_INFINITY });
    const log: number[] = [];
    let later: TimerTask | undefined;
    let ranBefore = 0;
    let ranInCall = 0;
    const tasks = Array.from({ length: 100 }, (_, i) =>
      timer.schedule(() => {
        log.push(i);
        if (i > 0) return;
        void Promise.resolve().then(() => {
          ranBefore = log.length;
          checkTimerInvariants(timer);
          tasks[99].cancel();
          later = timer.schedule(() => log.push(100), 1);
          checkTimerInvariants(timer);
          ranInCall = timer.advanceClock();
          checkTimerInvariants(timer);
        });
      }, 1),
    );
    block(5); // all are due, however long their starts took
    await until(() => later?.isPending === false);
    expect(log).to.deep.equal([...Array(99).keys(), 100]);
    expect(ranBefore).to.be.within(1, 64);
    expect(ranInCall - (99 - ranBefore)).to.be.within(0, 1); // the last may be due by then
    expect(timer.size).to.equal(0);
    checkTimerInvariants(timer);
    timer.close();
  });
});
