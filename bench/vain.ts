/**
 * Passes in vain: one key with N watchers, none of them ready, and ten events on it in a row, each
 * measured alone. No pass may be much dearer than the others: it blocks the event loop. Every burst
 * of ten is over a key that is new, and begins when the collector is done with what parking has
 * left. The first bursts warm the code up.
 */
import { cpuNs, settle } from './harness/measure.ts';
import { integers } from './harness/random.ts';
import { median } from './harness/statistics.ts';
import type { Measured, Run, Workload } from './harness/types.ts';
import type { MakeParkingPeer } from './peers/parking-peer.ts';
import { parkingPeers } from './peers/parking-peers.ts';
import { setOfOperations } from './peers/set-of-operations.ts';

const PASSES = 10;
const WARM_UP = 10;

function passesInVain(make: MakeParkingPeer): (run: Run) => Promise<Measured> {
  return async ({ size, quick }) => {
    const delays = integers(1 << 16, 60_000, 600_000, 2);
    const bursts = WARM_UP + (quick ? 2 : 5);
    const typical: number[] = [];
    const worst: number[] = [];
    const peer = make();
    for (let burst = 0; burst < bursts; burst++) {
      const key = `key ${burst}`;
      const parked = Array.from({ length: size }, (_, index) => peer.operation(delays[index & 0xffff]));
      for (const op of parked) peer.park(op, [key]);
      await settle(2);
      const passes = Array.from({ length: PASSES }, () => {
        const start = cpuNs();
        peer.check(key);
        return (cpuNs() - start) / size;
      });
      if (peer.done !== burst * size) throw new Error('a pass in vain has completed operations');
      for (const op of parked) peer.complete(op);
      peer.check(key);
      if (burst < WARM_UP) continue;
      typical.push(median(passes));
      worst.push(Math.max(...passes));
    }
    // The median of the bursts: one that another program disturbs must not stand for all.
    const ratios = worst.map((ns, burst) => ns / typical[burst]);
    return { pass: median(typical), worst: median(worst), 'worst / median': median(ratios) };
  };
}

export const vain: Workload = {
  name: 'vain',
  title: 'Ten passes in vain in a row',
  unit: 'ns',
  sizeLabel: 'watchers',
  sizes: { full: [1_000, 10_000, 100_000], quick: [100_000] },
  systems: Object.fromEntries(
    Object.entries({
      purgatory: parkingPeers.purgatory,
      'a Set of the operations': setOfOperations['a Set of the operations'],
    }).map(([name, make]) => [name, passesInVain(make)]),
  ),
  nodeFlags: ['--expose-gc'],
  rows: [
    {
      title: '100k watchers, passes in vain: per watcher, the median pass',
      size: 100_000,
      metric: 'pass',
      peer: 'a Set of the operations',
    },
    {
      title: '100k watchers, passes in vain: per watcher, the worst pass',
      size: 100_000,
      metric: 'worst',
      bar: { value: 13 },
    },
    {
      title: '100k watchers, passes in vain: the worst against the median of its ten',
      size: 100_000,
      metric: 'worst / median',
      unit: '',
      bar: { value: 3 },
    },
  ],
};
