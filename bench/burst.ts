/**
 * N timers are due within 10 ms. Measures the longest time for which the event loop does nothing
 * else, from half a second before they are due, when wheels may cascade, until the last has run.
 * The time is CPU time between two turns, so what other programs take of the core does not count.
 */
import { BlockWatch, nsPerStep } from './harness/measure.ts';
import { integers } from './harness/random.ts';
import type { Measured, Run, System, Workload } from './harness/types.ts';
import type { MakeTimerPeer } from './peers/timer-peer.ts';
import { realTimers } from './peers/timer-peers.ts';

/** The default of `sliceMs`. */
const sliceMs = 5;
const beforeMs = 500;

function longestBlock(make: MakeTimerPeer): System {
  return async ({ size, quick }: Run): Promise<Measured> => {
    const jitter = integers(size, 0, 10);
    let left = size;
    const peer = make({
      onExpire: () => {
        left--;
      },
    });
    const dueMs = performance.now() + 1_000 + size / (quick ? 400 : 250);
    await nsPerStep(size, (index) => {
      peer.start(dueMs + jitter[index] - performance.now());
    });
    if (left < size) throw new Error('the burst began before all of it was started');
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, dueMs - beforeMs - performance.now()));
    const watch = new BlockWatch();
    while (left > 0) await watch.turn();
    return { block: watch.longestMs };
  };
}

export const burst: Workload = {
  name: 'burst',
  title: 'A burst: all due within 10 ms',
  unit: 'ms',
  sizeLabel: 'timers',
  sizes: { full: [100_000, 1_000_000], quick: [1_000_000] },
  rounds: 2,
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
