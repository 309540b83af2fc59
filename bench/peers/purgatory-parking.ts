/**
 * Ours, with one subclass of DelayedOperation and with eight in turn: the engine's calls of `tryComplete`, `onComplete` and
 * `onExpiration` become megamorphic then, as they are in a server with many kinds of requests.
 */
import { DelayedOperation, Purgatory } from 'purgatory';
import type { ParkingPeer, ParkingPeerOptions } from './parking-peer.ts';

interface Counter {
  done: number;
  onExpired: ((op: unknown) => void) | undefined;
}

abstract class Operation extends DelayedOperation {
  isReady = false;
}

function operationClass(counter: Counter): new (timeoutMs: number) => Operation {
  return class extends Operation {
    override tryComplete(): boolean {
      return this.isReady && this.forceComplete();
    }
    override onComplete(): void {
      counter.done++;
    }
    override onExpiration(): void {
      counter.onExpired?.(this);
    }
  };
}

function parking(classes: number, options: ParkingPeerOptions = {}): ParkingPeer<Operation> {
  const counter: Counter = { done: 0, onExpired: options.onExpired };
  const kinds = Array.from({ length: classes }, () => operationClass(counter));
  const purgatory = new Purgatory<string, Operation>('bench');
  let made = 0;
  return {
    operation: (timeoutMs) => new kinds[made++ % classes](timeoutMs),
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
      return counter.done;
    },
  };
}

export const purgatoryParking = (options?: ParkingPeerOptions): ParkingPeer<Operation> => parking(1, options);
export const megamorphicParking = (options?: ParkingPeerOptions): ParkingPeer<Operation> =>
  parking(8, options);
