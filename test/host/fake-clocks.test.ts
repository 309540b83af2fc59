import { expect } from 'chai';
import { Purgatory, SystemTimer, systemClock } from '../../src/index.ts';
import { IdleTimeouts } from '../../src/waits/idle/index.ts';
import { Replies } from '../../src/waits/replies/index.ts';
import { timeoutSignal } from '../../src/waits/timers/index.ts';
import { ok, runChild, summary } from '../support/child.ts';
import { pause, turn, until } from '../support/turns.ts';
import { FAKE_CLOCKS, type FakeClock } from './fake-clocks.ts';

/** Whatever is faked. (Deno's hrtime goes by a performance.now that is.) */
const hostNow = performance.now.bind(performance);

/** More than a tick of a SystemTimer by default. */
const EDGE_MS = 20;

/** Starts a wait of 30 s, and tells its end. */
type Start = (end: () => void) => unknown;

/** All that waits by a timer of its own. */
function waitsOfAllKinds(): Record<string, Start> {
  const timeoutMs = 30_000;
  const polls = new Purgatory('polls');
  const replies = new Replies<object, void>('replies');
  const timer = new SystemTimer();
  return {
    'a SystemTimer': (end) => timer.schedule(end, timeoutMs),
    waitFor: (end) => polls.waitFor(['key'], () => undefined, { timeoutMs }).then(end),
    Replies: (end) => replies.expect({}, { timeoutMs }).catch(end),
    IdleTimeouts: (end) => new IdleTimeouts<object>('idle', { timeoutMs, onIdle: end }).touch({}),
    timeoutSignal: (end) => timeoutSignal(timeoutMs).addEventListener('abort', end),
  };
}

describe('behaviour 12: fake clocks installed after the import just work', () => {
  for (const [name, install] of Object.entries(FAKE_CLOCKS)) {
    describe(name, () => {
      let fake: FakeClock | undefined;
      const timers: SystemTimer[] = [];

      function newTimer(options?: ConstructorParameters<typeof SystemTimer>[0]): SystemTimer {
        const timer = new SystemTimer(options);
        timers.push(timer);
        return timer;
      }

      function use(): FakeClock {
        fake = install();
        return fake;
      }

      function restore(): void {
        fake?.restore();
        fake = undefined;
      }

      afterEach(() => {
        restore();
        for (const timer of timers.splice(0)) timer.close();
      });

      it('runs many in order in one tick, each at its own time', () => {
        const { tick } = use();
        const timer = newTimer({ tickMs: 1, wheelSize: 4 });
        const startMs = systemClock.now();
        const log: number[] = [];
        for (const delayMs of [60_000, 5, 1_000, 1, 90, 5]) {
          timer.schedule(() => {
            expect(systemClock.now() - startMs).to.be.within(delayMs, delayMs + 1);
            log.push(delayMs);
          }, delayMs);
        }
        tick(60_001);
        expect(log).to.deep.equal([1, 5, 5, 90, 1_000, 60_000]);
      });

      it('ends each new wait at its own deadline, though the fake forgets its timers', async () => {
        const { tick, reset } = use();
        for (const [name, start] of Object.entries(waitsOfAllKinds())) {
          start(() => {});
          reset();
          tick(1_000);
          let isPending = true;
          start(() => {
            isPending = false;
          });
          tick(29_999 - EDGE_MS);
          await turn();
          expect(isPending, `${name}: at 29.99 s`).to.equal(true);
          tick(EDGE_MS + 50);
          await until(() => !isPending, `the new wait of ${name} has ended`);
        }
      });

      for (const [jump, jumpMs] of [
        ['ahead', 3_600_000],
        ['back', -3_600_000],
      ] as const) {
        it(`goes by what was ticked when the system time is set ${jump}`, () => {
          const { tick, setSystemTime } = use();
          const timer = newTimer({ tickMs: 1 });
          const ended: [string, number][] = [];
          let tickedS = 0;
          timer.schedule(() => ended.push(['old', tickedS]), 30_000);
          tick(1_000);
          setSystemTime(Date.now() + jumpMs);
          timer.schedule(() => ended.push(['new', tickedS]), 10_000);
          for (tickedS = 1; ended.length < 2 && tickedS < 100; ) {
            tickedS++;
            tick(1_000);
          }
          expect(ended).to.deep.equal([
            ['new', 11],
            ['old', 30],
          ]);
        });
      }

      it('stops time for what was pending before, and runs it once the fake is ticked', async () => {
        let runs = 0;
        for (;;) {
          const beganMs = hostNow();
          newTimer({ tickMs: 1 }).schedule(() => runs++, 10);
          fake = install();
          if (hostNow() - beganMs < 9) break;
          // A busy machine took so long that the task was due before there was a fake.
          restore();
          for (const timer of timers.splice(0)) timer.close();
        }
        await pause(20); // on the host, longer than its time
        expect(runs).to.equal(0);
        fake.tick(11);
        expect(runs).to.equal(1);
      });

      it('is over when it is restored: the same timer runs by the real clock again', async () => {
        const timer = newTimer({ tickMs: 1 });
        const log: string[] = [];
        timer.schedule(() => log.push('before'), 2);
        const { tick } = use();
        timer.schedule(() => log.push('during'), 5);
        tick(10);
        expect(log).to.deep.equal(['before', 'during']);
        timer.schedule(() => log.push('left over'), 3);
        restore();
        timer.schedule(() => log.push('after'), 8);
        await until(() => log.length === 4);
        expect(log.slice(2)).to.deep.equal(['left over', 'after']);
      });

      it('never makes time go back, nor a task early, through installs and restores', async () => {
        const timer = newTimer({ tickMs: 1 });
        let last = systemClock.now();
        const look = (): void => {
          const now = systemClock.now();
          expect(now).to.be.at.least(last);
          last = now;
        };
        let pending = 0;
        for (let i = 0; i < 3; i++) {
          look();
          const { tick } = use();
          look();
          const dueMs = systemClock.now() + 6;
          pending++;
          timer.schedule(() => {
            pending--;
            expect(systemClock.now()).to.be.at.least(dueMs);
          }, 6);
          tick(3);
          look();
          restore();
          look();
          timer.schedule(() => {}, 1);
          await pause(2); // the host's time passes, too
        }
        await until(() => pending === 0);
        look();
      });
    });
  }

  it('also when it was there before the import (behaviour 26)', async () => {
    expect(summary(await runChild('fake-first'))).to.deep.equal(ok('all well'));
  });
});
