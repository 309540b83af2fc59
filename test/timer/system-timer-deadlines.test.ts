import { expect } from 'chai';
import { SystemTimer, systemClock } from '../../src/index.ts';
import { HostClock } from '../support/host-clock.ts';
import { bench, Task } from '../support/task.ts';
import { turn, until } from '../support/turns.ts';

const DAY = 86_400_000;

describe('behaviour 1: never early, late by at most one tick', () => {
  it('rounds a deadline up to the next edge of a tick, where Kafka rounds down', () => {
    const { runTo, add, log } = bench({ tickMs: 20 });
    runTo(19);
    add('a', 15);
    runTo(39.9);
    expect(log).to.deep.equal([]);
    runTo(40);
    expect(log).to.deep.equal(['a@40']);
  });

  it('runs a deadline that lies exactly on an edge on that edge', () => {
    for (const reaper of [true, false]) {
      const { runTo, add, log } = bench({ tickMs: 20, reaper });
      add('a', 40);
      runTo(39);
      expect(log).to.deep.equal([]);
      runTo(40);
      expect(log).to.deep.equal(['a@40']);
    }
  });

  for (const tickMs of [1, 3, 10, 64, 1000]) {
    for (const wheelSize of [2, 4, 5, 512]) {
      it(`holds for every delay with tickMs ${tickMs}, wheelSize ${wheelSize}`, () => {
        for (const startMs of [0, 0.5, 19, 1_234.75]) {
          const { clock, timer } = bench({ tickMs, wheelSize }, startMs);
          const delays = [0.25, 1, 2.5, 7, 19, 20, 63, 64, 65, 999.5, 4_097, 70_000];
          const tasks = delays.map((delayMs) => {
            const dueMs = startMs + delayMs;
            return new Task(delayMs, () => {
              expect(clock.now()).to.equal(Math.ceil(dueMs / tickMs) * tickMs);
              expect(clock.now() - dueMs).to.be.within(0, tickMs - 2 ** -30);
            });
          });
          for (const task of tasks) timer.add(task);
          clock.advance(80_000);
          expect(tasks.map((task) => task.runs)).to.deep.equal(delays.map(() => 1));
        }
      });
    }
  }

  it('counts each delay from its own add, not from the last tick', () => {
    const { runTo, add, log } = bench({ tickMs: 10, wheelSize: 8 });
    add('x', 1_000);
    runTo(57);
    add('a', 10);
    runTo(69.5);
    expect(log).to.deep.equal([]);
    runTo(70);
    expect(log).to.deep.equal(['a@70']);
  });

  it('moves by advanceClock alone without a reaper', () => {
    const { clock, timer, add, log } = bench({ tickMs: 10, reaper: false });
    add('a', 15);
    clock.advance(100);
    expect(log).to.deep.equal([]);
    expect(timer.advanceClock()).to.equal(1);
    expect(log).to.deep.equal(['a@100']);
    expect(timer.advanceClock()).to.equal(0);
  });

  it('holds on the real clock, each delay by its own reading', async () => {
    const timer = new SystemTimer({ tickMs: 1 });
    const early: string[] = [];
    const delays = [0, 0.3, 1, 1.5, 2, 3.9, 5, 8, 12];
    const tasks = delays.map((delayMs) => {
      const startMs = systemClock.now();
      return timer.schedule(() => {
        if (systemClock.now() < startMs + delayMs) early.push(`${delayMs}`);
      }, delayMs);
    });
    await until(() => tasks.every((task) => !task.isPending));
    expect(early).to.deep.equal([]);
    timer.close();
  });
});

describe('behaviour 3: no callback ever runs inside add', () => {
  for (const delayMs of [0, -0, -1, -1e9, Number.MIN_VALUE]) {
    it(`leaves a task with a delay of ${Object.is(delayMs, -0) ? '-0' : delayMs} to the next advance`, () => {
      const { clock, timer } = bench({}, 7.5);
      const task = new Task(delayMs);
      timer.add(task);
      expect(task.runs).to.equal(0);
      expect(timer.size).to.equal(1);
      clock.advance(delayMs > 0 ? 1 : 0);
      expect(task.runs).to.equal(1);
    });
  }

  it('makes a task without delay due at the next advanceClock, in the middle of a tick too', () => {
    const { clock, timer } = bench({ tickMs: 20, reaper: false });
    clock.advance(33);
    const tasks = [new Task(0), new Task(-5)];
    for (const task of tasks) timer.add(task);
    expect(tasks.map((task) => task.runs)).to.deep.equal([0, 0]);
    expect(timer.advanceClock()).to.equal(2);
    expect(tasks.map((task) => task.runs)).to.deep.equal([1, 1]);
  });

  it('runs it in a later turn on the real clock', async () => {
    const timer = new SystemTimer();
    let ran = false;
    timer.schedule(() => {
      ran = true;
    }, 0);
    expect(ran).to.equal(false);
    await Promise.resolve();
    expect(ran).to.equal(false);
    await until(() => ran);
    timer.close();
  });

  it('holds for an add from inside run', () => {
    const { clock, timer, log } = bench();
    timer.add(
      new Task(1, () => {
        log.push('begin');
        timer.add(new Task(0, () => log.push('inner')));
        log.push('end');
      }),
    );
    clock.advance(1);
    expect(log).to.deep.equal(['begin', 'end']);
    clock.advance(0);
    expect(log).to.deep.equal(['begin', 'end', 'inner']);
  });
});

describe('behaviour 7: delays up to Number.MAX_SAFE_INTEGER, and processes that run for years', () => {
  for (const wheelSize of [2, 64, 65_536]) {
    for (const tickMs of [1, 7, 1000]) {
      it(`runs every far delay on its edge with tickMs ${tickMs}, wheelSize ${wheelSize}`, () => {
        const { clock, timer } = bench({ tickMs, wheelSize });
        const longest = Math.floor(Number.MAX_SAFE_INTEGER / tickMs) * tickMs;
        const delays = [2 ** 31 - 1, 2 ** 31 + 5_000, 2 ** 32 + 1, 400 * DAY, 2 ** 40 + 3, 2 ** 52, longest];
        const seen: number[] = [];
        for (const delayMs of delays) timer.add(new Task(delayMs, () => seen.push(clock.now())));
        expect(timer.size).to.equal(delays.length);
        for (const delayMs of delays) {
          const edgeMs = Math.ceil(delayMs / tickMs) * tickMs;
          const before = seen.length;
          clock.advance(edgeMs - 1 - clock.now());
          expect(seen.length).to.equal(before);
          clock.advance(1);
          expect(seen.at(-1)).to.equal(edgeMs);
        }
        expect(timer.size).to.equal(0);
      });
    }
  }

  it('takes Number.MAX_SAFE_INTEGER at any time of day, and can give it up again', () => {
    for (const startMs of [0, 0.5, 1e6 + 0.25, 2 ** 45]) {
      const { clock, timer } = bench({ tickMs: 7 }, startMs);
      const task = timer.schedule(() => {}, Number.MAX_SAFE_INTEGER);
      clock.advance(1_000 * DAY);
      expect(timer.nextExpirationMs).to.be.greaterThan(clock.now());
      expect(task.cancel()).to.equal(true);
      expect(timer.size).to.equal(0);
    }
  });

  it('does not run a far delay early after 25 days, the limit of a signed 32-bit count', () => {
    const { clock, timer } = bench();
    const task = timer.schedule(() => {}, 30 * DAY);
    clock.advance(25 * DAY);
    expect(task.isPending).to.equal(true);
    clock.advance(5 * DAY);
    expect(task.isPending).to.equal(false);
  });

  it('is as exact after years of running as at the start', () => {
    const { clock, timer } = bench({ wheelSize: 64 });
    for (let month = 0; month < 240; month++) {
      const seen: number[] = [];
      const startMs = clock.now();
      for (const delayMs of [5, 1, 40 * DAY, 1_000])
        timer.schedule(() => seen.push(clock.now() - startMs), delayMs);
      clock.advance(40 * DAY);
      expect(seen).to.deep.equal([1, 5, 1_000, 40 * DAY]);
    }
  });

  it('is as exact on a clock that starts high, or below zero', () => {
    for (const startMs of [1e12, 2 ** 45 + 0.5, -1e9, -0.5]) {
      for (const reaper of [true, false]) {
        const { runTo, add, log } = bench({ reaper }, startMs);
        add('a', 10);
        runTo(Math.ceil(startMs + 10) - 0.25);
        expect(log).to.deep.equal([]);
        runTo(Math.ceil(startMs + 10));
        expect(log).to.deep.equal([`a@${Math.ceil(startMs + 10)}`]);
      }
    }
  });
});

describe('behaviour 8: time never goes back and a suspended machine is survived', () => {
  it('counts a reading below an earlier one as the earlier one', () => {
    const clock = new HostClock(1_000);
    const timer = new SystemTimer({ clock, reaper: false, tickMs: 1 });
    timer.schedule(() => {}, 500);
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

  it('runs all that fell due while the machine slept on the first wake, in order', async () => {
    const clock = new HostClock();
    const timer = new SystemTimer({ clock, tickMs: 1, wheelSize: 8, sliceMs: Number.POSITIVE_INFINITY });
    const log: number[] = [];
    for (const delayMs of [7_000, 30, 5 * DAY, 31, 900_000]) timer.schedule(() => log.push(delayMs), delayMs);
    timer.schedule(() => log.push(-1), 40 * DAY);
    await turn();
    clock.time = 20 * DAY;
    clock.fire();
    expect(log).to.deep.equal([30, 31, 7_000, 900_000, 5 * DAY]);
    expect(timer.size).to.equal(1);
  });

  it('does so by advanceClock too, and counts them', () => {
    const { clock, timer, add, log } = bench({ reaper: false });
    for (const delayMs of [500, 3, 70_000, 2, 70_000]) add(`${delayMs}`, delayMs);
    clock.advance(10 * DAY);
    expect(timer.advanceClock()).to.equal(5);
    expect(log.map((line) => line.split('@')[0])).to.deep.equal(['2', '3', '500', '70000', '70000']);
  });
});
