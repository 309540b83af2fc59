/**
 * Starts a timer and cancels it at once, beside R resident ones: a deadline around a call that is
 * answered in the same turn.
 */
import { nsPerStep } from './harness/measure.ts';
import { integers } from './harness/random.ts';
import { type Resident, residentSystems, stepsOf } from './harness/resident.ts';
import type { Measured, Workload } from './harness/types.ts';
import { exceptLazyMillion } from './peers/timer-peers.ts';

async function startAndCancel({ peer, run }: Resident): Promise<Measured> {
  const delays = integers(1 << 16, 1_000, 30_000, 2);
  const step = (index: number): void => peer.cancel(peer.start(delays[index & 0xffff]));
  const steps = stepsOf(run);
  await nsPerStep(steps, step);
  return { step: await nsPerStep(steps, step) };
}

export const churn: Workload = {
  name: 'churn',
  title: 'Start one and cancel it at once',
  unit: 'ns',
  sizeLabel: 'timers resident',
  sizes: { full: [0, 1_000, 100_000, 1_000_000], quick: [0, 1_000_000] },
  runs: exceptLazyMillion,
  systems: residentSystems((size) => integers(size, 1_000, 60_000), startAndCancel),
  rows: [
    {
      title: 'start one, cancel it at once',
      size: 1_000_000,
      metric: 'step',
      peer: 'setTimeout',
      bar: { ratio: 1 / 5 },
      aim: { ratio: 1 / 10 },
    },
    {
      title: 'the same with nothing else pending: the timer is empty each time',
      size: 0,
      metric: 'step',
      peer: 'setTimeout',
    },
  ],
};
