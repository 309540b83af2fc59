/**
 * Parks an operation on 3 random keys of 100 and completes the oldest, with N parked: first in,
 * first out, by forceComplete.
 */
import { nsPerStep } from './harness/measure.ts';
import { integers, keyLists } from './harness/random.ts';
import type { Measured, Run, Workload } from './harness/types.ts';
import type { MakeParkingPeer } from './peers/parking-peer.ts';
import { completingPeers, idiom, idiomWithPromise } from './peers/parking-peers.ts';

const slow = 'events.once, AbortSignal';
const mostParked: Record<string, number> = {
  [slow]: 1_000,
  [idiomWithPromise]: 10_000,
  [idiom]: 100_000,
};

export function parkAndComplete(make: MakeParkingPeer, isSlow = false): (run: Run) => Promise<Measured> {
  return async ({ size, quick }) => {
    const keys = Array.from({ length: 100 }, (_, index) => `topic-${index}`);
    const lists = keyLists(1 << 14, keys, 3);
    const delays = integers(1 << 16, 1_000, 30_000, 2);
    const peer = make();
    const parked: unknown[] = new Array(size);
    const park = (index: number): void => {
      const op = peer.operation(delays[index & 0xffff]);
      peer.park(op, lists[index & 0x3fff]);
      parked[index % size] = op;
    };
    const step = (index: number): void => {
      peer.complete(parked[index % size]);
      park(index);
    };
    await nsPerStep(size, park);
    // events.once is so slow that it gets a tenth of a second's work.
    const steps = isSlow ? 2_000 : quick ? 150_000 : 2_000_000;
    const warmUp = steps;
    await nsPerStep(warmUp, (index) => step(size + index));
    const ns = await nsPerStep(steps, (index) => step(size + warmUp + index));
    const due = warmUp + steps;
    if (peer.done < due) throw new Error(`${peer.done} operations of ${due} were completed`);
    return { step: ns };
  };
}

export const parkComplete: Workload = {
  name: 'park-complete',
  title: 'Park one on 3 keys, complete the oldest',
  unit: 'ns',
  sizeLabel: 'operations parked',
  sizes: { full: [1_000, 10_000, 100_000, 1_000_000], quick: [10_000] },
  systems: Object.fromEntries(
    Object.entries(completingPeers).map(([name, make]) => [name, parkAndComplete(make, name === slow)]),
  ),
  // Systems that take long are shown only up to the size that shows how they grow.
  runs: (system, size) => size <= (mostParked[system] ?? 1_000_000),
  rows: [
    ...['purgatory', 'purgatory, 8 subclasses'].map((system) => ({
      title: `park on 3 of 100 keys, complete the oldest${system === 'purgatory' ? '' : '; 8 subclasses'}`,
      system,
      size: 10_000,
      metric: 'step',
      peer: idiom,
      bar: { ratio: 1 / 6 },
      aim: { ratio: 1 / 10 },
    })),
    {
      title: 'how flat: park and complete',
      size: 1_000_000,
      metric: 'step',
      peer: 'purgatory',
      peerSize: 1_000,
      bar: { ratio: 1.5 },
      aim: { ratio: 1.5 },
    },
  ],
};
