import { expect } from 'chai';
import fc from 'fast-check';
import { ManualClock, SystemTimer, type SystemTimerOptions, type TimerTask } from '../../src/index.ts';
import { runs } from '../property/runs.ts';
import { checkTimerInvariants } from '../support/checks/timer.ts';
import { HostClock } from '../support/host-clock.ts';
import { refuses } from '../support/refusals.ts';
import { microtasks } from '../support/turns.ts';

function setUp(options: SystemTimerOptions = {}, startMs = 0) {
  const clock = new ManualClock(startMs);
  const timer = new SystemTimer({ clock, wheelSize: 4, ...options });
  const at: number[] = [];
  return { clock, timer, at, log: () => void at.push(clock.now()) };
}

/** On a clock that may go back, and is looked at by `advanceTo` alone. */
function onHost(startMs = 0) {
  const clock = new HostClock(startMs);
  const timer = new SystemTimer({ clock, reaper: false });
  const at: number[] = [];
  const advanceTo = (ms: number): void => {
    clock.time = ms;
    timer.advanceClock();
  };
  return { clock, timer, at, advanceTo };
}

/**
 * The number of the last deadline that has come, from 0. Rounded as the series rounds: an epsilon
 * would count a deadline that is still ahead.
 */
function lastDeadline(periodMs: number, nowMs: number): number {
  let n = Math.ceil(nowMs / periodMs);
  while (periodMs + n * periodMs > nowMs) n--;
  return n;
}

describe('SystemTimer.scheduleAtFixedRate', () => {
  it('runs first after initialDelayMs, 0 included, which is never inside the call', () => {
    const { clock, timer, at, log } = setUp();
    timer.scheduleAtFixedRate(log, 10, { initialDelayMs: 0 });
    expect(at).to.deep.equal([]);
    clock.advance(0);
    expect(at).to.deep.equal([0]);
    clock.advance(25);
    expect(at).to.deep.equal([0, 10, 20]);
    timer.scheduleAtFixedRate(() => at.push(-1), 10, { initialDelayMs: 3 });
    clock.advance(14);
    expect(at).to.deep.equal([0, 10, 20, -1, 30, -1]);
  });

  it('runs a callback that takes longer than the period again at once, without a backlog', () => {
    const { clock, timer, at } = setUp({ reaper: false });
    timer.scheduleAtFixedRate(() => {
      at.push(clock.now());
      if (at.length === 1) clock.advance(25);
    }, 10);
    clock.advance(10);
    timer.advanceClock();
    timer.advanceClock();
    timer.advanceClock();
    expect(at).to.deep.equal([10, 35]);
    clock.advance(5);
    timer.advanceClock();
    expect(at).to.deep.equal([10, 35, 40]);
  });

  it('does not fall behind where a clock goes back while a promise is open', async () => {
    const { clock, timer, at, advanceTo } = onHost();
    timer.scheduleAtFixedRate(() => Promise.resolve(at.push(clock.time)), 10);
    timer.scheduleWithFixedDelay(() => Promise.resolve(at.push(clock.time)), 10);
    advanceTo(10);
    clock.time = -3_600_000;
    await microtasks();
    for (let ms = 11; ms <= 30; ms++) {
      advanceTo(ms);
      await microtasks();
    }
    expect(at).to.deep.equal([10, 10, 20, 20, 30, 30]);
  });

  it('runs once for a jump of the clock, also to the very time of a run', () => {
    for (const [toMs, then] of [
      [29, 30],
      [30, 40],
      [31, 40],
    ]) {
      const clock = new HostClock();
      const timer = new SystemTimer({ clock });
      const at: number[] = [];
      timer.scheduleAtFixedRate(() => at.push(clock.time), 10);
      for (clock.time = toMs; clock.time <= 40; clock.time++) while (clock.fire() > 0);
      expect(at).to.deep.equal([...new Set([toMs, then, 40])]);
    }
  });

  it('gives each deadline exactly one run, never early, whatever the period, the tick and the steps', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1, max: 50, noNaN: true }),
        fc.integer({ min: 1, max: 20 }),
        fc.array(fc.double({ min: 0, max: 200, noNaN: true }), { minLength: 1, maxLength: 30 }),
        (periodMs, tickMs, steps) => {
          const { clock, timer } = setUp({ reaper: false, tickMs });
          let made = 0;
          const served: number[] = [];
          timer.scheduleAtFixedRate(() => made++, periodMs, { missedRuns: 'makeUp' });
          timer.scheduleAtFixedRate(() => served.push(lastDeadline(periodMs, clock.now())), periodMs);
          for (const step of steps) {
            clock.advance(step);
            while (timer.advanceClock() > 0);
            expect(made * periodMs).to.be.at.most(clock.now() + 1e-9);
            expect(made * periodMs).to.be.greaterThan(clock.now() - periodMs - tickMs - 1e-9);
          }
          expect(served, 'a deadline each').to.deep.equal([...new Set(served)].sort((a, b) => a - b));
        },
      ),
      runs(500),
    );
  });
});

describe('SystemTimer.scheduleWithFixedDelay', () => {
  it('counts the delay from the end of a run', () => {
    const { clock, timer, at } = setUp({ reaper: false });
    timer.scheduleWithFixedDelay(() => {
      at.push(clock.now());
      clock.advance(4);
    }, 10);
    for (let ms = 0; ms < 60; ms++) {
      timer.advanceClock();
      clock.advance(1);
    }
    expect(at).to.deep.equal([10, 24, 38, 52, 66]);
  });

  it('runs first after initialDelayMs', () => {
    const { clock, timer, at, log } = setUp();
    timer.scheduleWithFixedDelay(log, 10, { initialDelayMs: 1 });
    clock.advance(25);
    expect(at).to.deep.equal([1, 11, 21]);
  });

  it('runs once a turn with a delay of 0', () => {
    const { timer, at, log } = setUp({ reaper: false });
    timer.scheduleWithFixedDelay(log, 0);
    expect([timer.advanceClock(), timer.advanceClock()]).to.deep.equal([1, 1]);
    expect(at).to.deep.equal([0, 0]);
  });
});

describe('A periodic task waits for the promise that its callback returns', () => {
  const KINDS = ['scheduleAtFixedRate', 'scheduleWithFixedDelay'] as const;

  /** A series whose runs last until they are ended, one way or the other. */
  function series(kind: (typeof KINDS)[number], timerOptions?: SystemTimerOptions, options?: object) {
    const bench = setUp(timerOptions);
    const ends: { resolve: () => void; reject: (error: unknown) => void }[] = [];
    const callback = (): Promise<void> => {
      bench.log();
      return new Promise((resolve, reject) => ends.push({ resolve, reject }));
    };
    const task = bench.timer[kind](callback, 10, options);
    const advance = async (ms: number): Promise<void> => {
      bench.clock.advance(ms);
      await microtasks();
    };
    const end = async (how: 'resolve' | 'reject' = 'resolve', error?: unknown): Promise<void> => {
      ends.shift()?.[how](error);
      await microtasks();
    };
    return { ...bench, task, advance, end };
  }

  it('so a fixed rate leaves out the runs that were due meanwhile', async () => {
    const { at, advance, end } = series('scheduleAtFixedRate');
    await advance(35);
    expect(at).to.deep.equal([10]);
    await end();
    expect(at).to.deep.equal([10]);
    await advance(5);
    await end();
    await advance(10);
    expect(at).to.deep.equal([10, 40, 50]);
  });

  it('so a fixed rate that makes runs up has them one after the other', async () => {
    const { at, advance, end } = series('scheduleAtFixedRate', {}, { missedRuns: 'makeUp' });
    await advance(35);
    for (let i = 0; i < 4; i++) {
      await end();
      await advance(1);
    }
    expect(at).to.deep.equal([10, 35, 36]); // for 20 and 30
    await advance(1);
    expect(at).to.deep.equal([10, 35, 36, 40]);
  });

  it('so a fixed delay counts from the moment at which it settles', async () => {
    const { at, advance, end } = series('scheduleWithFixedDelay');
    await advance(13);
    await advance(14);
    await end();
    await advance(9);
    expect(at).to.deep.equal([10]);
    await advance(1);
    expect(at).to.deep.equal([10, 37]);
  });

  for (const kind of KINDS) {
    describe(kind, () => {
      it('begins no run before the last has ended, however long that takes', async () => {
        const { at, timer, task, advance, end } = series(kind);
        for (let day = 0; day < 4; day++) await advance(86_400_000);
        expect([at, task.isPending, timer.size]).to.deep.equal([[10], true, 1]);
        await end();
        await advance(10);
        expect(at).to.have.length(2);
        checkTimerInvariants(timer);
      });

      it('goes on after a rejection, which goes to onError, with the task', async () => {
        const errors: unknown[] = [];
        const onError = (error: unknown, task: TimerTask): void => void errors.push([error, task]);
        const { at, task, timer, advance, end } = series(kind, { onError });
        await advance(10);
        await end('reject', 'no');
        await advance(10);
        expect(errors).to.deep.equal([['no', task]]);
        expect(at).to.deep.equal([10, 20]);
        expect(timer.snapshot().totals.failed).to.equal(1);
      });

      it('ends by cancel() while a run is under way, whose rejection is reported all the same', async () => {
        const errors: unknown[] = [];
        const { at, task, timer, advance, end } = series(kind, { onError: (error) => errors.push(error) });
        await advance(10);
        expect([task.cancel(), task.isPending, timer.size]).to.deep.equal([true, false, 0]);
        await end('reject', 'late');
        await advance(100);
        expect([at, errors, timer.size]).to.deep.equal([[10], ['late'], 0]);
      });

      it('keeps its place while a run is under way, and is among what close() returns', async () => {
        const { task, timer, advance, end } = series(kind, { maxPending: 1 });
        await advance(10);
        refuses(() => timer.schedule(() => {}, 1), 'ERR_PURGATORY_FULL');
        expect(timer.close()).to.deep.equal([task]);
        await end();
        expect([task.isPending, timer.size]).to.deep.equal([false, 0]);
      });

      it('takes any thenable, and the throw of its getter as that of a run', async () => {
        const errors: unknown[] = [];
        const { clock, timer, log, at } = setUp({ onError: (error) => errors.push(error) });
        const thenable = (property: PropertyDescriptor): object =>
          Object.defineProperty({}, 'then', property);
        const getter = (): never => {
          throw new Error('no then');
        };
        const rejects = (_: unknown, reject: (error: unknown) => void): void => reject('rejected');
        const odd = [thenable({ get: getter }), thenable({ value: rejects }), thenable({ value: 1 })];
        timer[kind](() => {
          log();
          return odd.shift();
        }, 10);
        for (let i = 0; i < 4; i++) {
          clock.advance(10);
          await microtasks();
        }
        expect(at).to.deep.equal([10, 20, 30, 40]);
        expect(errors.map(String)).to.deep.equal(['Error: no then', 'rejected']);
      });
    });
  }
});

for (const method of ['scheduleAtFixedRate', 'scheduleWithFixedDelay'] as const) {
  describe(`A series of ${method}`, () => {
    it('is one pending task, its own run included, until cancel() ends it', () => {
      const { clock, timer, at, log } = setUp();
      const task = timer[method](() => {
        log();
        expect(task.isPending).to.equal(true);
        expect(timer.size).to.equal(1);
      }, 10);
      clock.advance(20);
      expect(task.cancel()).to.equal(true);
      expect(task.cancel()).to.equal(false);
      expect([task.isPending, timer.size]).to.deep.equal([false, 0]);
      clock.advance(100);
      expect(at).to.deep.equal([10, 20]);
      checkTimerInvariants(timer);
    });

    it('refuses bad arguments before anything has changed', () => {
      const { timer, log } = setUp();
      const refused = (code: string, ...args: unknown[]): void =>
        refuses(() => (timer[method] as (...args: unknown[]) => unknown)(...args), code);
      for (const args of [['log', 10], [log], [log, '10'], [log, 10, null]]) {
        refused('ERR_INVALID_ARG_TYPE', ...args);
      }
      for (const bad of [NaN, -1, Infinity]) {
        refused('ERR_OUT_OF_RANGE', log, bad);
        refused('ERR_OUT_OF_RANGE', log, 10, { initialDelayMs: bad });
      }
      if (method === 'scheduleAtFixedRate') {
        refused('ERR_OUT_OF_RANGE', log, 0);
        refused('ERR_INVALID_ARG_VALUE', log, 10, { missedRuns: 'skip' });
      }
      expect(timer.size).to.equal(0);
    });
  });
}
