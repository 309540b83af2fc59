/**
 * Steady state: R timers with random delays of 1-60 s are resident. Each step starts one with 1-30
 * s and cancels the oldest. A server whose requests are answered long before their deadlines does
 * this.
 */
import { nsPerStep } from './harness/measure.ts';
import { integers } from './harness/random.ts';
import { type Resident, residentSystems, stepsOf } from './harness/resident.ts';
import type { Measured, Workload } from './harness/types.ts';

export async function startAndCancelOldest({ peer, handles, run }: Resident): Promise<Measured> {
  const delays = integers(1 << 16, 1_000, 30_000, 2);
  const { length } = handles;
  const step = (index: number): void => {
    const oldest = index % length;
    peer.cancel(handles[oldest]);
    handles[oldest] = peer.start(delays[index & 0xffff]);
  };
  const steps = stepsOf(run);
  await nsPerStep(steps, step);
  return { step: await nsPerStep(steps, (index) => step(index + steps)) };
}

export const steady: Workload = {
  name: 'steady',
  title: 'Start one, cancel the oldest',
  unit: 'ns',
  sizeLabel: 'timers resident',
  sizes: { full: [1_000, 10_000, 100_000, 1_000_000], quick: [1_000, 1_000_000] },
  systems: residentSystems((size) => integers(size, 1_000, 60_000), startAndCancelOldest),
  rows: [
    row(1_000_000, 'setTimeout', 1 / 5, 1 / 10),
    row(1_000, 'indexed heap', 1, 1 / 2),
    row(100_000, 'indexed heap', 1 / 1.6, 1 / 2),
    row(1_000_000, 'indexed heap', 1 / 1.2, 1 / 2),
    {
      title: 'how flat: start one, cancel the oldest',
      size: 1_000_000,
      metric: 'step',
      peer: 'purgatory',
      peerSize: 1_000,
      bar: { ratio: 1.5 },
      aim: { ratio: 1.5 },
    },
  ],
};

function row(size: number, peer: string, bar: number, aim: number): Workload['rows'][number] {
  return {
    title: 'start one, cancel the oldest',
    size,
    metric: 'step',
    peer,
    bar: { ratio: bar },
    aim: { ratio: aim },
  };
}
