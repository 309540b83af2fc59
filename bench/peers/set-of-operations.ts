/**
 * No engine: a Set of the same operations, and a walk over it. The least that an event on one key
 * can cost.
 */
import type { MakeParkingPeer, ParkingPeer } from './parking-peer.ts';
import { makeOne, makeOneOfEight } from './purgatory-parking.ts';
import { tally } from './tally.ts';

function walk(operation: typeof makeOne): ParkingPeer {
  const set = new Set<ReturnType<typeof makeOne>>();
  const peer: ParkingPeer<ReturnType<typeof makeOne>> = {
    operation,
    park: (op) => set.add(op),
    complete: (op) => {
      set.delete(op);
      op.forceComplete();
    },
    ready: (op) => {
      op.isReady = true;
    },
    check: () => {
      for (const op of set) if (op.tryComplete()) set.delete(op);
    },
    get done() {
      return tally.done;
    },
  };
  return peer as ParkingPeer;
}

export const setOfOperations: Record<string, MakeParkingPeer> = {
  'a Set of the operations': () => walk(makeOne),
  'a Set of the operations, 8 subclasses': () => walk(makeOneOfEight),
};
