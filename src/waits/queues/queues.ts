// Queues: items by key, handed over to those who wait for them, in their order.
//
//   put ─► somebody waits for the key ─► the first in line gets it, in the call
//       └► else it is kept ─ take, lease ─► the first item of the first key that has one
//
// Invariants. Those of Items. An item is given once, or kept; `putBack` and the end of a lease give
// one again. It has no condition of a user, and tries nothing. It is a purgatory to all that looks on.
import { requiredArray, singleKey } from '../../base/checks.ts';
import { debug, debugOnce } from '../../base/debug.ts';
import { full } from '../../base/errors.ts';
import { readOptions, titleOf } from '../../base/options.ts';
import { AbstractPurgatory } from '../../purgatory/abstract-purgatory.ts';
import { follow } from '../../purgatory/follow.ts';
import { checkedWaitOptions, parkingParts, type WaitOptions } from '../../purgatory/purgatory-options.ts';
import {
  DEFAULT_TOP,
  type PurgatorySnapshot,
  type SnapshotOptions,
} from '../../purgatory/telemetry/purgatory-snapshot.ts';
import type { BarrierOptions, BarrierResult } from '../../timer/barrier.ts';
import type { ItemLine } from './item-line.ts';
import { Items, type Taken, type TakenMany } from './items.ts';
import { type ItemsSnapshot, itemsSnapshot } from './items-snapshot.ts';
import { Lease } from './lease.ts';
import {
  type CheckedTake,
  checkedAfter,
  checkedKey,
  checkedKeys,
  checkedLease,
  checkedPut,
  checkedTakeMany,
  type LaterOptions,
  type LeaseOptions,
  type PutOptions,
  QUEUES_OPTIONS,
  type QueuesOptions,
  type TakeManyOptions,
} from './queues-options.ts';
import { TakenMark } from './taken-mark.ts';
import { Taker } from './taker.ts';

/** What {@link Queues.take} resolves with. */
export type TakeResult<V, K> = Taken<V, K> | { expired: true; key?: undefined; value?: undefined };

/** What {@link Queues.takeMany} resolves with. */
export type TakeManyResult<V, K> = TakenMany<V, K> | { expired: true; key?: undefined; values?: undefined };

/** Queues at one moment: those who wait, and the items. */
export interface QueuesSnapshot extends PurgatorySnapshot {
  items: ItemsSnapshot;
}

/** What {@link Queues.lease} resolves with. */
export type LeaseResult<V, K> =
  | Lease<V, K>
  | { expired: true; key?: undefined; value?: undefined; deliveries?: undefined };

/**
 * Queues of items `V`, one for each key that has an item or is waited for. One object serves all
 * keys: an idle key takes no memory, and `Queues` some 15 kB.
 */
export class Queues<V, K = string> extends AbstractPurgatory<K, never> {
  readonly #items: Items<V, K>;
  readonly #maxItems: number;

  /**
   * @param name for people: errors and metrics show it.
   * @throws TypeError, RangeError (Node's codes) for a name that is no string, or a bad option.
   */
  constructor(name: string, options?: QueuesOptions) {
    const title = titleOf('Queues', name);
    const { maxItems, ...given } = readOptions(title, options, QUEUES_OPTIONS);
    const items = new Items<V, K>(parkingParts(title, name, given));
    super(items.parking as never);
    this.#items = items;
    this.#maxItems = maxItems;
  }

  /** The option: the most items that are kept. Infinity for no limit. */
  get maxItems(): number {
    return this.#maxItems;
  }

  /** Items that are kept, of all keys. O(1). */
  get size(): number {
    return this.#items.size;
  }

  /** Items that are kept of `key`. O(1). */
  sizeOf(key: K): number {
    singleKey('key', key, 'several keys are several sizeOf');
    return this.#items.lists.known(key)?.size ?? 0;
  }

  /** The keys that have an item, in no order. O(1) a step. */
  *keys(): IterableIterator<K> {
    for (const { key, size } of this.#items.lists.lines()) if (size > 0) yield key;
  }

  /**
   * Puts an item behind the others of `key`. If somebody waits for the key, the first in line gets
   * it, in this call: true. Else it is kept: false. O(1), and O(keys of the one who gets it).
   *
   * An item with a `timeoutMs` leaves after that time, unless it was taken, and `onExpired` is called
   * with it; one with a `signal` leaves at its abort. An item that comes back later than that leaves
   * then. With `afterMs` it is put that much later; until then it is in no `size`.
   *
   * @throws TypeError, RangeError (Node's codes) for a key that is undefined, or a bad option; the
   *   reason of a signal that has aborted.
   * @throws PurgatoryError ERR_PURGATORY_FULL: `maxItems` are kept or come later, and nobody waits for
   *   the key, or the timer's `maxPending` is reached by an item with a time; _CLOSED.
   */
  put(key: K, item: V, options?: PutOptions<V, K>): boolean {
    if (options !== undefined) return this.#putWith(key, item, options);
    const line = this.#lineToFill(key);
    if (this.#items.stored >= this.#maxItems) this.#checkRoom(line, 1, false);
    this.#items.add(line, item);
    this.#items.serve(line);
    return line.size === 0;
  }

  #putWith(key: K, item: V, options: PutOptions<V, K>): boolean {
    const { afterMs, timeoutMs, signal, onExpired } = checkedPut(options);
    const items = this.#items;
    const line = this.#lineToFill(key, signal);
    this.#checkRoom(line, 1, afterMs > 0);
    const isEndless = timeoutMs === Number.POSITIVE_INFINITY;
    if (isEndless && onExpired !== undefined)
      debugOnce(this, 'onExpired', 'queues: an item has onExpired and no timeoutMs: it never expires');
    const deadlineMs = items.timer.now() + timeoutMs;
    items.put(
      line,
      item,
      afterMs,
      isEndless && signal === undefined ? undefined : { deadlineMs, signal, onExpired },
    );
    return afterMs === 0 && line.size === 0;
  }

  /**
   * Puts all of `items`, in their order, or none. Returns how many were handed over in the call: at
   * most 64 waits get theirs in the call, the others soon after, in slices. O(items).
   *
   * @throws TypeError ERR_INVALID_ARG_TYPE for no array, ERR_INVALID_ARG_VALUE for a key that is
   *   undefined.
   * @throws PurgatoryError ERR_PURGATORY_FULL: `maxItems` leaves no room for all; _CLOSED.
   */
  putAll(key: K, items: readonly V[]): number {
    const copy = [...requiredArray('items', items)];
    const line = this.#lineToFill(key);
    if (this.#items.stored + copy.length > this.#maxItems) this.#checkRoom(line, copy.length, false);
    const before = line.size;
    for (const item of copy) this.#items.add(line, item);
    this.#items.serve(line);
    return Math.min(copy.length, before + copy.length - line.size);
  }

  /**
   * Puts what `take`, `takeMany` or `tryTake` gave back in its place: the items of a key are in the
   * order in which they were put, whoever gives back first. For a taker that is known to have gone.
   * A taker may go unnoticed, so an item is delivered at most once: `lease` is for more. True: those
   * who wait have all of it. It is never refused: not when full, and not after `close`, when it is
   * kept for `tryTake`. With `afterMs` it comes that much later. O(log n) an item, of n that came back
   * and are kept.
   *
   * @throws TypeError ERR_INVALID_ARG_VALUE for another object, a copy, one that was put back, and one
   *   whose key, or number of `values`, is not the one that was given; TypeError, RangeError (Node's
   *   codes) for a bad `afterMs`.
   */
  putBack(taken: Taken<V, K> | TakenMany<V, K>, options?: LaterOptions): boolean;
  /**
   * Puts an item before all others of `key`: as `put`, but it is never refused.
   *
   * @throws TypeError, RangeError (Node's codes) for a key that is undefined, or a bad `afterMs`.
   */
  putBack(key: K, item: V, options?: LaterOptions): boolean;
  putBack(
    ...given:
      | [taken: Taken<V, K> | TakenMany<V, K>, options?: LaterOptions]
      | [key: K, item: V, options?: LaterOptions]
  ): boolean {
    const items = this.#items;
    if (given.length === 1 || TakenMark.has(given[0]) || given[0] instanceof Lease) {
      const afterMs = checkedAfter(given[1] as LaterOptions | undefined);
      return items.putTaken(given[0] as Taken<V, K>, afterMs).size === 0 && afterMs === 0;
    }
    const afterMs = checkedAfter(given[2]);
    const line = items.lists.lineOf(checkedKey(given[0] as K));
    items.putFirst(line, given[1] as V, afterMs);
    return line.size === 0 && afterMs === 0;
  }

  /**
   * Takes out an item of `key` that is the same as `item`, as a Map compares them: its caller has
   * given up. The first of the key, else the last, else the first that is found. True iff it was
   * there. False for one that was taken, or is out on lease. Works after `close`, too. O(1) for the
   * first and the last, else O(items of the key): `signal` and `timeoutMs` of `put` are O(1).
   *
   * @throws TypeError ERR_INVALID_ARG_VALUE for a key that is undefined.
   */
  remove(key: K, item: V): boolean {
    const line = this.#items.lists.known(checkedKey(key));
    return line !== undefined && this.#items.remove(line, item);
  }

  /**
   * Takes out all items of `key`, and returns them in their order: also those that are out on lease,
   * whose leases are over, and those that come later. Works after `close`, too. O(items of the key).
   *
   * @throws TypeError ERR_INVALID_ARG_VALUE for a key that is undefined.
   */
  clear(key: K): V[] {
    const line = this.#items.lists.known(checkedKey(key));
    return line === undefined ? [] : this.#items.clear(line);
  }

  /**
   * Takes the first item of the first of `keys`, in the order given, that has one. Else waits, on
   * all of them, for the first item that is put. Resolves with the item, or with `{ expired: true }`
   * after `timeoutMs`. O(keys).
   *
   * Once it has its item, an abort changes nothing: in a `Promise.race` that another promise wins,
   * the item is lost. Use `timeoutMs` and `signal`; `putBack` is for a client that is known to have
   * gone.
   *
   * Rejects with `signal.reason` on abort; with a TypeError or RangeError (Node's codes) for bad
   * arguments; with a PurgatoryError: ERR_PURGATORY_CLOSED, _FULL: `maxParked`, or the timer's
   * `maxPending`, is reached, or _CANCELLED by `cancelForKey`. Never throws.
   */
  take(keys: readonly K[], options: WaitOptions): Promise<TakeResult<V, K>> {
    return this.#take(checkedWaitOptions, keys, options) as Promise<TakeResult<V, K>>;
  }

  /**
   * As `take`, but takes up to `max` items of one key. Resolves with an array of at least one item,
   * or with `{ expired: true }`: it does not wait for more. O(keys + items).
   */
  takeMany(keys: readonly K[], options: TakeManyOptions): Promise<TakeManyResult<V, K>> {
    return this.#take(checkedTakeMany, keys, options) as Promise<TakeManyResult<V, K>>;
  }

  /**
   * As `take`, but the item is yours for `leaseMs` only: delivery at least once. Resolves with the
   * {@link Lease}, or with `{ expired: true }`. While it is out, the item is in no `size`. `ack` ends
   * it. It comes back to its place, to those who wait first, by `nack`, at the end of `leaseMs`, and
   * at an abort of `signal`, whether or not the promise has settled by then. `clear` and `close` end
   * the lease, too; after that, and after it came back, `ack` returns false. O(keys).
   *
   * Rejects as `take`; _FULL also when the timer has no room for the end of the lease: then the item
   * stays where it was.
   */
  lease(keys: readonly K[], options: LeaseOptions): Promise<LeaseResult<V, K>> {
    return this.#take(checkedLease, keys, options) as Promise<LeaseResult<V, K>>;
  }

  /**
   * At once what `take` would give, or undefined. Overtakes nobody. Works after `close`, too, to
   * drain what is kept. O(keys).
   *
   * @throws TypeError (Node's codes) for no array, an empty one, or a key that is undefined.
   */
  tryTake(keys: readonly K[]): Taken<V, K> | undefined {
    const line = this.#items.firstWithItems(checkedKeys(keys));
    return line && this.#items.take(line);
  }

  /**
   * Resolves with `{ expired: false }` when no item is out on lease: at once, or in the call that ends
   * the last lease; with `{ expired: true }` after `timeoutMs`. For a shutdown: end the waits first, by
   * their signals or `cancelForKey`, and `close()` last, since that ends the leases. It keeps no process
   * alive but by its deadline. O(1). Rejects as `idle` of a Semaphore.
   */
  idle(options?: BarrierOptions): Promise<BarrierResult> {
    return this.#items.idle(options);
  }

  /**
   * One `take` after the other, as an async iterator: each item, and `{ expired: true }` after each
   * `timeoutMs` without one. For a worker. It takes an item only when `next` is called, and `break`,
   * `return()` and an abort end the wait at once. An item that is handed over when nobody asks any
   * more is put back. O(keys) an item.
   *
   * `next` rejects as `take` does: on abort with `signal.reason`, and with ERR_PURGATORY_CLOSED. Then
   * the iterator has ended.
   *
   * @throws TypeError, RangeError (Node's codes) for a bad argument.
   */
  follow(keys: readonly K[], options: WaitOptions): AsyncGenerator<TakeResult<V, K>, void, undefined> {
    const own = checkedKeys(keys);
    const { signal, ...wait } = checkedWaitOptions(options);
    const putBack = (late: TakeResult<V, K>): void => void (late.expired || this.putBack(late));
    return follow((stop) => this.take(own, { ...wait, signal: stop }), signal, this.timer.clock, putBack);
  }

  /** As the snapshot of a Purgatory, with the items. */
  override snapshot(options?: SnapshotOptions): QueuesSnapshot {
    const snapshot = super.snapshot(options);
    const top = options?.top ?? DEFAULT_TOP;
    return { ...snapshot, items: itemsSnapshot(this.#items, this.#maxItems, snapshot.nowMs, top) };
  }

  /**
   * As that of a Purgatory. What is out on lease comes back, what was to come later is kept, and no
   * item has a deadline any more: `size` is how many are left, for `tryTake` and `clear`. O(items).
   */
  override close(): never[] {
    const none = super.close();
    this.#items.close();
    debug('queues "%s" closed with %d items', this.name, this.size);
    return none;
  }

  #lineToFill(key: K, signal?: AbortSignal): ItemLine<K, V> {
    const { parking, lists } = this.#items;
    checkedKey(key);
    parking.checkOpen(signal);
    return lists.lineOf(key);
  }

  /** @throws PurgatoryError ERR_PURGATORY_FULL, unless those who wait take what is too much. */
  #checkRoom(line: ItemLine<K, V>, count: number, isLater: boolean): void {
    const items = this.#items;
    const kept = isLater ? count : count - items.wanted(line, count);
    if (kept <= 0 || items.stored + kept <= this.#maxItems) return;
    throw items.parking.countRefusal(full(items.parking.title, 'maxItems', this.#maxItems));
  }

  #take<O>(check: (options: O) => CheckedTake, keys: readonly K[], options: O): Promise<unknown> {
    try {
      const own = checkedKeys(keys);
      const checked = check(options);
      const items = this.#items;
      items.parking.checkOpen(checked.signal);
      const line = items.firstWithItems(own);
      if (line !== undefined) return Promise.resolve(items.takeBy(line, checked));
      const taker = new Taker(checked);
      items.parking.park(taker, own);
      return taker.begin();
    } catch (error) {
      return Promise.reject(error);
    }
  }
}
