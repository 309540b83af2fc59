/** N timers due within 10 ms: the longest time for which the event loop gets to nothing else, while they run. */
import { nsPerStep, turn } from './harness/measure.ts';
import { integers } from './harness/random.ts';
import type { Measured, Run, System, Workload } from './harness/types.ts';
import type { MakeTimerPeer } from './peers/timer-peer.ts';
import { realTimers } from './peers/timer-peers.ts';

/** The sliceMs that a SystemTimer has if told nothing. */
const sliceMs = 5;

function longestBlock(make: MakeTimerPeer): System {
  return async ({ size }: Run): Promise<Measured> => {
    const jitter = integers(size, 0, 10);
    let left = size;
    const peer = make({
      onExpire: () => {
        left--;
      },
    });
    const dueMs = performance.now() + 1_000 + size / 250;
    await nsPerStep(size, (index) => {
      peer.start(dueMs + jitter[index] - performance.now());
    });
    if (left < size) throw new Error('the burst began before all of it was started');
    globalThis.gc?.();
    let longest = 0;
    let total = 0;
    let lastMs = performance.now();
    const begin = lastMs;
    while (left > 0) {
      await turn();
      const nowMs = performance.now();
      if (left < size) longest = Math.max(longest, nowMs - lastMs);
      lastMs = nowMs;
    }
    total = lastMs - Math.max(begin, dueMs);
    return { block: longest, total };
  };
}

export const burst: Workload = {
  name: 'burst',
  title: 'A burst: all due within 10 ms',
  unit: 'ms',
  sizeLabel: 'timers',
  sizes: { full: [10_000, 100_000, 1_000_000], quick: [1_000_000] },
  nodeFlags: ['--expose-gc'],
  systems: Object.fromEntries(
    ['purgatory', 'setTimeout', 'indexed heap', 'linked wheel'].map((name) => [
      name,
      longestBlock(realTimers[name]),
    ]),
  ),
  rows: [
    {
      title: '1M due within 10 ms: longest block of the event loop',
      size: 1_000_000,
      metric: 'block',
      peer: 'setTimeout',
      bar: { value: 30 },
      aim: { value: 2 * sliceMs },
    },
  ],
};
