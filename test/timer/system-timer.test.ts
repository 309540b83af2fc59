// What a SystemTimer does besides what all eight timers do (test/waits/schemes/conformance.test.ts).
import { expect } from 'chai';
import { SystemTimer, systemClock } from '../../src/index.ts';
import { bench, Task } from '../support/task.ts';
import { until } from '../support/turns.ts';
import { uncaughtDuring } from '../support/uncaught.ts';

const DAY = 86_400_000;

describe('behaviour 1: never early, late by at most one tick', () => {
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
});

describe('behaviour 7: delays up to Number.MAX_SAFE_INTEGER, and processes that run for years', () => {
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
});

describe('behaviour 2: order is by tick of the deadline, then by add', () => {
  for (const wheelSize of [2, 3, 4, 64]) {
    it(`keeps that order for a task that cascades and a younger one that does not, wheelSize ${wheelSize}`, () => {
      const { runTo, add, log } = bench({ wheelSize });
      const dueMs = 1_000;
      let at = 0;
      const expected: string[] = [];
      for (const addMs of [0, 1, 500, 900, 960, 990, 996, 998, 999]) {
        runTo(addMs);
        add(`t${at}`, dueMs - addMs);
        expected.push(`t${at++}@${dueMs}`);
      }
      runTo(dueMs);
      expect(log).to.deep.equal(expected);
    });
  }

  it('keeps that order on the real clock', async () => {
    const timer = new SystemTimer();
    const log: number[] = [];
    for (let i = 0; i < 100; i++) timer.schedule(() => log.push(i), 3);
    await until(() => timer.size === 0);
    expect(log).to.deep.equal(Array.from({ length: 100 }, (_, i) => i));
    timer.close();
  });
});

describe('behaviour 4: adding a pending task again moves it', () => {
  it('however often, and however far', () => {
    const { runTo, timer, add, log } = bench({ wheelSize: 8 });
    const task = add('a', 1_000);
    for (let ms = 0; ms <= 9_990; ms += 10) {
      runTo(ms);
      timer.add(task);
      expect(timer.size).to.equal(1);
    }
    runTo(10_989);
    expect(log).to.deep.equal([]);
    runTo(10_990);
    expect(log).to.deep.equal(['a@10990']);
  });
});

describe('behaviour 6: tasks may add, cancel and re-add tasks from inside run', () => {
  it('never runs a new task in the place of one that was cancelled', () => {
    const { clock, timer, add, log } = bench({ reaper: false });
    add('a', 5, () => {
      b.cancel();
      c.cancel();
      add('later', 50);
      add('next pass', 0);
    });
    const b = add('b', 5);
    const c = add('c', 5);
    add('d', 5);
    clock.advance(5);
    expect(timer.advanceClock()).to.equal(2);
    expect(log).to.deep.equal(['a@5', 'd@5']);
    expect(timer.size).to.equal(2);
    clock.advance(50);
    timer.advanceClock();
    expect(log).to.deep.equal(['a@5', 'd@5', 'next pass@55', 'later@55']);
  });

  it('survives a thousand adds from inside one run', () => {
    const { clock, timer, log } = bench({ wheelSize: 4 });
    timer.add(
      new Task(3, () => {
        for (let i = 1000; i > 0; i--) timer.schedule(() => log.push(`${i}`), i);
      }),
    );
    timer.add(new Task(3, () => log.push('same bucket')));
    clock.advance(2_000);
    expect(log[0]).to.equal('same bucket');
    expect(log.slice(1)).to.deep.equal(Array.from({ length: 1000 }, (_, i) => `${i + 1}`));
  });

  it('works after a callback of it threw: the next advanceClock is not taken for an inner one', () => {
    const { clock, timer, add } = bench({ reaper: false, onError: () => {} });
    add('a', 5, () => {
      throw new Error('a');
    });
    add('b', 9);
    clock.advance(5);
    expect(timer.advanceClock()).to.equal(1);
    clock.advance(5);
    expect(timer.advanceClock()).to.equal(1);
  });
});

function thrower(error: unknown): () => void {
  return () => {
    throw error;
  };
}

describe('behaviour 5: a throwing run stops nothing', () => {
  it('reports whatever was thrown, undefined and null too', () => {
    const reported: unknown[] = [];
    const { clock, add } = bench({ onError: (error) => reported.push(error) });
    for (const error of [undefined, null, 0, 'text']) add('x', 1, thrower(error));
    clock.advance(1);
    expect(reported).to.deep.equal([undefined, null, 0, 'text']);
  });

  it('lets onError see a task that is no longer pending, and add it again', () => {
    let pending: boolean | undefined;
    const { clock, timer, add, log } = bench({
      onError: (_, task) => {
        pending = task.isPending;
        timer.add(task);
      },
    });
    let failures = 2;
    add('a', 5, () => {
      if (failures-- > 0) throw new Error('once more');
    });
    clock.advance(50);
    expect(pending).to.equal(false);
    expect(log).to.deep.equal(['a@5', 'a@10', 'a@15']);
  });

  it('lets onError cancel tasks of the bucket under way', () => {
    let b: Task;
    const { clock, add, log } = bench({ onError: () => void b.cancel() });
    add('a', 5, thrower(new Error('boom')));
    b = add('b', 5);
    add('c', 5);
    clock.advance(5);
    expect(log).to.deep.equal(['a@5', 'c@5']);
  });

  it('makes what onError throws itself an uncaught exception in a later turn, and goes on', async () => {
    const { clock, add, log } = bench({
      onError: (error) => {
        throw new Error('onError failed', { cause: error });
      },
    });
    const errors = await uncaughtDuring(1, () => {
      add('a', 5, thrower('boom'));
      add('b', 5);
      clock.advance(5);
      expect(log).to.deep.equal(['a@5', 'b@5']);
    });
    expect(errors).to.have.length(1);
    expect(errors[0]).to.have.property('message', 'onError failed');
    expect(errors[0]).to.have.property('cause', 'boom');
  });
});
