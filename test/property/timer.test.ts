import { expect } from 'chai';
import fc from 'fast-check';
import { SystemTimer } from '../../src/index.ts';
import { checkTimerInvariants } from '../support/checks/timer.ts';
import { HostClock } from '../support/host-clock.ts';
import { turn } from '../support/turns.ts';
import { longRuns, runs } from './runs.ts';
import { timerHistory } from './timer-arbitraries.ts';
import { TimerHistory } from './timer-history.ts';

// Histories of other kinds: test/waits/schemes/conformance.test.ts.
describe('Property: a SystemTimer behaves as a sorted list', function () {
  this.timeout(0);

  it('in histories of bursts, which make it grow and shrink', () => {
    fc.assert(
      fc.property(timerHistory(5, 30, 40, 25), (history) => new TimerHistory(history).play()),
      longRuns(40),
    );
  });
});

describe('Property: slices of a burst', function () {
  this.timeout(0);

  const task = fc.record({ delayMs: fc.nat({ max: 60 }), costMs: fc.nat({ max: 9 }) });

  it('run every task once, none early, and older ones of a lower tick first', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(task, { maxLength: 12 }), { minLength: 1, maxLength: 8 }),
        fc.constantFrom(1, 2, 5, 20),
        fc.constantFrom(1, 3, 10),
        fc.constantFrom(2, 4, 64),
        async (waves, sliceMs, tickMs, wheelSize) => {
          const clock = new HostClock();
          const timer = new SystemTimer({ clock, sliceMs, tickMs, wheelSize });
          const ran: { tick: number; sequence: number; addedAfter: number; early: boolean }[] = [];
          let sequence = 0;
          for (const wave of waves) {
            for (const { delayMs, costMs } of wave) {
              const dueMs = clock.time + delayMs;
              const tick = delayMs > 0 ? Math.ceil(dueMs / tickMs) : Math.floor(dueMs / tickMs);
              const item = { tick, sequence: sequence++, addedAfter: ran.length };
              timer.schedule(() => {
                ran.push({ ...item, early: clock.time < dueMs });
                clock.time += costMs;
              }, delayMs);
            }
            await turn();
            clock.time += 30;
            clock.fire();
            checkTimerInvariants(timer);
          }
          while (timer.size > 0) {
            await turn();
            clock.time = Math.max(clock.time, clock.next?.atMs ?? Number.NaN);
            expect(clock.fire()).to.equal(1);
            checkTimerInvariants(timer);
          }
          expect(new Set(ran.map((item) => item.sequence)).size).to.equal(sequence);
          expect(ran).to.have.length(sequence);
          expect(ran.some((item) => item.early)).to.equal(false);
          // Of two tasks that were pending together, the one of the lower tick ran first, or the
          // older one of the same tick.
          for (const [index, later] of ran.entries()) {
            for (const earlier of ran.slice(later.addedAfter, index)) {
              const inOrder =
                earlier.tick < later.tick ||
                (earlier.tick === later.tick && earlier.sequence < later.sequence);
              expect(inOrder, `${earlier.sequence} ran before ${later.sequence}`).to.equal(true);
            }
          }
        },
      ),
      runs(100),
    );
  });
});
