// Queues: items by key, handed over to those who wait for them, in their order.
//
//   put ─► somebody waits for the key ─► the first in line gets it, in the call
//       └► else it is kept ─ take ─► the first item of the first key that has one
//
// Invariants. Those of Items. An item is given once, or kept; `putBack` gives one again. It has no
// condition of a user, and tries nothing. It is a purgatory to all that looks on.
import { throwIfAborted } from '../../base/abort-listeners.ts';
import { requiredArray, requiredFunction, singleKey } from '../../base/checks.ts';
import { full, notWithin } from '../../base/errors.ts';
import { readOptions, titleOf } from '../../base/options.ts';
import { keyText } from '../../base/text.ts';
import { AbstractPurgatory } from '../../purgatory/abstract-purgatory.ts';
import { follow } from '../../purgatory/follow.ts';
import {
  type CheckedWaitOptions,
  checkedWaitOptions,
  parkingParts,
  type WaitOptions,
} from '../../purgatory/purgatory-options.ts';
import type { PurgatorySnapshot, SnapshotOptions } from '../../purgatory/telemetry/purgatory-snapshot.ts';
import type { ItemLine } from './item-line.ts';
import { Items, type Taken, type TakenMany } from './items.ts';
import {
  checkedKey,
  checkedKeys,
  checkedTakeMany,
  QUEUES_OPTIONS,
  type QueuesOptions,
  type TakeManyOptions,
} from './queues-options.ts';
import { Taker } from './taker.ts';

/** What {@link Queues.take} resolves with. */
export type TakeResult<V, K> = Taken<V, K> | { expired: true; key?: undefined; value?: undefined };

/** What {@link Queues.takeMany} resolves with. */
export type TakeManyResult<V, K> = TakenMany<V, K> | { expired: true; key?: undefined; values?: undefined };

/** Queues at one moment: those who wait, and the items. */
export interface QueuesSnapshot extends PurgatorySnapshot {
  items: ItemsSnapshot;
}

/** The items that are kept. */
export interface ItemsSnapshot {
  /** Of all keys. */
  size: number;
  /** Keys that have an item. */
  keys: number;
  /** The option; null for no limit. */
  max: number | null;
  /** Items that were taken since it was made; one that came back counts each time. */
  taken: number;
}

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
   * @throws TypeError ERR_INVALID_ARG_VALUE for a key that is undefined.
   * @throws PurgatoryError ERR_PURGATORY_FULL: `maxItems` are kept, and nobody waits for the key;
   *   _CLOSED.
   */
  put(key: K, item: V): boolean {
    const line = this.#lineToFill(key);
    if (this.#items.size >= this.#maxItems) this.#checkRoom(line, 1);
    this.#items.add(line, item);
    return this.#serve(line);
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
    if (this.#items.size + copy.length > this.#maxItems) this.#checkRoom(line, copy.length);
    const before = line.size;
    for (const item of copy) this.#items.add(line, item);
    this.#items.serveOrRest(line);
    return Math.min(copy.length, before + copy.length - line.size);
  }

  /**
   * Puts what `take`, `takeMany` or `tryTake` gave back in its place: the items of a key are in the
   * order in which they were put, whoever gives back first. For a taker that is known to have gone.
   * A taker may go unnoticed, so an item is delivered at most once. True: those who wait have all of
   * it. It is never refused: not when full, and not after `close`, when it is kept for `tryTake`.
   * O(log n) an item, of n that came back and are kept.
   *
   * @throws TypeError ERR_INVALID_ARG_VALUE for another object, a copy, one that was put back, and one
   *   whose key, or number of `values`, is not the one that was given.
   */
  putBack(taken: Taken<V, K> | TakenMany<V, K>): boolean;
  /**
   * Puts an item before all others of `key`: as `put`, but it is never refused.
   *
   * @throws TypeError ERR_INVALID_ARG_VALUE for a key that is undefined.
   */
  putBack(key: K, item: V): boolean;
  putBack(...given: [taken: Taken<V, K> | TakenMany<V, K>] | [key: K, item: V]): boolean {
    const items = this.#items;
    if (given.length === 1) return this.#serve(items.addTaken(given[0]));
    const line = items.lists.lineOf(checkedKey(given[0]));
    items.addBack(line, given[1]);
    return this.#serve(line);
  }

  /**
   * Takes out the first item of `key` that is the same as `item`, as a Map compares them: its caller
   * has given up. True iff it was there. False for one that was taken. Works after `close`, too.
   * O(items of the key).
   *
   * @throws TypeError ERR_INVALID_ARG_VALUE for a key that is undefined.
   */
  remove(key: K, item: V): boolean {
    const line = this.#items.lists.known(checkedKey(key));
    return line !== undefined && this.#items.remove(line, item);
  }

  /**
   * Takes out all items of `key`, and returns them in their order. Works after `close`, too.
   * O(items of the key).
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
    try {
      const own = checkedKeys(keys);
      const wait = checkedWaitOptions(options);
      const line = this.#lineToTake(own, wait);
      if (line !== undefined) return Promise.resolve(this.#items.takeOne(line));
      return this.#park(new Taker(undefined, wait), own) as Promise<TakeResult<V, K>>;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /**
   * As `take`, but takes up to `max` items of one key. Resolves with an array of at least one item,
   * or with `{ expired: true }`: it does not wait for more. O(keys + items).
   */
  takeMany(keys: readonly K[], options: TakeManyOptions): Promise<TakeManyResult<V, K>> {
    try {
      const own = checkedKeys(keys);
      const wait = checkedTakeMany(options);
      const line = this.#lineToTake(own, wait);
      if (line !== undefined) return Promise.resolve(this.#items.takeSome(line, wait.max));
      return this.#park(new Taker(wait.max, wait), own) as Promise<TakeManyResult<V, K>>;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /**
   * At once what `take` would give, or undefined. Overtakes nobody. Works after `close`, too, to
   * drain what is kept. O(keys).
   *
   * @throws TypeError (Node's codes) for no array, an empty one, or a key that is undefined.
   */
  tryTake(keys: readonly K[]): Taken<V, K> | undefined {
    const line = this.#items.firstWithItems(checkedKeys(keys));
    return line && this.#items.takeOne(line);
  }

  /**
   * For a pool: takes an item, calls `work` with it, and puts it back when `work` has ended, also
   * when it throws. Resolves with what `work` returns. Rejects as `take`, with `signal.reason` where
   * the signal has aborted by then, and at the deadline with a PurgatoryError ERR_PURGATORY_TIMEOUT;
   * then `work` is not called.
   */
  async use<T>(
    keys: readonly K[],
    options: WaitOptions,
    work: (item: V, key: K) => T | PromiseLike<T>,
  ): Promise<T> {
    requiredFunction('work', work);
    const taken = await this.take(keys, options);
    if (taken.expired) {
      const others = keys.length > 1 ? ` and ${keys.length - 1} more` : '';
      throw notWithin(
        `No item of "${this.name}" for the key ${keyText(keys[0])}${others}`,
        options.timeoutMs,
      );
    }
    try {
      throwIfAborted(options.signal);
      return await work(taken.value, taken.key);
    } finally {
      this.putBack(taken.key, taken.value);
    }
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
    const { size, keys, taken } = this.#items;
    const max = this.#maxItems === Number.POSITIVE_INFINITY ? null : this.#maxItems;
    return { ...super.snapshot(options), items: { size, keys, max, taken } };
  }

  #lineToFill(key: K): ItemLine<K, V> {
    const { parking, lists } = this.#items;
    checkedKey(key);
    parking.checkOpen();
    return lists.lineOf(key);
  }

  /** Hands over what was added. True iff nothing is kept. */
  #serve(line: ItemLine<K, V>): boolean {
    this.#items.serveOrRest(line);
    return line.size === 0;
  }

  /** @throws PurgatoryError ERR_PURGATORY_FULL, unless those who wait take what is too much. */
  #checkRoom(line: ItemLine<K, V>, count: number): void {
    const items = this.#items;
    const kept = count - items.wanted(line, count);
    if (kept <= 0 || items.size + kept <= this.#maxItems) return;
    if (line.isIdle) items.lists.rest(line);
    throw items.parking.countRefusal(full(items.parking.title, 'maxItems', this.#maxItems));
  }

  #lineToTake(keys: readonly K[], { signal }: CheckedWaitOptions): ItemLine<K, V> | undefined {
    this.#items.parking.checkOpen(signal);
    return this.#items.firstWithItems(keys);
  }

  #park(taker: Taker, keys: readonly K[]): Promise<unknown> {
    this.#items.parking.park(taker, keys);
    return taker.begin();
  }
}
