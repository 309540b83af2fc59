// What a SystemTimer does besides what all eight timers do (test/waits/schemes/conformance.test.ts).
import { createHook } from 'node:async_hooks';
import { expect } from 'chai';
import sinon from 'sinon';
import { SystemTimer, systemClock } from '../../../src/index.ts';
import { bench } from '../../support/task.ts';
import { until } from '../../support/turns.ts';

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
  it('keeps that order on the real clock', async () => {
    const timer = new SystemTimer();
    const log: number[] = [];
    for (let i = 0; i < 100; i++) timer.schedule(() => log.push(i), 3);
    await until(() => timer.size === 0);
    expect(log).to.deep.equal(Array.from({ length: 100 }, (_, i) => i));
    timer.close();
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
});

describe('The wake-up of a timer with nothing pending', () => {
  let timer: SystemTimer;

  beforeEach(() => {
    timer = new SystemTimer();
  });

  afterEach(() => {
    timer.close();
  });

  /** How many host timers are made meanwhile. */
  function madeBy(act: () => void): number {
    let made = 0;
    const hook = createHook({ init: (_, type) => void (type === 'Timeout' && made++) }).enable();
    act();
    hook.disable();
    return made;
  }

  function startAndStop(delayMs: number): void {
    for (let i = 0; i < 10; i++) expect(timer.schedule(() => {}, delayMs).cancel()).to.equal(true);
  }

  it('rests for the next start, if it is near', () => {
    expect(madeBy(() => startAndStop(60_000))).to.equal(1);
    expect(madeBy(() => startAndStop(70_000))).to.equal(0);
    expect(
      madeBy(() => startAndStop(50_000)),
      'an earlier one',
    ).to.equal(1);
    timer.close();
    timer = new SystemTimer();
    expect(
      madeBy(() => startAndStop(3_600_000)),
      'a far one keeps nobody in memory',
    ).to.equal(10);
  });

  it('holds no process, whatever ref() says, until something is pending (behaviour 10)', () => {
    const held = (): number =>
      process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
    const before = held();
    startAndStop(60_000);
    expect(held()).to.equal(before);
    timer.ref();
    expect(held()).to.equal(before);
    const task = timer.schedule(() => {}, 60_000);
    expect(held()).to.equal(before + 1);
    timer.unref();
    expect(held()).to.equal(before);
    task.cancel();
    timer.schedule(() => {}, 60_000);
    expect(held()).to.equal(before);
  });

  it('is none of the timers of a fake that comes later (behaviour 12)', () => {
    startAndStop(60_000);
    const fake = sinon.useFakeTimers();
    try {
      const other = new SystemTimer();
      other.schedule(() => {}, 1_000);
      expect(fake.countTimers()).to.equal(1);
      let ran = 0;
      timer.schedule(() => ran++, 90_000);
      expect(fake.countTimers()).to.equal(2);
      fake.tick(90_000);
      expect(ran).to.equal(1);
      other.close();
    } finally {
      fake.restore();
    }
  });

  it('runs nothing when it comes, and what was started meanwhile in its time', async () => {
    timer.schedule(() => {}, 5).cancel();
    let ran = 0;
    timer.schedule(() => ran++, 10);
    await until(() => ran === 1);
    expect(timer.size).to.equal(0);
  });
});
