/**
 * The purgatory with objects linked to each other in place of slabs: a node for each watch, in a
 * ring for each key, and the linked wheel for the deadlines. It has the same O(1) everywhere and
 * the same exact removal. So the difference to ours is the layout alone.
 */
import { linkedWheel } from './linked-wheel.ts';
import type { ParkingPeer } from './parking-peer.ts';
import type { TimerPeer } from './timer-peer.ts';

class Ring {
  next: Watch | Ring = this;
  prev: Watch | Ring = this;
  readonly operation = undefined;
  readonly key: string;

  constructor(key: string) {
    this.key = key;
  }
}

class Watch {
  next: Watch | Ring;
  prev: Watch | Ring;
  readonly operation: LinkedOperation;
  readonly ring: Ring;
  readonly nextOfOperation: Watch | undefined;

  constructor(operation: LinkedOperation, ring: Ring) {
    this.operation = operation;
    this.ring = ring;
    this.nextOfOperation = operation.watches;
    this.next = ring;
    this.prev = ring.prev;
    ring.prev.next = this;
    ring.prev = this;
  }

  unlink(): void {
    this.prev.next = this.next;
    this.next.prev = this.prev;
  }
}

class LinkedOperation {
  isReady = false;
  isCompleted = false;
  watches: Watch | undefined;
  deadline: unknown;
  readonly timeoutMs: number;

  constructor(timeoutMs: number) {
    this.timeoutMs = timeoutMs;
  }
}

class LinkedParking implements ParkingPeer<LinkedOperation> {
  done = 0;
  readonly #rings = new Map<string, Ring>();
  // In the workloads that use this, all are completed long before their deadlines.
  readonly #timers: TimerPeer = linkedWheel({
    onExpire: () => {
      throw new Error('an operation was left until its deadline');
    },
  });

  operation(timeoutMs: number): LinkedOperation {
    return new LinkedOperation(timeoutMs);
  }

  park(operation: LinkedOperation, keys: readonly string[]): void {
    for (const key of keys) {
      let ring = this.#rings.get(key);
      if (ring === undefined) {
        ring = new Ring(key);
        this.#rings.set(key, ring);
      }
      operation.watches = new Watch(operation, ring);
    }
    operation.deadline = this.#timers.start(operation.timeoutMs);
  }

  complete(operation: LinkedOperation): void {
    if (operation.isCompleted) return;
    operation.isCompleted = true;
    for (let watch = operation.watches; watch !== undefined; watch = watch.nextOfOperation) {
      watch.unlink();
      if (watch.ring.next === watch.ring) this.#rings.delete(watch.ring.key);
    }
    operation.watches = undefined;
    this.#timers.cancel(operation.deadline);
    this.done++;
  }

  ready(operation: LinkedOperation): void {
    operation.isReady = true;
  }

  check(key: string): void {
    const ring = this.#rings.get(key);
    if (ring === undefined) return;
    for (let watch = ring.next; watch.operation !== undefined; watch = watch.next) {
      if (watch.operation.isReady) this.complete(watch.operation);
    }
  }
}

export const linkedParking = (): ParkingPeer<LinkedOperation> => new LinkedParking();
