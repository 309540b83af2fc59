/**
 * The basis of SystemTimer's defaults: the same work with other settings, ours against itself.
 *
 *   step     starts a timer of 1-30 s and cancels the oldest of 100,000
 *   expire   starts 100,000 timers of 1-60,000 ms and steps the clock by 1 ms until all have run
 *   burst    runs 100,000 timers that are due at once: ns each. The turns of the loop between the
 *            slices are included
 */
import { ManualClock, SystemTimer, type SystemTimerOptions } from 'purgatory';
import { cpuNs, nsPerStep, turn } from './harness/measure.ts';
import { integers } from './harness/random.ts';
import type { Measured, Run, System, Workload } from './harness/types.ts';

function withOptions(options: SystemTimerOptions): System {
  return async ({ size }: Run): Promise<Measured> => {
    let left = 0;
    const onExpire = (): void => {
      left--;
    };
    const timer = new SystemTimer(options);
    const delays = integers(1 << 16, 1_000, 30_000, 2);
    const tasks = Array.from({ length: size }, (_, index) =>
      timer.schedule(onExpire, delays[index & 0xffff]),
    );
    const step = (index: number): void => {
      tasks[index % size].cancel();
      tasks[index % size] = timer.schedule(onExpire, delays[index & 0xffff]);
    };
    await nsPerStep(2 * size, step);
    const stepNs = await nsPerStep(5 * size, step);
    timer.close();

    const expireOnce = (): number => {
      const clock = new ManualClock();
      const manual = new SystemTimer({ ...options, clock, reaper: false });
      const spread = integers(size, 1, 60_000);
      const start = cpuNs();
      for (let index = 0; index < size; index++) manual.schedule(onExpire, spread[index]);
      while (manual.size > 0) {
        clock.advance(1);
        manual.advanceClock();
      }
      return (cpuNs() - start) / size;
    };
    for (let warm = 0; warm < 3; warm++) expireOnce();
    const expireNs = expireOnce();

    const burstTimer = new SystemTimer(options);
    left = size;
    for (let index = 0; index < size; index++) burstTimer.schedule(onExpire, 1_000);
    while (left === size) await turn();
    const start = cpuNs();
    const before = left;
    while (left > 0) await turn();
    return { step: stepNs, expire: expireNs, burst: (cpuNs() - start) / Math.max(1, before) };
  };
}

export const defaults: Workload = {
  name: 'defaults',
  title: 'The defaults of SystemTimer beside other settings',
  unit: 'ns',
  sizeLabel: 'timers',
  sizes: { full: [100_000], quick: [100_000] },
  systems: {
    'tickMs 1, wheelSize 512, sliceMs 5': withOptions({}),
    'tickMs 5': withOptions({ tickMs: 5 }),
    'tickMs 20': withOptions({ tickMs: 20 }),
    'wheelSize 32': withOptions({ wheelSize: 32 }),
    'wheelSize 64': withOptions({ wheelSize: 64 }),
    'wheelSize 256': withOptions({ wheelSize: 256 }),
    'wheelSize 4096': withOptions({ wheelSize: 4096 }),
    'sliceMs 1': withOptions({ sliceMs: 1 }),
    'sliceMs 20': withOptions({ sliceMs: 20 }),
  },
  rows: [],
  rounds: 1,
  isQuick: false,
};
