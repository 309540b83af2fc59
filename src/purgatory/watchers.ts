// Who watches which key: the parked operations, each with its watches or as the lone watcher of its key.
//
// Ground rules. It owns the parked operations, the keys and the watch lists, and keeps `$place` of what it holds; it runs no user code and
// knows no timer. An operation has one cell in `parked` (a: its first watch, b: its stamp) and one watch per key. A key exists exactly while
// somebody watches it; its head is its watch list. (A lone watcher has neither: see below.) So leaving takes an operation off every list at
// once, O(its keys), with no list of keys beside it and no search. (Kafka leaves completed operations in their lists and purges now and then:
// that is what brokers ran out of memory on, KAFKA-19389, KAFKA-19763.)
//
// A lone watcher has one key and has it for itself, as a request has its correlation id. It needs neither watch nor list: the head of the key
// is its place, and `a` of its cell the id of the key, both turned negative by `lone`. When another comes to watch the key, both get a watch on
// a list, which lasts until the last of them leaves. (An operation that gives one key twice gets a list at once.)
//
// Costs. park, leave: O(keys of the operation), with a look-up of each key when parking and of each that is dropped; a step: O(1).
import { belowNone, type Moved, NONE, Slab, type Slot } from '../slab/slab.ts';
import type { DelayedOperation } from './delayed-operation.ts';
import { type CountedKey, hottestKeys, MAX_KEYS } from './hottest-keys.ts';
import type { Page } from './rosters.ts';
import { WatchKeys } from './watch-keys.ts';
import { MIN_HOT, type Pass, WatchLists } from './watch-lists.ts';
import { checkWatchers } from './watchers-check.ts';

/** The place of a lone watcher, as the head of its key; the id of that key, in the cell of the watcher; and undone. */
const lone = belowNone;

/** Where a compaction has moved what `link` refers to; below 0 it refers to no cell. */
const follow = (moved: Moved, link: number): number => (link < 0 ? link : moved(link as Slot));

/** Compacting the lists visits every parked operation, lone watchers too: it must be worth a cell for so many of them. */
const MAX_VISITS_PER_CELL = 4;

export class Watchers<K, Op extends DelayedOperation> {
  readonly #parked = new Slab<Op>();
  #all = this.#parked.makeList(NONE, NONE);
  readonly #lists = new WatchLists<Op>();
  readonly #keys = new WatchKeys<K>();
  /** What was read ahead last: kept, so that the reading is not optimised away. */
  ahead: number;

  constructor() {
    // Not above: the compiler would then have the private fields begin as undefined, and V8 check at each step of a pass what is in them.
    this.ahead = 0;
  }

  /** Parked operations. */
  get size(): number {
    return this.#parked.inUse - 1;
  }

  /** Keys that somebody watches. */
  get keys(): number {
    return this.#keys.size;
  }

  /** Pairs of an operation and a key that it watches. */
  get pairs(): number {
    const loneWatchers = this.#keys.size - this.#lists.lists;
    return this.#lists.watches + loneWatchers;
  }

  /** Parks an operation that is parked nowhere behind all others, on each of `keys` once; keeps `stamp`, an int32, for it. */
  park(operation: Op, keys: readonly K[], stamp: number): void {
    const parked = this.#parked;
    const lists = this.#lists;
    const slot = parked.push(this.#all, NONE, stamp);
    parked.setValue(slot, operation);
    operation.$place = slot;
    let first = NONE;
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i];
      const id = this.#keys.find(key);
      if (id === undefined && keys.length === 1) {
        parked.setA(slot, lone(this.#keys.add(key, lone(slot))));
        return;
      }
      const list = id === undefined ? this.#addList(key) : this.#listOf(id);
      // A key given twice: nobody can have parked behind this operation yet.
      if (id !== undefined && lists.isLast(list, slot, operation)) continue;
      first = lists.watch(list, slot, first, operation);
      // At once, not after the loop: a Map that refuses its next key (2^24 of them) must leave a sound operation behind.
      parked.setA(slot, first);
    }
  }

  stampOf(operation: DelayedOperation): number {
    return this.#parked.b(operation.$place as Slot);
  }

  /** Takes the operation that is parked at `place` off every list; returns its stamp. */
  leave(_operation: Op, place: number): number {
    const parked = this.#parked;
    const slot = place as Slot;
    const stamp = parked.b(slot);
    const first = parked.a(slot);
    if (first < NONE) this.#keys.remove(lone(first));
    else this.#leaveLists(first as Slot);
    parked.clearValue(slot);
    parked.remove(slot);
    return stamp;
  }

  #leaveLists(first: Slot): void {
    const lists = this.#lists;
    let watch = first;
    while (watch !== NONE) {
      const next = lists.b(watch) as Slot;
      const emptied = lists.leave(watch);
      if (emptied !== NONE) {
        this.#keys.remove(lists.a(emptied));
        lists.close(emptied);
      }
      watch = next;
    }
  }

  /** Where to find who watches `key`, for {@link loneWatcher} or else {@link beginPass}; undefined when nobody does. Valid until a change. */
  headOf(key: K): number | undefined {
    const id = this.#keys.find(key);
    return id === undefined ? undefined : this.#keys.head(id);
  }

  /** The only watcher of a key that needs no list; undefined for a key that has one. */
  loneWatcher(head: number): Op | undefined {
    if (head >= 0) return undefined;
    const place = lone(head) as Slot;
    // What `leave` will ask for if it completes. With very many keys that lies far apart: read here, it is fetched side by side with the operation.
    this.ahead = this.#keys.key(lone(this.#parked.a(place))) === undefined ? 0 : 1;
    return this.#parked.value(place);
  }

  /**
   * The pages with the watchers of a hot key; undefined for any other. A pass goes over what is on them now, for which it needs no
   * {@link beginPass}: whatever happens, who leaves leaves a hole, and who comes stands behind them.
   */
  pagesToTry(head: number): Page<Op>[] | undefined {
    const list = head as Slot;
    return this.#lists.hasRoster(list) ? this.#lists.pagesToTry(list) : undefined;
  }

  /** Tells, when no pass is under way, that one over a linked list has tried so many in vain: the key may become a hot one. */
  didPass(key: K, inVain: number): void {
    if (inVain < MIN_HOT) return; // before the key is looked up: most events are over few
    const list = (this.headOf(key) ?? NONE) as Slot;
    if (list >= 0) this.#lists.didPass(list, inVain, (place) => this.#parked.value(place) as Op);
  }

  /** Begins a pass over the operations that watch a key with a linked list now. Passes end in reverse order. */
  beginPass(head: number): Pass {
    return this.#lists.beginPass(head as Slot);
  }

  /** The next operation of a pass that is not over: it is still parked. */
  step(pass: Pass): Op {
    return this.#parked.value(this.#lists.step(pass)) as Op;
  }

  endPass(pass: Pass): void {
    this.#lists.endPass(pass);
  }

  /** The operation that has been parked longest. */
  oldest(): Op | undefined {
    return this.#parked.value(this.#parked.next(this.#all));
  }

  /** The operation that watches `key` longest. */
  oldestOf(key: K): Op | undefined {
    const head = this.headOf(key);
    if (head === undefined) return undefined;
    return this.loneWatcher(head) ?? this.#parked.value(this.#lists.oldest(head as Slot));
  }

  /** The `top` operations that have been parked longest, the oldest first. O(top). */
  oldestFirst(top: number): Op[] {
    const operations: Op[] = [];
    const parked = this.#parked;
    for (let slot = parked.next(this.#all); slot !== this.#all && operations.length < top; ) {
      operations.push(parked.value(slot) as Op);
      slot = parked.next(slot);
    }
    return operations;
  }

  /** The keys that a parked operation watches, the first `max` (1 or more) as given. O(its keys + max x its place in their lists). */
  keysOf(operation: Op, max: number): K[] {
    const first = this.#parked.a(operation.$place as Slot);
    if (first < NONE) return [this.#keys.key(lone(first))];
    const lists = this.#lists;
    const own: Slot[] = [];
    for (let watch = first as Slot; watch !== NONE; watch = lists.b(watch) as Slot) own.push(watch);
    return own
      .slice(-max)
      .reverse()
      .map((watch) => this.#keys.key(lists.a(lists.listOf(watch))));
  }

  /** The keys with the most watchers; with more than MAX_KEYS keys, among others of them at each call. Bounded time. */
  hottest(top: number): CountedKey<K>[] {
    return hottestKeys(this.#keys.sample(MAX_KEYS), (key, max) => this.#count(key, max), top);
  }

  #count(key: K, max: number): number {
    const head = this.headOf(key) as number;
    return head < NONE ? 1 : this.#lists.count(head as Slot, max);
  }

  #addList(key: K): Slot {
    const list = this.#lists.open(NONE);
    try {
      this.#lists.setA(list, this.#keys.add(key, list));
    } catch (error) {
      this.#lists.close(list);
      throw error;
    }
    return list;
  }

  /** The list of a key that is watched; for a lone watcher, one is made. */
  #listOf(id: number): Slot {
    const head = this.#keys.head(id);
    if (head >= 0) return head as Slot;
    const place = lone(head) as Slot;
    const list = this.#lists.open(id);
    this.#parked.setA(place, this.#lists.watch(list, place, NONE, this.#parked.value(place) as Op));
    this.#keys.setHead(id, list);
    return list;
  }

  /** Gives memory back after a burst. No pass may be under way, as it holds slots. O(1), amortised. */
  shrink(): void {
    if (this.#lists.isUnsettled) this.#lists.settle();
    if (this.#parked.isSparse) this.#compactParked();
    if (this.#lists.isSparse && MAX_VISITS_PER_CELL * this.#lists.capacity >= this.size) this.#compactLists();
    if (this.#keys.isSparse) this.#renumberKeys();
  }

  #compactParked(): void {
    const moved = this.#parked.compact();
    this.#all = moved(this.#all);
    this.#parked.forEachValue((operation, slot) => {
      operation.$place = slot;
      const first = this.#parked.a(slot);
      if (first < NONE) this.#keys.setHead(lone(first), lone(slot));
      for (let watch = first; watch >= 0; watch = this.#lists.b(watch as Slot))
        this.#lists.setA(watch as Slot, slot);
    });
  }

  #compactLists(): void {
    const lists = this.#lists;
    const moved = lists.compact();
    this.#keys.forEach((id, head) => {
      this.#keys.setHead(id, follow(moved, head));
    });
    this.#parked.forEachValue((_, slot) => {
      const first = follow(moved, this.#parked.a(slot));
      this.#parked.setA(slot, first);
      for (let watch = first; watch >= 0; watch = lists.b(watch as Slot)) {
        lists.setB(watch as Slot, follow(moved, lists.b(watch as Slot)));
      }
    });
  }

  #renumberKeys(): void {
    this.#keys.renumber((id, head) => {
      if (head < NONE) this.#parked.setA(lone(head) as Slot, lone(id));
      else this.#lists.setA(head as Slot, id);
    });
  }

  /** Throws unless all is sound. For tests: O(pairs). */
  check(): void {
    checkWatchers(this.#keys, this.#lists, this.#parked, this.#all, this.pairs);
  }
}
