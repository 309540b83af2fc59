/**
 * As `steady`, in turns of the event loop that take several milliseconds, with one more timer due
 * in each millisecond. So most starts find a task that is overdue, as in a busy server.
 */
import { nsPerStep } from './harness/measure.ts';
import { integers } from './harness/random.ts';
import { type Resident, residentSystems, stepsOf } from './harness/resident.ts';
import type { Measured, Workload } from './harness/types.ts';

/** A turn of so many steps takes 2 ms or more. */
const stepsPerTurn = 20_000;
/** Longer than a child runs. */
const longestMs = 30_000;

async function startAndCancelOldest({ peer, handles, run }: Resident): Promise<Measured> {
  for (let delayMs = 1; delayMs <= longestMs; delayMs++) peer.start(delayMs);
  const delays = integers(1 << 16, 1_000, 30_000, 2);
  const { length } = handles;
  const step = (index: number): void => {
    const oldest = index % length;
    peer.cancel(handles[oldest]);
    handles[oldest] = peer.start(delays[index & 0xffff]);
  };
  const steps = stepsOf(run);
  await nsPerStep(steps, step, stepsPerTurn);
  return { step: await nsPerStep(steps, (index) => step(index + steps), stepsPerTurn) };
}

export const longTurns: Workload = {
  name: 'long-turns',
  title: 'Start one, cancel the oldest, while something is overdue',
  unit: 'ns',
  sizeLabel: 'timers resident',
  sizes: { full: [1_000, 100_000, 1_000_000], quick: [100_000] },
  systems: residentSystems((size) => integers(size, 1_000, 60_000), startAndCancelOldest),
  rows: [100_000, 1_000_000].map((size) => ({
    title: 'start one, cancel the oldest, in turns longer than a tick',
    size,
    metric: 'step',
    peer: 'setTimeout',
    bar: { ratio: 1 / 5 },
    aim: { ratio: 1 / 10 },
  })),
};
