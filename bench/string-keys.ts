/**
 * Many string keys with one operation each: parks all, then completes all by events in random
 * order.
 */
import { cpuNs } from './harness/measure.ts';
import { integers, shuffled } from './harness/random.ts';
import type { Measured, Run, Workload } from './harness/types.ts';
import type { MakeParkingPeer } from './peers/parking-peer.ts';
import { idiom, parkingPeers } from './peers/parking-peers.ts';

function manyKeys(make: MakeParkingPeer): (run: Run) => Promise<Measured> {
  return async ({ size, quick }) => {
    const keys = Array.from({ length: size }, (_, index) => [`topic-${index >> 4}-partition-${index & 15}`]);
    const delays = integers(size, 1_000, 30_000, 2);
    // The keys in the order of their events, so that the timed part does not pay for finding them.
    const events = Array.from(shuffled(size), (index) => keys[index][0]);
    const peer = make();
    const park = (): number => {
      const start = cpuNs();
      for (let index = 0; index < size; index++) {
        const op = peer.operation(delays[index]);
        peer.park(op, keys[index]);
        peer.ready(op);
      }
      return cpuNs() - start;
    };
    const complete = (): number => {
      const start = cpuNs();
      for (const key of events) peer.check(key);
      return cpuNs() - start;
    };
    const rounds = Math.max(1, Math.round((quick ? 100_000 : 3_000_000) / size));
    let parkNs = 0;
    let completeNs = 0;
    for (let round = -rounds; round < rounds; round++) {
      const parked = park();
      const completed = complete();
      // A promise is done in a microtask.
      await undefined;
      if (peer.done !== size * (round + rounds + 1)) throw new Error(`${peer.done} operations are completed`);
      if (round < 0) continue;
      parkNs += parked;
      completeNs += completed;
    }
    return { park: parkNs / rounds / size, complete: completeNs / rounds / size };
  };
}

export const stringKeys: Workload = {
  name: 'string-keys',
  title: 'A string key per operation',
  unit: 'ns',
  sizeLabel: 'keys',
  sizes: { full: [1_000, 10_000, 100_000], quick: [100_000] },
  systems: Object.fromEntries(Object.entries(parkingPeers).map(([name, make]) => [name, manyKeys(make)])),
  rows: [
    row('park', 1 / 1.4, 1 / 2),
    row('complete', 1 / 1.6, 1 / 2.5),
    row('complete', 1 / 1.6, 1 / 2.5, 'purgatory, 8 subclasses'),
  ],
};

function row(metric: string, bar: number, aim: number, system = 'purgatory'): Workload['rows'][number] {
  return {
    title: `100k string keys: ${metric}${system === 'purgatory' ? '' : '; 8 subclasses'}`,
    system,
    size: 100_000,
    metric,
    peer: idiom,
    bar: { ratio: bar },
    aim: { ratio: aim },
  };
}
