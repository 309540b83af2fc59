// What each of the eight timers does: by example, and in random histories beside a sorted list.
import { expect } from 'chai';
import fc from 'fast-check';
import type { SystemTimerOptions } from '../../../src/timer/system-timer-options.ts';
import { longRuns, runs } from '../../property/runs.ts';
import { timerHistory } from '../../property/timer-arbitraries.ts';
import { type Player, TimerHistory } from '../../property/timer-history.ts';
import { checkTimerInvariants } from '../../support/checks/timer.ts';
import { HostClock } from '../../support/host-clock.ts';
import { refuses } from '../../support/refusals.ts';
import { type Bench, benchOf, Task } from '../../support/task.ts';
import { type AnyTimer, type Contender, contenders } from './timers.ts';

const DAY = 86_400_000;
/** The most buckets that the invariants are checked over after every step. */
const MOST_BUCKETS = 64;

/** The timer on a manual clock, and a log of what ran when. */
function rig({ make }: Contender, options: SystemTimerOptions = {}, startMs = 0): Bench<AnyTimer> {
  return benchOf(make, options, startMs);
}

for (const contender of contenders) {
  describe(`${contender.name}: deadlines`, () => {
    it('behaviour 1: runs every delay on the first edge at or after its deadline, whatever the tick and the start', () => {
      for (const tickMs of [1, 7, 64]) {
        for (const startMs of [0, 0.5, 1_234.75, -1e9, 1e12]) {
          const { clock, timer } = rig(contender, { tickMs }, startMs);
          const seen: number[] = [];
          const delays = [0.25, 1, 2.5, 7, 19, 63, 64, 65, 999.5, 4_097, 70_000];
          for (const delayMs of delays) timer.schedule(() => seen.push(clock.now()), delayMs);
          clock.advance(71_000);
          expect(seen).to.eql(delays.map((delayMs) => Math.ceil((startMs + delayMs) / tickMs) * tickMs));
        }
      }
    });

    it('behaviour 3: runs nothing inside add: a delay of 0 or less is due in the tick that now lies in, in the next pass', () => {
      const { clock, timer } = rig(contender, { tickMs: 20, reaper: false });
      clock.advance(33);
      const tasks = [0, -0, -5, -1e9].map((delayMs) => new Task(delayMs));
      for (const task of tasks) timer.add(task);
      expect(timer.size).to.equal(4);
      expect(timer.nextExpirationMs).to.equal(20);
      expect(timer.advanceClock()).to.equal(4);
      expect(tasks.map((task) => task.runs)).to.deep.equal([1, 1, 1, 1]);
    });

    it('behaviour 8: runs all that fell due while the machine slept on the first wake, in order', () => {
      const clock = new HostClock();
      const timer = contender.make({ clock, sliceMs: Number.POSITIVE_INFINITY });
      const log: number[] = [];
      for (const delayMs of [70_000, 30, 31, 9_000, 9_000.5])
        timer.schedule(() => log.push(delayMs), delayMs);
      clock.time = 20 * DAY;
      timer.schedule(() => log.push(-1), 100);
      clock.fire();
      expect(log).to.deep.equal([30, 31, 9_000, 9_000.5, 70_000]);
      expect(timer.size).to.equal(1);
      expect(timer.nextExpirationMs).to.be.at.most(20 * DAY + 100);
      expect(timer.nextExpirationMs).to.be.above(20 * DAY);
    });

    if (contender.isUnbounded) {
      it('behaviour 7: takes delays up to Number.MAX_SAFE_INTEGER, and wakes the host for them only a few times', () => {
        for (const tickMs of [1, 7, 1000]) {
          const { clock, timer } = rig(contender, { tickMs });
          const delays = [
            2 ** 31 - 1,
            2 ** 31 + 2_000,
            2 ** 32 + 1,
            400 * DAY,
            2 ** 52,
            Number.MAX_SAFE_INTEGER,
          ];
          const seen: number[] = [];
          for (const delayMs of delays) timer.schedule(() => seen.push(clock.now()), delayMs);
          for (const delayMs of delays) {
            const edgeMs = Math.ceil(delayMs / tickMs) * tickMs;
            const before = seen.length;
            clock.advance(edgeMs - 2 - clock.now());
            expect(seen.length).to.equal(before);
            clock.advance(2);
            expect(seen.at(-1)).to.equal(edgeMs);
          }
          expect(timer.size).to.equal(0);
        }
      });

      it('keeps what is due after 2^53 ms, where a double skips integers, for the end of time', () => {
        for (const startMs of [999, 1e6]) {
          const { clock, timer, log, add } = rig(contender, { wheelSize: 3, reaper: false }, startMs);
          const delays = [Number.MAX_SAFE_INTEGER, 2 ** 53 - startMs, 2 ** 53 - 2 - startMs, 2 ** 52];
          for (const delayMs of delays) add(String(delayMs), delayMs);
          checkTimerInvariants(timer);
          clock.advance(2 ** 53 - 2 - clock.now());
          expect(timer.advanceClock()).to.equal(2);
          checkTimerInvariants(timer);
          expect(log).to.deep.equal([2 ** 52, 2 ** 53 - 2 - startMs].map((ms) => `${ms}@${2 ** 53 - 2}`));
          expect(timer.close()).to.have.length(2);
        }
      });
    } else {
      it('cannot promise delays without bound: it refuses them and is left as it was', () => {
        const { timer } = rig(contender, { tickMs: 10, wheelSize: 8 });
        for (const delayMs of [70.5, 71, 2 ** 40, Number.MAX_SAFE_INTEGER]) {
          refuses(() => timer.schedule(() => {}, delayMs), 'ERR_OUT_OF_RANGE', String(delayMs));
        }
        expect(timer.size).to.equal(0);
        expect(timer.schedule(() => {}, 70).isPending).to.equal(true);
      });
    }
  });

  describe(`${contender.name}: tasks`, () => {
    it('behaviour 5: hands what a task throws to onError, counts it, and runs the others', () => {
      const seen: unknown[] = [];
      const { clock, timer, add, log } = rig(contender, {
        reaper: false,
        onError: (error, task) => seen.push([(error as Error).message, (task as Task).label]),
      });
      const fail = (): never => {
        throw new Error('sore');
      };
      add('a', 1, fail);
      add('b', 1);
      clock.advance(1);
      expect(timer.advanceClock()).to.equal(2);
      expect(log).to.deep.equal(['a@1', 'b@1']);
      expect(seen).to.deep.equal([['sore', 'a']]);
    });

    it('gives memory back after a burst, and keeps what is left', () => {
      const { clock, timer, add, log } = rig(contender);
      const tasks = Array.from({ length: 5_000 }, (_, index) => add(`${index}`, 1 + (index % 500)));
      for (const task of tasks.slice(10)) task.cancel();
      checkTimerInvariants(timer);
      for (let index = 0; index < 4; index++) add(`new ${index}`, 600);
      clock.advance(1_000);
      expect(log).to.have.length(14);
      expect(log.slice(0, 2)).to.deep.equal(['0@1', '1@2']);
      checkTimerInvariants(timer);
    });
  });

  describe(`${contender.name}: reaper and close`, () => {
    it('holds one wake-up while something is pending, and none else', () => {
      const clock = new HostClock();
      const timer = contender.make({ clock });
      expect(clock.outstanding.size).to.equal(0);
      const far = timer.schedule(() => {}, 50);
      const near = timer.schedule(() => {}, 20);
      expect([clock.outstanding.size, clock.next?.atMs]).to.deep.equal([1, 20]);
      near.cancel();
      clock.time = 20;
      clock.fire();
      expect(clock.outstanding.size).to.equal(1);
      expect(clock.next?.atMs).to.be.at.most(50);
      far.cancel();
      expect(clock.outstanding.size).to.equal(0);
    });

    it('sleeps over the ticks in which nothing is due', () => {
      const clock = new HostClock();
      const timer = contender.make({ clock });
      let runs = 0;
      for (const delayMs of [700, 70_000]) timer.schedule(() => runs++, delayMs);
      while (timer.size > 0) {
        clock.time = clock.next!.atMs;
        clock.fire();
      }
      expect(runs).to.equal(2);
      expect(clock.wakes).to.be.at.most(8);
    });

    it('behaviour 11: closes for good and once: returns what never ran by deadline, then refuses', () => {
      const { clock, timer, add, runTo, log } = rig(contender, { reaper: false });
      runTo(3);
      const tasks = [70_000, 5, 0, 900, 5].map((delayMs, index) => add(`${index}`, delayMs));
      expect(timer.close()).to.deep.equal([tasks[2], tasks[1], tasks[4], tasks[3], tasks[0]]);
      expect(timer.close()).to.deep.equal([]);
      expect(timer.size).to.equal(0);
      expect(timer.nextExpirationMs).to.equal(undefined);
      expect(tasks.some((task) => task.isPending)).to.equal(false);
      refuses(() => timer.add(new Task(1)), 'ERR_PURGATORY_CLOSED');
      clock.advance(100_000);
      expect(timer.advanceClock()).to.equal(0);
      expect(log).to.deep.equal([]);
      checkTimerInvariants(timer);
      const other = rig(contender);
      other.timer.add(tasks[1]);
      other.clock.advance(5);
      expect(tasks[1].runs).to.equal(1);
    });
  });
}

describe('behaviour 2, behaviour 4 and behaviour 6: every timer behaves as a sorted list', function () {
  this.timeout(0);

  for (const { name, make } of contenders) {
    const player: Player = {
      make: (options) => make({ ...options, wheelSize: Math.min(options.wheelSize!, MOST_BUCKETS) }),
      check: (timer) => checkTimerInvariants(timer as AnyTimer),
    };

    it(`${name}, in short histories of every kind`, () => {
      fc.assert(
        fc.property(timerHistory(1, 60, 12), (history) => new TimerHistory(history, player).play()),
        runs(200),
      );
    });

    it(`${name}, in long histories`, () => {
      fc.assert(
        fc.property(timerHistory(400, 800, 64), (history) => new TimerHistory(history, player).play()),
        longRuns(5),
      );
    });
  }
});
