/**
 * Ours, with one subclass of DelayedOperation, and with eight in turn. With eight, the engine's
 * calls of `tryComplete`, `onComplete` and `onExpiration`, and its reads of an operation's fields,
 * are megamorphic.
 */
import { Purgatory } from 'purgatory';
import { Operation } from './operation.ts';
import type { ParkingPeer, ParkingPeerOptions } from './parking-peer.ts';
import { tally } from './tally.ts';

/** The same module under eight addresses is eight modules. */
const kinds = await Promise.all(
  Array.from({ length: 8 }, async (_, index): Promise<typeof Operation> => {
    const copy = new URL(import.meta.url.replace('purgatory-parking', 'operation'));
    copy.search = `kind=${index}`;
    return ((await import(copy.href)) as { Operation: typeof Operation }).Operation;
  }),
);

function parking(
  make: (timeoutMs: number) => Operation,
  options: ParkingPeerOptions = {},
): ParkingPeer<Operation> {
  const purgatory = new Purgatory<string, Operation>('bench');
  tally.onExpired = options.onExpired;
  return {
    operation: make,
    park: (op, keys) => {
      purgatory.tryCompleteElseWatch(op, keys);
    },
    complete: (op) => {
      op.forceComplete();
    },
    ready: (op) => {
      op.isReady = true;
    },
    check: (key) => {
      purgatory.checkAndComplete(key);
    },
    get done() {
      return tally.done;
    },
  };
}

let made = 0;
export const makeOne = (timeoutMs: number): Operation => new Operation(timeoutMs);
export const makeOneOfEight = (timeoutMs: number): Operation => new kinds[made++ & 7](timeoutMs);

export const purgatoryParking = (options?: ParkingPeerOptions): ParkingPeer<Operation> =>
  parking(makeOne, options);
export const megamorphicParking = (options?: ParkingPeerOptions): ParkingPeer<Operation> =>
  parking(makeOneOfEight, options);
