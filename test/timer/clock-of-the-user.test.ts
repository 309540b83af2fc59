// A timer on a clock of the user, which tells the time of no host.
import { expect } from 'chai';
import { SystemTimer, type WakeUp } from '../../src/index.ts';
import { HostClock } from '../support/host-clock.ts';
import type { TimerOptions } from '../support/task.ts';
import { turn, until } from '../support/turns.ts';

/**
 * Ten tasks, due at 1 to 10. Each takes 4 ms of the clock's time. The clock stands at 100 when they
 * may run.
 */
async function tenSlowTasks(options: TimerOptions = {}): Promise<{
  clock: HostClock;
  timer: SystemTimer;
  log: string[];
}> {
  const clock = new HostClock();
  const timer = new SystemTimer({ tickMs: 1, wheelSize: 4, sliceMs: 10, ...options, clock });
  const log: string[] = [];
  for (let i = 0; i < 10; i++) {
    timer.schedule(() => {
      log.push(`${i}`);
      clock.time += 4;
    }, i + 1);
  }
  await turn();
  clock.time = 100;
  return { clock, timer, log };
}

/** Wakes with a reading that is not its own. */
class MisreadingClock extends HostClock {
  readonly #dueMs: unknown;

  constructor(dueMs: unknown) {
    super();
    this.#dueMs = dueMs;
  }

  override wakeAt(atMs: number, wake: (dueMs?: number) => void): WakeUp {
    return super.wakeAt(atMs, () => wake(this.#dueMs as number));
  }
}

describe('behaviour 9: a burst on a clock of the user', () => {
  const unsliced: Record<
    string,
    { options?: TimerOptions; run(of: Awaited<ReturnType<typeof tenSlowTasks>>): unknown }
  > = {
    'on a clock that says that it is still (behaviour 26)': {
      run: ({ clock }) => Object.assign(clock, { isStill: true }).fire(),
    },
    'with sliceMs Infinity': {
      options: { sliceMs: Number.POSITIVE_INFINITY },
      run: ({ clock }) => clock.fire(),
    },
    'in advanceClock, which runs all that is due': {
      options: { reaper: false, sliceMs: 1 },
      run: ({ timer }) => expect(timer.advanceClock()).to.equal(10),
    },
  };
  for (const [how, { options, run }] of Object.entries(unsliced)) {
    it(`does not yield ${how}`, async () => {
      const tasks = await tenSlowTasks(options);
      run(tasks);
      expect(tasks.log).to.have.length(10);
    });
  }

  it('yields in time also when long tasks follow upon many short ones', async () => {
    const clock = new HostClock();
    const timer = new SystemTimer({ clock, tickMs: 1, sliceMs: 10 });
    for (let i = 0; i < 300; i++) timer.schedule(() => {}, 1);
    for (let i = 0; i < 30; i++) {
      timer.schedule(() => {
        clock.time += 4;
      }, 1);
    }
    await turn();
    clock.time = 1;
    while (timer.size > 0) {
      const beginMs = clock.time;
      expect(clock.fire()).to.equal(1);
      expect(clock.time - beginMs).to.be.at.most(20);
      await turn();
    }
  });

  for (const dueMs of [1e9, -1e9, {}, null]) {
    it(`runs what is due and nothing early, whatever reading it wakes with: ${dueMs}`, async () => {
      const clock = new MisreadingClock(dueMs);
      const timer = new SystemTimer({ clock });
      const log: number[] = [];
      for (const delayMs of [10, 20]) timer.schedule(() => log.push(delayMs), delayMs);
      clock.time = 10;
      clock.fire();
      await until(() => log.length > 0);
      expect(log).to.deep.equal([10]);
      clock.time = 20;
      clock.fire();
      await until(() => log.length > 1);
      expect(log).to.deep.equal([10, 20]);
    });
  }
});
