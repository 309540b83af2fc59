/**
 * One task due in an hour: how often the event loop wakes up for it in 5 s (1 s if quick).
 * libuv counts the loop's turns; those of a process that only waits are taken off.
 */
import { SystemTimer } from 'purgatory';
import type { System, Workload } from './harness/types.ts';

/** How often the loop turned. Node 20.18 has this; its types of 20.19 do not all know it. */
function loopCount(): number {
  return (performance.nodeTiming as unknown as { uvMetricsInfo: { loopCount: number } }).uvMetricsInfo
    .loopCount;
}

function countWakeUps(schedule: () => void): System {
  return async ({ quick }) => {
    schedule();
    await new Promise((resolve) => setTimeout(resolve, 50));
    const before = loopCount();
    await new Promise((resolve) => setTimeout(resolve, quick ? 1_000 : 5_000));
    // The wait itself is one turn.
    return { 'wake-ups': loopCount() - before - 1 };
  };
}

export const wakeUps: Workload = {
  name: 'wake-ups',
  title: 'Wake-ups for one task due in an hour',
  unit: '',
  sizeLabel: 'tasks pending',
  sizes: { full: [1], quick: [1] },
  rounds: 1,
  systems: {
    purgatory: countWakeUps(() => new SystemTimer().schedule(() => {}, 3_600_000)),
    'a setInterval of 10 ms': countWakeUps(() => setInterval(() => {}, 10)),
  },
  rows: [
    {
      title: 'one task due in an hour: wake-ups in 5 s',
      size: 1,
      metric: 'wake-ups',
      bar: { value: 0 },
      aim: { value: 0 },
    },
  ],
};
