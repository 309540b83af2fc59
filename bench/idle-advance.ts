/**
 * `advanceClock()` when nothing is due, with one task pending: the cost of each round for a loop
 * that moves its timer by hand.
 */
import { measure } from 'mitata';
import { type Clock, ManualClock, SystemTimer, systemClock } from 'purgatory';
import type { Measured, System, Workload } from './harness/types.ts';

function advanceIdle(clock: Clock): System {
  return async (): Promise<Measured> => {
    const timer = new SystemTimer({ clock, reaper: false });
    timer.schedule(() => {}, 3_600_000);
    const { p50 } = await measure(() => timer.advanceClock(), { batch_samples: 4096 });
    return { advance: p50 };
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
    'performance.now()': async () => ({
      advance: (await measure(() => performance.now(), { batch_samples: 4096 })).p50,
    }),
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
