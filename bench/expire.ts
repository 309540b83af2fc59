/**
 * Starts N random timers of 1-60,000 ms and expires them all, by steps of 1 ms and in one jump, on
 * a clock moved by hand.
 */
import { ManualClock } from 'purgatory';
import { cpuNs } from './harness/measure.ts';
import { integers } from './harness/random.ts';
import type { Measured, Run, Workload } from './harness/types.ts';
import type { MakeTimerPeer } from './peers/timer-peer.ts';
import { exceptLazyMillion, manualTimers } from './peers/timer-peers.ts';

const longestMs = 60_000;

function expireAll(make: MakeTimerPeer): (run: Run) => Measured {
  return ({ size, quick }) => {
    const delays = integers(size, 1, longestMs);
    const clock = new ManualClock();
    let expired = 0;
    const peer = make({
      clock,
      onExpire: () => {
        expired++;
      },
    });
    const round = (stepMs: number): number => {
      const start = cpuNs();
      expired = 0;
      for (let index = 0; index < size; index++) peer.start(delays[index]);
      for (let ms = 0; ms < longestMs; ms += stepMs) {
        clock.advance(stepMs);
        peer.advance();
      }
      const ns = (cpuNs() - start) / size;
      if (expired !== size) throw new Error(`${expired} of ${size} timers expired`);
      return ns;
    };
    // At least a million timers are expired to warm up, however few are resident.
    for (let warm = 0; warm < Math.min(5, 1_000_000 / size); warm++) {
      round(1);
      if (!quick) round(longestMs);
    }
    return { steps: round(1), jump: round(longestMs) };
  };
}

export const expire: Workload = {
  name: 'expire',
  title: 'Start and expire',
  unit: 'ns',
  sizeLabel: 'timers',
  sizes: { full: [10_000, 100_000, 1_000_000], quick: [1_000_000] },
  runs: exceptLazyMillion,
  systems: Object.fromEntries(Object.entries(manualTimers).map(([name, make]) => [name, expireAll(make)])),
  rows: (['steps', 'jump'] as const).map((metric) => ({
    title: `start and expire all, ${metric === 'steps' ? 'by 1 ms steps' : 'in one jump'}`,
    size: 1_000_000,
    metric,
    peer: 'indexed heap',
    bar: { ratio: 1 / 1.8 },
    aim: { ratio: 1 / 3 },
  })),
};
