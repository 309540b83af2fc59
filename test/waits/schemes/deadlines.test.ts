import { expect } from 'chai';
import { checkTimerInvariants } from '../../../src/timer/timer.ts';
import { HostClock } from '../../support/host-clock.ts';
import { Task } from '../../support/task.ts';
import { rig } from './rig.ts';
import { contenders } from './timers.ts';

const DAY = 86_400_000;

for (const contender of contenders) {
  describe(`${contender.name}: deadlines`, () => {
    it('rounds a deadline up to the next edge of a tick, and runs one on an edge on that edge', () => {
      for (const reaper of [true, false]) {
        const { runTo, add, log } = rig(contender, { tickMs: 20, reaper });
        runTo(19);
        add('late', 15);
        add('edge', 41);
        runTo(39.9);
        expect(log).to.deep.equal([]);
        runTo(40);
        runTo(59.9);
        runTo(60);
        expect(log).to.deep.equal(['late@40', 'edge@60']);
      }
    });

    it('runs every delay on the first edge at or after its deadline, whatever the tick and the start', () => {
      for (const tickMs of [1, 7, 64]) {
        for (const startMs of [0, 0.5, 1_234.75, -1e9, 1e12]) {
          const { clock, timer } = rig(contender, { tickMs }, startMs);
          const seen: number[] = [];
          const delays = [0.25, 1, 2.5, 7, 19, 63, 64, 65, 999.5, 4_097, 70_000];
          for (const delayMs of delays) timer.schedule(() => seen.push(clock.now()), delayMs);
          clock.advance(71_000);
          expect(seen).to.deep.equal(
            delays.map((delayMs) => Math.ceil((startMs + delayMs) / tickMs) * tickMs),
          );
        }
      }
    });

    it('orders by tick, and inside a tick by add, whenever they were added', () => {
      const { runTo, add, log } = rig(contender, { tickMs: 10 });
      add('a', 995);
      add('later', 1_001);
      runTo(500);
      add('b', 500);
      add('soon', 5);
      runTo(985);
      add('c', 15);
      runTo(1_010);
      expect(log).to.deep.equal(['soon@510', 'a@1000', 'b@1000', 'c@1000', 'later@1010']);
    });

    it('runs nothing inside add: a delay of 0 or less is due in the tick that now lies in, in the next pass', () => {
      const { clock, timer } = rig(contender, { tickMs: 20, reaper: false });
      clock.advance(33);
      const tasks = [0, -0, -5, -1e9].map((delayMs) => new Task(delayMs));
      for (const task of tasks) timer.add(task);
      expect(timer.size).to.equal(4);
      expect(timer.nextExpirationMs).to.equal(20);
      expect(timer.advanceClock()).to.equal(4);
      expect(tasks.map((task) => task.runs)).to.deep.equal([1, 1, 1, 1]);
    });

    it('leaves what a task adds without delay to the next pass', () => {
      const { clock, add, log } = rig(contender);
      add('outer', 1, () => add('inner', 0));
      clock.advance(1);
      expect(log).to.deep.equal(['outer@1']);
      clock.advance(0);
      expect(log).to.deep.equal(['outer@1', 'inner@1']);
    });

    it('moves a pending task that is added again to now + delayMs, behind the others of that tick', () => {
      const { clock, timer, add, runTo, log } = rig(contender);
      const moved = add('moved', 10);
      runTo(4);
      add('other', 10);
      timer.add(moved);
      expect(timer.size).to.equal(2);
      checkTimerInvariants(timer);
      clock.advance(100);
      expect(log).to.deep.equal(['other@14', 'moved@14']);
    });

    it('counts a reading below an earlier one as the earlier one', () => {
      const clock = new HostClock(1_000);
      const timer = contender.make({ clock, reaper: false });
      clock.time = 200;
      let runs = 0;
      timer.schedule(() => runs++, 10);
      clock.time = 1_009;
      timer.advanceClock();
      expect(runs).to.equal(0);
      clock.time = 1_010;
      timer.advanceClock();
      expect(runs).to.equal(1);
    });

    it('runs all that fell due while the machine slept on the first wake, in order', () => {
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
      it('takes delays up to Number.MAX_SAFE_INTEGER, and wakes the host for them only a few times', () => {
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

      it('runs in order what is due after 2^53 ms, where a double skips integers', () => {
        for (const startMs of [999, 1e6]) {
          const { clock, timer, log, add } = rig(contender, { wheelSize: 3, reaper: false }, startMs);
          const delays = [Number.MAX_SAFE_INTEGER, 2 ** 53 - startMs, 2 ** 53 - 2 - startMs, 2 ** 52];
          for (const delayMs of delays) add(String(delayMs), delayMs);
          checkTimerInvariants(timer);
          for (const delayMs of delays.toReversed()) {
            clock.advance(startMs + delayMs - clock.now());
            expect(timer.advanceClock()).to.equal(1);
            checkTimerInvariants(timer);
            expect(log.at(-1)).to.equal(`${delayMs}@${startMs + delayMs}`);
          }
        }
      });
    } else {
      it('cannot promise delays without bound: it refuses them and is left as it was', () => {
        const { timer } = rig(contender, { tickMs: 10, wheelSize: 8 });
        for (const delayMs of [70.5, 71, 2 ** 40, Number.MAX_SAFE_INTEGER]) {
          expect(() => timer.schedule(() => {}, delayMs))
            .to.throw(RangeError, String(delayMs))
            .with.property('code', 'ERR_OUT_OF_RANGE');
        }
        expect(timer.size).to.equal(0);
        expect(timer.schedule(() => {}, 70).isPending).to.equal(true);
      });
    }
  });
}
