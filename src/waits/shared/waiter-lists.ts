// The lists behind the parking of SharedWaits: which waiter waits for which key.
//
// Ground rules. They own the keys, from the first waiter of a key until `forget`, and one list over
// all waiters, in park order. A waiter is in that list and in the list of its key from `park` to
// `leave`. The watch lists of watch-lists.ts, which lie in arrays, are not used here. A load
// answers its waiters one by one, in slices. An array that shrinks in between would move many
// waiters at once, and block the loop.
//
// Costs. park, leave: O(1).

import { mustHold } from '../../base/must-hold.ts';
import type { DelayedOperation } from '../../purgatory/delayed-operation.ts';
import { type CountedKey, ParkedLists } from '../../purgatory/parked-lists.ts';
import { NONE } from '../../slab/slab.ts';
import { type SharedWaiter, WatchedKey } from './watched-key.ts';

/** The most keys that `countedKeys` gives. */
const MAX_KEYS = 4_096;

export class WaiterLists<V> extends ParkedLists<string> {
  readonly #keys = new Map<string, WatchedKey<V>>();
  #lastNumber = 0;
  #waitedFor = 0;

  override get pairs(): number {
    return this.size;
  }

  override get keys(): number {
    return this.#waitedFor;
  }

  /** Every key. A key without waiters is among them while its load is under way. */
  get watched(): ReadonlyMap<string, WatchedKey<V>> {
    return this.#keys;
  }

  /** The number of the waiter that was parked last. */
  get lastNumber(): number {
    return this.#lastNumber;
  }

  /** The key of that name, known or new. A new key becomes known when a waiter is parked on it. */
  keyOf(name: string): WatchedKey<V> {
    return this.#keys.get(name) ?? new WatchedKey(name);
  }

  /** Nobody waits for the key, and nothing is under way for it. */
  forget(key: WatchedKey<V>): void {
    this.#keys.delete(key.key);
  }

  override park(operation: DelayedOperation, _: readonly string[], stamp: number): void {
    const waiter = operation as SharedWaiter<V>;
    const { watched } = waiter;
    this.add(operation, stamp);
    waiter.number = ++this.#lastNumber;
    if (!watched.isWaitedFor) {
      this.interest?.watched(watched.key);
      this.#keys.set(watched.key, watched);
      this.#waitedFor++;
    }
    watched.add(waiter);
  }

  override leave(operation: DelayedOperation): number {
    const place = this.placeOf(operation);
    if (place === NONE) return 0;
    const stamp = this.operations.b(place);
    this.operations.remove(place);
    const waiter = operation as SharedWaiter<V>;
    const { watched } = waiter;
    watched.remove(waiter);
    if (!watched.isWaitedFor) {
      this.#waitedFor--;
      this.interest?.unwatched(watched.key);
    }
    return stamp;
  }

  override allOf(key: unknown): DelayedOperation[] {
    return this.operationsOf(key, Number.POSITIVE_INFINITY);
  }

  override keysOf(operation: DelayedOperation): unknown[] {
    return [(operation as SharedWaiter<V>).watched.key];
  }

  override countedKeys(): CountedKey[] {
    const counted: CountedKey[] = [];
    for (const { key, size } of this.#keys.values()) {
      if (size > 0 && counted.push({ key, watchers: size }) === MAX_KEYS) break;
    }
    return counted;
  }

  override watchersOf(key: unknown): number {
    return this.#keys.get(key as string)?.size ?? 0;
  }

  override operationsOf(key: unknown, max: number): DelayedOperation[] {
    const operations: DelayedOperation[] = [];
    let waiter = this.#keys.get(key as string)?.first;
    for (; waiter !== undefined && operations.length < max; waiter = waiter.after) {
      operations.push(waiter);
    }
    return operations;
  }

  override allKeys(): IterableIterator<unknown> {
    return this.#keys.keys();
  }

  override check(): void {
    let size = 0;
    let waitedFor = 0;
    for (const watched of this.#keys.values()) {
      watched.check();
      size += watched.size;
      if (watched.isWaitedFor) waitedFor++;
      mustHold(watched.isWaitedFor || watched.load !== undefined, `"${watched.key}" is left over`);
    }
    const parked = this.checkOrder().length;
    mustHold(parked === size, `${parked} waiters are parked, ${size} are in the lists of keys`);
    mustHold(
      this.#waitedFor === waitedFor,
      `${this.#waitedFor} keys are counted, ${waitedFor} are waited for`,
    );
  }
}
