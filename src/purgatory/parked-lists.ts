// What a Parking asks of its lists: what is parked, in which order, and what it waits for. The
// order is the same for all and is here. What operations wait for is each subclass's: watch keys,
// thresholds, or one key with a load.
//
// Invariants. A parked operation has one cell, at its `$place`, in the ring of all, in park order.
// Places change only in `compact`. The lists run no user code, know no timer, and decide nothing:
// their owner says what is parked and what is removed.
//
// Costs. add, placeOf: O(1). remove: O(watches of the operation). compact: O(parked).
import type { KeyInterest } from '../bus/membership/bus-member.ts';
import { COLUMN_1, COLUMN_2, NONE, Slab, type Slot } from '../slab/slab.ts';
import type { Compactable } from '../turns/compaction.ts';
import type { DelayedOperation } from './delayed-operation.ts';

/** A key and how many parked operations watch it. */
export interface CountedKey {
  readonly key: unknown;
  readonly watchers: number;
}

/** The columns of an operation: one of the subclass, and the stamp. */
export const OWN: number = COLUMN_1;
export const STAMP: number = COLUMN_2;

/** Gives the OWN of an operation anew, whose cell moves. */
type Refile = (own: number, from: Slot, to: Slot) => number;

/**
 * More cells take over 10 ms to copy, the first time in a process (`npm run bench -- herd`). They
 * wait until more were removed.
 */
export const MAX_COPIED = 50_000;

/** @typeParam Watch what an operation waits for: a key, or a key with a threshold. */
export abstract class ParkedLists<Watch> implements Compactable {
  /** @internal */
  operations: Slab<DelayedOperation> = new Slab();
  /** @internal */
  all: Slot = this.operations.makeList(NONE, NONE);
  /**
   * Is called for each key that gets its first watcher, or loses its last; keys are strings then.
   * To be set before anything is parked.
   */
  interest: KeyInterest | undefined;
  /** How often places have changed. Written here alone. */
  moves = 0;

  /** Pairs of an operation and a key that it watches. */
  abstract readonly pairs: number;
  /** Keys that an operation watches. */
  abstract readonly keys: number;

  /**
   * Parks an operation that is parked nowhere behind all others, and keeps `stamp`, an int32, for
   * it: when it was parked (`ageMs`). Sets its `$place` before anything that may throw, so that
   * `remove` can undo a part of it.
   */
  abstract park(operation: DelayedOperation, watches: readonly Watch[], stamp: number): void;
  /**
   * Takes an operation that may be parked here off every list. Returns its stamp; undefined if it
   * is not there. Its `$place` is the caller's to set.
   */
  abstract remove(operation: DelayedOperation): number | undefined;
  /** Keys that a parked operation watches, the first `max` as they were given. O(its keys). */
  abstract keysOf(operation: DelayedOperation, max: number): unknown[];
  /** Keys that an operation watches, in no order. Bounded time: of very many, some are left out. */
  abstract countedKeys(): CountedKey[];
  /** How many operations watch `key`. O(1). */
  abstract watchersOf(key: unknown): number;
  /**
   * Operations that watch `key`, `max` at most: the oldest first, as far as that is known in
   * O(max).
   */
  abstract operationsOf(key: unknown, max: number): DelayedOperation[];
  /**
   * The keys that an operation watches, or that are kept for another reason. It may be kept over
   * turns: keys that come meanwhile are given too. O(1) a step.
   */
  abstract allKeys(): IterableIterator<unknown>;

  /** Those that watch `key`, in the order in which they are to be taken out. */
  allOf(key: unknown): DelayedOperation[] {
    return this.operationsOf(key, Number.POSITIVE_INFINITY);
  }

  /** Parked operations. */
  get size(): number {
    return this.operations.inUse - 1;
  }

  protected add(operation: DelayedOperation, stamp: number): Slot {
    const place = this.operations.pushValue(this.all, NONE, stamp, operation);
    operation.$place = place;
    return place;
  }

  /** NONE if it is not here. */
  protected placeOf(operation: DelayedOperation): Slot {
    const place = operation.$place as Slot;
    return this.operations.value(place) === operation ? place : NONE;
  }

  stampOf(operation: DelayedOperation): number {
    return this.operations.cells[this.placeOf(operation) + STAMP];
  }

  /** The `top` operations that have been parked longest, the oldest first. O(top). */
  oldestFirst(top: number): DelayedOperation[] {
    const oldest: DelayedOperation[] = [];
    const { operations, all } = this;
    for (let place = operations.next(all); place !== all && oldest.length < top; ) {
      oldest.push(operations.value(place) as DelayedOperation);
      place = operations.next(place);
    }
    return oldest;
  }

  /**
   * Whether under a quarter of the memory is in use, and `compact` takes about 10 ms at most. The
   * slabs of a subclass count together.
   */
  get isSparse(): boolean {
    return this.operations.spare > 0 && this.size <= MAX_COPIED;
  }

  /** Gives memory back. Places change: no pass within a call may be under way. */
  abstract compact(): void;

  /** Parks all anew, in park order, in a slab that is empty. */
  protected moveTo(operations: Slab<DelayedOperation>, refile: Refile): void {
    const { operations: old, all: oldAll } = this;
    const all = operations.makeList(NONE, NONE);
    for (let from = old.next(oldAll); from !== oldAll; from = old.next(from)) {
      const operation = old.value(from) as DelayedOperation;
      const to = operations.pushValue(all, NONE, old.cells[from + STAMP], operation);
      const own = refile(old.cells[from + OWN], from, to);
      operations.cells[to + OWN] = own;
      operation.$place = to;
    }
    this.operations = operations;
    this.all = all;
    this.moves++;
  }
}
