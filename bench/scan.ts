/**
 * One key with N watchers. `scan`: an event when 1 % are ready, per watcher looked at; the least it can cost is a walk over a Set of the same
 * operations. `all`: an event when all are ready, per operation completed.
 */
import { cpuNs } from './harness/measure.ts';
import { integers } from './harness/random.ts';
import type { Measured, Run, Workload } from './harness/types.ts';
import type { MakeParkingPeer } from './peers/parking-peer.ts';
import { idiom, parkingPeers } from './peers/parking-peers.ts';
import { setOfOperations } from './peers/set-of-operations.ts';

const keys = ['orders'];

function scanOne(make: MakeParkingPeer): (run: Run) => Promise<Measured> {
  return async ({ size, quick }) => {
    const delays = integers(1 << 16, 1_000, 30_000, 2);
    const peer = make();
    let made = 0;
    const parked: unknown[] = new Array(size);
    const park = (index: number): void => {
      parked[index] = peer.operation(delays[made++ & 0xffff]);
      peer.park(parked[index], keys);
    };
    const ready = (every: number): number[] => {
      const indexes: number[] = [];
      for (let index = 0; index < size; index += every) indexes.push(index);
      for (const index of indexes) peer.ready(parked[index]);
      return indexes;
    };
    const event = async (indexes: number[]): Promise<number> => {
      const before = peer.done;
      const start = cpuNs();
      peer.check(keys[0]);
      await undefined;
      const ns = cpuNs() - start;
      if (peer.done - before !== indexes.length)
        throw new Error(`completed ${peer.done - before} of ${indexes.length}`);
      for (const index of indexes) park(index);
      return ns;
    };
    for (let index = 0; index < size; index++) park(index);
    const repeat = async (every: number, times: number): Promise<number> => {
      let ns = 0;
      for (let time = 0; time < times; time++) ns += await event(ready(every));
      return ns / times;
    };
    const passes = Math.max(2, Math.round((quick ? 1_000_000 : 10_000_000) / size));
    await repeat(100, passes);
    const scan = (await repeat(100, passes)) / size;
    const all = Math.max(2, Math.round((quick ? 100_000 : 300_000) / size));
    await repeat(1, all);
    return { scan, all: (await repeat(1, all)) / size };
  };
}

export const scan: Workload = {
  name: 'scan',
  title: 'One key, many watchers',
  unit: 'ns',
  sizeLabel: 'watchers',
  sizes: { full: [1_000, 10_000, 100_000], quick: [100_000] },
  systems: Object.fromEntries(
    Object.entries({ ...parkingPeers, ...setOfOperations }).map(([name, make]) => [name, scanOne(make)]),
  ),
  rows: [
    {
      title: 'one key, 100k watchers, 1 % ready: per watcher',
      size: 100_000,
      metric: 'scan',
      peer: 'a Set of the operations',
      bar: { ratio: 1 },
      aim: { ratio: 1 / 2 },
    },
    {
      title: 'the same; 8 subclasses',
      system: 'purgatory, 8 subclasses',
      size: 100_000,
      metric: 'scan',
      peer: 'a Set of the operations, 8 subclasses',
    },
    {
      title: 'one key, 100k watchers, all ready: per operation',
      size: 100_000,
      metric: 'all',
      peer: idiom,
      bar: { ratio: 1 / 5 },
      aim: { ratio: 1 / 15 },
    },
  ],
};
