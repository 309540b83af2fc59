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
import type { KeyInterest } from '../../bus/membership/bus-member.ts';
import type { DelayedOperation } from '../../purgatory/delayed-operation.ts';
import type { CountedKey, NextToLeave, ParkedLists } from '../../purgatory/parked-lists.ts';
import { type SharedWaiter, WatchedKey } from './watched-key.ts';

/** `$place` of all waiters that are parked here. Waiters know their own lists. */
const PARKED = 0;
/** The most keys that `countedKeys` gives. */
const MAX_KEYS = 4_096;

export class WaiterLists<V> implements ParkedLists<string> {
  readonly #keys = new Map<string, WatchedKey<V>>();
  #oldest: SharedWaiter<V> | undefined;
  #youngest: SharedWaiter<V> | undefined;
  /** Is told of the keys that somebody waits for, if the bus needs to know. */
  #interest: KeyInterest | undefined;
  #size = 0;
  #lastNumber = 0;
  #waitedFor = 0;

  get size(): number {
    return this.#size;
  }

  get pairs(): number {
    return this.#size;
  }

  get keys(): number {
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

  /** Tells `interest` of each key that gets its first waiter, or loses its last. Before parking. */
  tell(interest: KeyInterest): void {
    this.#interest = interest;
  }

  /** The key of that name, known or new. A new key becomes known when a waiter is parked on it. */
  keyOf(name: string): WatchedKey<V> {
    return this.#keys.get(name) ?? new WatchedKey(name);
  }

  /** Nobody waits for the key, and nothing is under way for it. */
  forget(key: WatchedKey<V>): void {
    this.#keys.delete(key.key);
  }

  park(operation: DelayedOperation, _: readonly string[], stamp: number): void {
    const waiter = operation as SharedWaiter<V>;
    const { watched } = waiter;
    waiter.$place = PARKED;
    waiter.stamp = stamp;
    waiter.number = ++this.#lastNumber;
    if (!watched.isWaitedFor) {
      this.#interest?.watched(watched.key);
      this.#keys.set(watched.key, watched);
      this.#waitedFor++;
    }
    watched.add(waiter);
    waiter.older = this.#youngest;
    if (this.#youngest === undefined) this.#oldest = waiter;
    else this.#youngest.younger = waiter;
    this.#youngest = waiter;
    this.#size++;
  }

  leave(operation: DelayedOperation): number {
    if (operation.$place !== PARKED) return 0;
    const waiter = operation as SharedWaiter<V>;
    const { watched, older, younger } = waiter;
    watched.remove(waiter);
    if (!watched.isWaitedFor) this.#waitedFor--;
    if (older === undefined) this.#oldest = younger;
    else older.younger = younger;
    if (younger === undefined) this.#youngest = older;
    else younger.older = older;
    waiter.older = undefined;
    waiter.younger = undefined;
    this.#size--;
    if (!watched.isWaitedFor) this.#interest?.unwatched(watched.key);
    return waiter.stamp;
  }

  /** Does nothing: the lists hold no memory beyond what is parked. */
  shrink(): boolean {
    return true;
  }

  all(): NextToLeave {
    return () => this.#oldest;
  }

  allOf(key: unknown): NextToLeave {
    return () => this.#keys.get(key as string)?.first;
  }

  stampOf(operation: DelayedOperation): number {
    return (operation as SharedWaiter<V>).stamp;
  }

  oldestFirst(top: number): DelayedOperation[] {
    const oldest: DelayedOperation[] = [];
    for (let waiter = this.#oldest; waiter !== undefined && oldest.length < top; waiter = waiter.younger) {
      oldest.push(waiter);
    }
    return oldest;
  }

  keysOf(operation: DelayedOperation): unknown[] {
    return [(operation as SharedWaiter<V>).watched.key];
  }

  countedKeys(): CountedKey[] {
    const counted: CountedKey[] = [];
    for (const { key, size } of this.#keys.values()) {
      if (size > 0 && counted.push({ key, watchers: size }) === MAX_KEYS) break;
    }
    return counted;
  }

  watchersOf(key: unknown): number {
    return this.#keys.get(key as string)?.size ?? 0;
  }

  operationsOf(key: unknown, max: number): DelayedOperation[] {
    const operations: DelayedOperation[] = [];
    let waiter = this.#keys.get(key as string)?.first;
    for (; waiter !== undefined && operations.length < max; waiter = waiter.after) {
      operations.push(waiter);
    }
    return operations;
  }

  allKeys(): IterableIterator<unknown> {
    return this.#keys.keys();
  }

  check(): void {
    let size = 0;
    let waitedFor = 0;
    for (const watched of this.#keys.values()) {
      watched.check();
      size += watched.size;
      if (watched.isWaitedFor) waitedFor++;
      mustHold(watched.isWaitedFor || watched.load !== undefined, `"${watched.key}" is left over`);
    }
    mustHold(this.#size === size, `${this.#size} waiters are counted, ${size} are in the lists of keys`);
    mustHold(
      this.#waitedFor === waitedFor,
      `${this.#waitedFor} keys are counted, ${waitedFor} are waited for`,
    );
    mustHold(this.oldestFirst(Number.POSITIVE_INFINITY).length === size, 'the list of all has not all');
  }
}
