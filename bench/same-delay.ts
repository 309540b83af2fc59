/**
 * The same delay of 30 s for all: the best case of setTimeout, which keeps one linked list for each
 * delay and needs no order among them. `churn` starts one and cancels it at once. `steady` starts
 * one and cancels the oldest.
 */
import { nsPerStep } from './harness/measure.ts';
import { type Resident, residentSystems, stepsOf } from './harness/resident.ts';
import type { Measured, Workload } from './harness/types.ts';

const delayMs = 30_000;

async function startAndCancel({ peer, handles, run }: Resident): Promise<Measured> {
  const { length } = handles;
  const churn = (): void => peer.cancel(peer.start(delayMs));
  const steady = (index: number): void => {
    const oldest = index % length;
    peer.cancel(handles[oldest]);
    handles[oldest] = peer.start(delayMs);
  };
  const steps = stepsOf(run);
  await nsPerStep(steps, churn);
  const churnNs = await nsPerStep(steps, churn);
  await nsPerStep(steps, steady);
  return { churn: churnNs, steady: await nsPerStep(steps, (index) => steady(index + steps)) };
}

export const sameDelay: Workload = {
  name: 'same-delay',
  title: 'The same delay for all',
  unit: 'ns',
  sizeLabel: 'timers resident',
  sizes: { full: [1_000, 10_000, 100_000], quick: [100_000] },
  systems: residentSystems((size) => new Int32Array(size).fill(delayMs), startAndCancel),
  rows: [
    {
      title: 'all delays 30 s: start one, cancel it at once',
      size: 100_000,
      metric: 'churn',
      peer: 'setTimeout',
      bar: { ratio: 1 / 1.4 },
      aim: { ratio: 1 / 2.5 },
    },
    {
      title: 'all delays 30 s: start one, cancel the oldest',
      size: 100_000,
      metric: 'steady',
      peer: 'setTimeout',
    },
  ],
};
