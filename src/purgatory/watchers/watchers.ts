// Who watches which key: the parked operations with their watches.
//
// Ground rules. It owns the parked operations, the keys and the watch lists. It runs no user code
// and knows no timer. An operation has one watch for each of its keys. A key exists exactly while
// somebody watches it; its head is its watch list. A lone watcher has neither watch nor list
// (lone-watcher.ts): when another operation comes to its key, both get a watch on a list, which
// lasts until the last watcher leaves. So an operation leaves every list at once, without a search.
// (Kafka leaves completed operations in their lists and purges now and then. That is what brokers
// ran out of memory on: KAFKA-19389, KAFKA-19763.)
//
// Costs. park, leave: O(keys of the operation), with one look-up for each key that is parked on or
// dropped. watchersOf: O(1). One step of a pass: O(1).
import type { KeyInterest } from '../../bus/membership/bus-member.ts';
import { NONE, type Slot } from '../../slab/slab.ts';
import type { DelayedOperation } from '../delayed-operation.ts';
import type { CountedKey, NextToLeave, ParkedLists } from '../parked-lists.ts';
import { type Head, idOf, isLone, isOwnKey, loneHead, type OwnKey, ownKey, placeOf } from './lone-watcher.ts';
import { ParkedOperations } from './parked-operations.ts';
import { ToldWatchKeys } from './told-watch-keys.ts';
import { WatchKeys } from './watch-keys.ts';
import { type Pass, WatchLists } from './watch-lists.ts';
import { checkWatchers } from './watchers-check.ts';
import { WatchersShrink } from './watchers-shrink.ts';

/** Keys that a snapshot looks at, at most. Of more keys, each snapshot takes the next ones. */
const MAX_SAMPLE = 4_096;

export class Watchers<K> implements ParkedLists<K> {
  readonly parked: ParkedOperations = new ParkedOperations();
  readonly #lists = new WatchLists();
  #keys = new WatchKeys<K>();
  readonly #shrink = new WatchersShrink<K>(this.#lists, this.parked);

  get size(): number {
    return this.parked.size;
  }

  get keys(): number {
    return this.#keys.size;
  }

  get pairs(): number {
    const loneWatchers = this.#keys.size - this.#lists.lists;
    return this.#lists.watches + loneWatchers;
  }

  /** Tells `interest` of each key that gets its first watcher, or loses its last. Before parking. */
  tell(interest: KeyInterest): void {
    this.#keys = new ToldWatchKeys<K>(interest);
  }

  /** How many operations watch `key`. O(1). */
  watchersOf(key: K): number {
    const head = this.headOf(key);
    if (head === undefined) return 0;
    return isLone(head) ? 1 : this.#lists.size(head);
  }

  park(operation: DelayedOperation, keys: readonly K[], stamp: number): void {
    const parked = this.parked;
    const lists = this.#lists;
    const place = parked.add(operation, stamp);
    let first = NONE;
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i];
      const id = this.#keys.find(key);
      if (id === undefined && keys.length === 1) {
        parked.setFirst(place, ownKey(this.#keys.add(key, loneHead(place))));
        return;
      }
      const list = id === undefined ? this.#addList(key) : this.#listOf(id);
      // A key that is given twice: nobody can have parked behind this operation yet.
      if (id !== undefined && lists.isLast(list, place)) continue;
      try {
        first = lists.watch(list, place, first);
      } catch (error) {
        if (lists.size(list) === 0) this.#dropList(list);
        throw error;
      }
      // In each round, not after the loop: the Map may refuse the next key (at 2^24 keys), and the
      // operation must be sound then.
      parked.setFirst(place, first);
    }
  }

  stampOf(operation: DelayedOperation): number {
    return this.parked.stamp(this.parked.find(operation));
  }

  leave(operation: DelayedOperation): number {
    const parked = this.parked;
    const place = parked.find(operation);
    if (place === NONE) return 0;
    const stamp = parked.stamp(place);
    const first = parked.first(place);
    // What needs most of the stack comes first: if it overflows, nothing has changed yet.
    if (isOwnKey(first)) {
      parked.remove(place);
      this.#keys.remove(idOf(first));
    } else {
      this.#leaveLists(first, place);
      parked.remove(place);
    }
    parked.forget(place);
    return stamp;
  }

  /** The first `leave` needs the most of the stack. If it does not overflow, no later call does. */
  #leaveLists(first: Slot, place: Slot): void {
    const lists = this.#lists;
    let watch = first;
    while (watch !== NONE) {
      const next = lists.nextOf(watch);
      const emptied = lists.leave(watch, place);
      if (emptied !== NONE) {
        this.#keys.remove(lists.idOf(emptied));
        lists.close(emptied);
      }
      watch = next;
    }
  }

  /** Where to find who watches `key`; undefined when nobody does. Valid until a change. */
  headOf(key: K): Head | undefined {
    const id = this.#keys.find(key);
    return id === undefined ? undefined : this.#keys.head(id);
  }

  /** The only watcher of a key that needs no list. */
  loneWatcher(head: Head): DelayedOperation | undefined {
    if (!isLone(head)) return undefined;
    const place = placeOf(head);
    this.#keys.readAhead(idOf(this.parked.first(place) as OwnKey));
    return this.parked.at(place);
  }

  /**
   * Begins a pass over the operations that are on a watch list now. Passes end in reverse order.
   */
  beginPass(list: Head): Pass {
    return this.#lists.beginPass(list as Slot);
  }

  /** How many watch by `list`. */
  sizeOf(list: Head): number {
    return this.#lists.size(list as Slot);
  }

  /** Keeps what is left of a pass for later turns; none is held over its list. */
  hold(pass: Pass): Pass {
    return this.#lists.hold(pass);
  }

  /** Ends a pass that was held. */
  release(pass: Pass): void {
    this.#lists.release(pass);
  }

  /** The next operation of a pass that is not over: it is still parked. */
  step(pass: Pass): DelayedOperation {
    return this.parked.at(this.#lists.step(pass)) as DelayedOperation;
  }

  endPass(pass: Pass): void {
    this.#lists.endPass(pass);
  }

  /** Ends all passes but the outermost. */
  endInnerPasses(): void {
    this.#lists.endInnerPasses();
  }

  all(): NextToLeave {
    return () => this.parked.oldest();
  }

  /** Those that watch `key`, in park order. */
  allOf(key: K): NextToLeave {
    return () => {
      const head = this.headOf(key);
      if (head === undefined) return undefined;
      return this.parked.at(isLone(head) ? placeOf(head) : this.#lists.oldest(head));
    };
  }

  oldestFirst(top: number): DelayedOperation[] {
    return this.parked.oldestFirst(top);
  }

  keysOf(operation: DelayedOperation, max: number): K[] {
    const place = this.parked.find(operation);
    if (place === NONE) return [];
    const first = this.parked.first(place);
    if (isOwnKey(first)) return [this.#keys.key(idOf(first))];
    const lists = this.#lists;
    const ids: number[] = [];
    for (let watch = first; watch !== NONE; watch = lists.nextOf(watch)) {
      ids.push(lists.idOf(lists.listOf(watch, place)));
    }
    return ids
      .slice(-max)
      .reverse()
      .map((id) => this.#keys.key(id));
  }

  countedKeys(): CountedKey[] {
    return this.#keys.sample(MAX_SAMPLE).map((key) => ({ key, watchers: this.watchersOf(key) }));
  }

  operationsOf(key: K, max: number): DelayedOperation[] {
    const head = this.headOf(key);
    if (head === undefined) return [];
    if (isLone(head)) return [this.parked.at(placeOf(head)) as DelayedOperation];
    const operations: DelayedOperation[] = [];
    const pass = this.beginPass(head);
    while (pass.next >= 0 && operations.length < max) operations.push(this.step(pass));
    this.endPass(pass);
    return operations;
  }

  allKeys(): IterableIterator<K> {
    return this.#keys.all();
  }

  #addList(key: K): Slot {
    const list = this.#lists.open(NONE);
    try {
      this.#lists.setId(list, this.#keys.add(key, list));
    } catch (error) {
      this.#lists.close(list);
      throw error;
    }
    return list;
  }

  #dropList(list: Slot): void {
    this.#keys.remove(this.#lists.idOf(list));
    this.#lists.close(list);
  }

  /** The list of a key that is watched; one is made for a lone watcher. */
  #listOf(id: number): Slot {
    const head = this.#keys.head(id);
    if (!isLone(head)) return head;
    const place = placeOf(head);
    const list = this.#lists.open(id);
    this.parked.setFirst(place, this.#lists.watch(list, place, NONE));
    this.#keys.setHead(id, list);
    return list;
  }

  shrink(visits: number): boolean {
    return this.#shrink.step(this.#keys, visits);
  }

  check(): void {
    checkWatchers(this.#keys, this.#lists, this.parked, this.pairs);
  }
}
