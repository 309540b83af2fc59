/**
 * `advanceClock()` when nothing is due, with one task pending: the cost of each round for a loop
 * that moves its timer by hand.
 */
import { type Clock, ManualClock, SystemTimer, systemClock } from 'purgatory';
import { median } from './harness/statistics.ts';
import type { Measured, System, Workload } from './harness/types.ts';

const BATCH = 4096;

/** The median batch, in ns a call. A batch takes under a millisecond, so most meet no disturbance. */
function nsPerCall(call: () => unknown): number {
  const batches = Array.from({ length: 2_000 }, () => {
    const start = process.hrtime.bigint();
    for (let left = BATCH; left > 0; left--) call();
    return Number(process.hrtime.bigint() - start) / BATCH;
  });
  return median(batches.slice(batches.length / 2)); // the first half warms up
}

function advanceIdle(clock: Clock): System {
  return (): Measured => {
    const timer = new SystemTimer({ clock, reaper: false });
    timer.schedule(() => {}, 3_600_000);
    return { advance: nsPerCall(() => timer.advanceClock()) };
  };
}

export const idleAdvance: Workload = {
  name: 'idle-advance',
  title: 'advanceClock() when nothing is due',
  unit: 'ns',
  sizeLabel: 'tasks pending',
  sizes: { full: [1], quick: [1] },
  systems: {
    purgatory: advanceIdle(new ManualClock()),
    'purgatory, system clock': advanceIdle(systemClock),
    'performance.now()': () => ({ advance: nsPerCall(() => performance.now()) }),
  },
  rows: ['purgatory', 'purgatory, system clock'].map((system) => ({
    title: `advanceClock(), nothing due, ${system === 'purgatory' ? 'manual' : 'system'} clock`,
    system,
    size: 1,
    metric: 'advance',
    bar: { value: 40 },
    aim: { value: 10 },
  })),
};
