/**
 * Kafka's load model on the real clock, at a fixed 100,000 operations a second. Measures the share
 * of a core that it takes, and the 99th percentile of the lateness of those that expired.
 * Operations arrive in batches, about one a millisecond, as the driver wakes up.
 */
import { LoadModel } from './harness/load-model.ts';
import { cpuNs } from './harness/measure.ts';
import { percentile } from './harness/statistics.ts';
import type { Measured, Run, System, Workload } from './harness/types.ts';
import type { MakeParkingPeer } from './peers/parking-peer.ts';
import { idiom, parkingPeers } from './peers/parking-peers.ts';

const perMs = 100;
const driverOnly = 'the driver alone';

function atFixedRate(make: MakeParkingPeer): System {
  return async ({ quick }: Run): Promise<Measured> => {
    const load = new LoadModel(make);
    const startMs = performance.now();
    const runUntil = (endMs: number): Promise<void> =>
      new Promise((resolve) => {
        const step = (): void => {
          const nowMs = performance.now();
          if (nowMs >= endMs) {
            resolve();
            return;
          }
          load.park(Math.floor((nowMs - startMs) * perMs) - load.parked);
          load.complete();
          setTimeout(step, 1);
        };
        step();
      });
    const warmMs = quick ? 700 : 1_500;
    const measuredMs = quick ? 1_000 : 2_000;
    await runUntil(startMs + warmMs);
    load.lateness.length = 0;
    const cpu = cpuNs();
    const begin = performance.now();
    await runUntil(startMs + warmMs + measuredMs);
    const share = (cpuNs() - cpu) / 1e4 / (performance.now() - begin);
    return {
      'core share': share,
      'p99 lateness': load.lateness.length === 0 ? 0 : percentile(load.lateness, 0.99),
    };
  };
}

/** Neither lists nor timers: the cost of the model's driver and clock readings alone. */
const nothing: MakeParkingPeer = () => ({
  done: 0,
  operation: () => ({ tag: 0 }),
  park: () => {},
  complete: () => {},
  ready: () => {},
  check: () => {},
});

export const loadFixed: Workload = {
  name: 'load-fixed',
  title: 'Kafka’s load model at 100,000 operations a second',
  unit: '%',
  sizeLabel: 'operations/s',
  sizes: { full: [100_000], quick: [100_000] },
  systems: Object.fromEntries(
    Object.entries({ ...parkingPeers, [driverOnly]: nothing }).map(([name, make]) => [
      name,
      atFixedRate(make),
    ]),
  ),
  rows: [
    {
      title: 'Kafka’s load model at 100k/s: share of one core',
      size: 100_000,
      metric: 'core share',
      peer: idiom,
      bar: { value: 30 },
      aim: { value: 12 },
    },
    {
      title: 'the same: p99 lateness of expirations',
      size: 100_000,
      metric: 'p99 lateness',
      unit: 'ms',
      peer: idiom,
      bar: { value: 10 },
      aim: { value: 2 },
    },
  ],
};
