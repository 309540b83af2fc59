/**
 * One key with N watchers.
 *
 *   scan       an event when 1 % are ready: per watcher. A walk over a Set of the same operations
 *              is the least that it can cost. The same operations are ready each time, so the
 *              others stay where they are in memory.
 *   mixed      the same, but any 1 % may be ready, so all operations come and go
 *   turnover   as scan, and as many operations are made and parked anew
 *   all        an event when all are ready: per operation completed
 */
import { cpuNs } from './harness/measure.ts';
import { draw, integers, seeded } from './harness/random.ts';
import type { Measured, Run, Workload } from './harness/types.ts';
import type { MakeParkingPeer } from './peers/parking-peer.ts';
import { idiom, idiomWithPromise, parkingPeers } from './peers/parking-peers.ts';
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
    const everyNth = (nth: number): Int32Array =>
      Int32Array.from({ length: size / nth }, (_, index) => index * nth);
    const deck = everyNth(1);
    const random = seeded(3);
    /** CPU time of an event, and with that of parking anew. */
    const event = async (indexes: Int32Array): Promise<[number, number]> => {
      for (const index of indexes) peer.ready(parked[index]);
      const before = peer.done;
      const start = cpuNs();
      peer.check(keys[0]);
      await undefined;
      const ns = cpuNs() - start;
      if (peer.done - before !== indexes.length)
        throw new Error(`completed ${peer.done - before} of ${indexes.length}`);
      const between = cpuNs();
      for (const index of indexes) park(index);
      return [ns, ns + cpuNs() - between];
    };
    for (let index = 0; index < size; index++) park(index);
    /** The same per watcher, of `passes` events after `before` that are not measured. */
    const repeat = async (
      choose: () => Int32Array,
      passes: number,
      before: number,
    ): Promise<[number, number]> => {
      for (let pass = 0; pass < before; pass++) await event(choose());
      let eventsNs = 0;
      let turnoverNs = 0;
      for (let pass = 0; pass < passes; pass++) {
        const [eventNs, bothNs] = await event(choose());
        eventsNs += eventNs;
        turnoverNs += bothNs;
      }
      return [eventsNs / passes / size, turnoverNs / passes / size];
    };
    const passes = Math.max(2, Math.round((quick ? 1_000_000 : 10_000_000) / size));
    // An event completes little, so the compiler takes many to know what completing needs.
    const [scan, turnover] = await repeat(() => everyNth(100), passes, Math.max(100, 2 * passes));
    const passesOfAll = Math.max(2, Math.round((quick ? 100_000 : 3_000_000) / size));
    const [all] = await repeat(() => everyNth(1), passesOfAll, quick ? passesOfAll : 2 * passesOfAll);
    const [mixed] = await repeat(() => draw(deck, size / 100, random), Math.ceil(passes / 3), passes);
    return { scan, turnover, all, mixed };
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
  // A promise is no part of a look at a watcher; the eight classes are for the row.
  runs: (system, size) =>
    system === idiomWithPromise ? size < 100_000 : !system.endsWith('8 subclasses') || size === 100_000,
  rows: [
    {
      title: 'one key, 100k watchers, 1 % ready: per watcher',
      size: 100_000,
      metric: 'scan',
      peer: 'a Set of the operations',
    },
    {
      title: 'the same, with as many parked anew',
      size: 100_000,
      metric: 'turnover',
      peer: idiom,
    },
    {
      title: 'one key, 100k watchers, any 1 % ready: per watcher',
      size: 100_000,
      metric: 'mixed',
      peer: 'a Set of the operations',
    },
    {
      title: 'one key, 100k watchers, 1 % ready: per watcher; 8 subclasses',
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
