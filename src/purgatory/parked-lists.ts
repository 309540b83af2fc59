// What a purgatory asks of the lists that tell who waits for what: watch lists of keys, or heaps of
// thresholds.
//
// Ground rules. The lists keep `$place` of the operations in them, from `park` to `leave`. They run
// no user code and know no timer. They count and order; whoever owns them decides who enters and
// who leaves.
import type { DelayedOperation } from './delayed-operation.ts';

/** A key and how many parked operations watch it. */
export interface CountedKey {
  readonly key: unknown;
  readonly watchers: number;
}

/** Gives an operation at each call; that one leaves before the next call. Undefined at the end. */
export type NextToLeave = () => DelayedOperation | undefined;

/** @typeParam Watch what an operation waits for: a key, or a key with a threshold. */
export interface ParkedLists<Watch> {
  /** Parked operations. */
  readonly size: number;
  /** Pairs of an operation and a key that it watches. */
  readonly pairs: number;
  /** Keys that somebody watches. */
  readonly keys: number;
  /**
   * Parks an operation that is parked nowhere behind all others, and keeps `stamp`, an int32, for
   * it. Sets its `$place` before anything that may throw, so that `leave` can take back what was
   * done.
   */
  park(operation: DelayedOperation, watches: readonly Watch[], stamp: number): void;
  /**
   * Takes an operation that may be parked here off every list, all at once or, where the stack
   * overflows, not at all. Returns its stamp, or 0 if it is not there. Its `$place` is the caller's
   * to set.
   */
  leave(operation: DelayedOperation): number;
  /**
   * Gives memory back after operations have left, with about `visits` visits to what is left; the
   * rest in later steps. True if there is no rest. Places change. Not during a pass within a call.
   * O(1), amortised.
   */
  shrink(visits: number): boolean;
  /** All operations, in park order. */
  all(): NextToLeave;
  /** Those that watch `key`. */
  allOf(key: unknown): NextToLeave;
  stampOf(operation: DelayedOperation): number;
  /** The `top` operations that have been parked longest, the oldest first. O(top). */
  oldestFirst(top: number): DelayedOperation[];
  /**
   * Keys that a parked operation watches, the first `max` (1 or more) as they were given. O(its
   * keys).
   */
  keysOf(operation: DelayedOperation, max: number): unknown[];
  /**
   * Keys that somebody watches, in no order. Bounded time: of very many keys, some are left out.
   */
  countedKeys(): CountedKey[];
  /** How many operations watch `key`. O(1). */
  watchersOf(key: unknown): number;
  /**
   * Operations that watch `key`, `max` at most: the oldest first, as far as that is known in
   * O(max).
   */
  operationsOf(key: unknown, max: number): DelayedOperation[];
  /**
   * The keys that somebody watches, or that are kept for another reason. It may be kept over turns:
   * keys that come meanwhile are given too. O(1) a step.
   */
  allKeys(): IterableIterator<unknown>;
  /** Throws unless all is sound. For tests: O(pairs). */
  check(): void;
}
