// Who watches which key: the parked operations, and for each key the operations that watch it, in park order.
//
// Ground rules. It owns two slabs and the keys, and keeps `$place` of what it holds; it runs no user code and knows no timer. An operation has one cell in
// `parked` (a: its first watch, b: its stamp) and one cell in `watches` per key (a: its operation's cell, b: the next watch of the same operation).
// A key has one sentinel in `watches` (a: its id), which is its head; it exists exactly while somebody watches it. So leaving
// takes an operation off every list at once, O(its keys), with no list of keys beside it and no search. (Kafka leaves completed
// operations in their lists and purges now and then: that is what brokers ran out of memory on, KAFKA-19389, KAFKA-19763.)
//
// A lone watcher, which has one key and has it for itself, as a request has its correlation id, needs neither watch nor list: the head is
// its place and `a` of its cell the id, both turned negative by `lone`. It gets them when somebody else comes to watch the key.
//
// A pass over a key may meet any change under it, since each step runs user code. It keeps the next and the last watch that it will
// step to, and whoever takes a watch out moves both along. Operations parked meanwhile come after the last one.
//
// Costs. park, leave: O(keys of the operation), each with one Map look-up when parking; a step: O(1). A watch that leaves while
// passes are under way also costs O(depth of passes).
import { mustHold } from '../must-hold.ts';
import { NONE, Slab, type Slot } from '../slab/slab.ts';
import type { DelayedOperation } from './delayed-operation.ts';
import { type CountedKey, hottestKeys, MAX_KEYS } from './hottest-keys.ts';
import { WatchKeys } from './watch-keys.ts';

/** A walk over the operations that watched a key when it began. Made by {@link Watchers.beginPass} only. */
export interface Pass {
  next: Slot;
  last: Slot;
  /** How many passes are around it. */
  readonly depth: number;
}

/** `b` of a sentinel: tells it from a watch, in checks. */
const SENTINEL = -2;

/** Where a lone watcher is parked, as the head of its key; or the key's id, in the cell of the watcher. Below NONE; undone by itself. */
const lone = (placeOrId: number): number => -2 - placeOrId;

export class Watchers<K, Op extends DelayedOperation> {
  readonly #parked = new Slab<Op>();
  #all = this.#parked.makeList(NONE, NONE);
  readonly #watches = new Slab();
  /** Keys with a list; the others have a lone watcher. */
  #lists = 0;
  readonly #keys = new WatchKeys<K>();
  /** What was read ahead last: kept, so that the reading is not optimised away. */
  ahead = 0;
  readonly #passes: Pass[] = [];
  #depth = 0;

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
    return this.#watches.inUse - this.#lists + (this.#keys.size - this.#lists);
  }

  /** Parks an operation that is parked nowhere behind all others, on each of `keys` once; keeps `stamp`, an int32, for it. */
  park(operation: Op, keys: readonly K[], stamp: number): void {
    const parked = this.#parked;
    const watches = this.#watches;
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
      if (id !== undefined && watches.a(watches.prev(list)) === slot) continue;
      first = watches.push(list, slot, first);
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
    const watches = this.#watches;
    let watch = first;
    while (watch !== NONE) {
      const next = watches.b(watch) as Slot;
      if (this.#depth > 0) this.#movePasses(watch);
      const before = watches.prev(watch);
      const after = watches.next(watch);
      watches.remove(watch);
      if (before === after) this.#dropList(after); // only the sentinel is on both sides of a watch
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

  /** Begins a pass over the operations that watch a key with a list now. Passes end in reverse order. */
  beginPass(head: number): Pass {
    const list = head as Slot;
    const depth = this.#depth;
    if (depth === this.#passes.length) this.#passes.push({ next: NONE, last: NONE, depth });
    const pass = this.#passes[depth];
    this.#depth = depth + 1;
    pass.next = this.#watches.next(list);
    pass.last = this.#watches.prev(list);
    return pass;
  }

  /** The next operation of the pass, still parked; undefined at its end. */
  step(pass: Pass): Op | undefined {
    const watch = pass.next;
    // As `=== NONE`; but to V8 what is imported is no constant, and a pass over many watchers is bound by its instructions.
    if (watch < 0) return undefined;
    const watches = this.#watches;
    const next = watches.next(watch);
    const operation = watches.a(watch) as Slot;
    pass.next = watch === pass.last ? NONE : next;
    return this.#parked.value(operation);
  }

  endPass(pass: Pass): void {
    this.#depth = pass.depth;
  }

  /** The operation that has been parked longest. */
  oldest(): Op | undefined {
    return this.#parked.value(this.#parked.next(this.#all));
  }

  /** The operation that watches `key` longest. */
  oldestOf(key: K): Op | undefined {
    const head = this.headOf(key);
    if (head === undefined) return undefined;
    const first = (): Slot => this.#watches.a(this.#watches.next(head as Slot)) as Slot;
    return this.loneWatcher(head) ?? this.#parked.value(first());
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

  /** The keys that a parked operation watches, the first `max` as given. O(its keys + max x its place in their lists). */
  keysOf(operation: Op, max: number): K[] {
    const first = this.#parked.a(operation.$place as Slot);
    if (first < NONE) return max === 0 ? [] : [this.#keys.key(lone(first))];
    const watches = this.#watches;
    const own: Slot[] = [];
    for (let watch = first as Slot; watch !== NONE; watch = watches.b(watch) as Slot) own.push(watch);
    return own
      .slice(-max)
      .reverse()
      .map((watch) => {
        let list = watches.prev(watch);
        while (watches.b(list) !== SENTINEL) list = watches.prev(list);
        return this.#keys.key(watches.a(list));
      });
  }

  /** The keys with the most watchers; with more than MAX_KEYS keys, among others of them at each call. Bounded time. */
  hottest(top: number): CountedKey<K>[] {
    return hottestKeys(this.#keys.sample(MAX_KEYS), (key, max) => this.#count(this.headOf(key) as number, max), top);
  }

  #count(head: number, max: number): number {
    if (head < NONE) return 1;
    const list = head as Slot;
    const watches = this.#watches;
    let watchers = 0;
    for (let watch = watches.next(list); watch !== list && watchers < max; watch = watches.next(watch)) {
      watchers++;
    }
    return watchers;
  }

  #addList(key: K): Slot {
    const watches = this.#watches;
    const list = watches.makeList(NONE, SENTINEL);
    try {
      watches.setA(list, this.#keys.add(key, list));
    } catch (error) {
      watches.remove(list);
      throw error;
    }
    this.#lists++;
    return list;
  }

  /** The list of a key that is watched; of a lone watcher, one is made for it. */
  #listOf(id: number): Slot {
    const head = this.#keys.head(id);
    if (head >= 0) return head as Slot;
    const place = lone(head) as Slot;
    const list = this.#watches.makeList(id, SENTINEL);
    this.#parked.setA(place, this.#watches.push(list, place, NONE));
    this.#keys.setHead(id, list);
    this.#lists++;
    return list;
  }

  #dropList(list: Slot): void {
    this.#keys.remove(this.#watches.a(list));
    this.#watches.remove(list);
    this.#lists--;
  }

  #movePasses(leaving: Slot): void {
    for (let i = 0; i < this.#depth; i++) {
      const pass = this.#passes[i];
      if (pass.next === leaving) pass.next = leaving === pass.last ? NONE : this.#watches.next(leaving);
      if (pass.last === leaving) pass.last = this.#watches.prev(leaving);
    }
  }

  /** Gives memory back after a burst. No pass may be under way, as it holds slots. O(1), amortised. */
  shrink(): void {
    if (this.#parked.isSparse) this.#compactParked();
    if (this.#watches.isSparse) this.#compactWatches();
    if (this.#keys.isSparse) this.#renumberKeys();
  }

  #compactParked(): void {
    const moved = this.#parked.compact();
    this.#all = moved(this.#all);
    this.#parked.forEachValue((operation, slot) => {
      operation.$place = slot;
      const first = this.#parked.a(slot);
      if (first < NONE) this.#keys.setHead(lone(first), lone(slot));
      else this.#setOwner(first as Slot, slot);
    });
  }

  #setOwner(first: Slot, slot: Slot): void {
    const watches = this.#watches;
    for (let watch = first; watch !== NONE; watch = watches.b(watch) as Slot) watches.setA(watch, slot);
  }

  #compactWatches(): void {
    const moved = this.#watches.compact();
    const follow = (watch: number): number => (watch < 0 ? watch : moved(watch as Slot));
    this.#keys.forEach((_, id, head) => this.#keys.setHead(id, follow(head)));
    this.#parked.forEachValue((_, slot) => {
      const first = follow(this.#parked.a(slot));
      this.#parked.setA(slot, first);
      for (let watch = first; watch >= 0; watch = this.#watches.b(watch as Slot)) {
        this.#watches.setB(watch as Slot, follow(this.#watches.b(watch as Slot)));
      }
    });
  }

  #renumberKeys(): void {
    this.#keys.renumber((id, head) => {
      if (head < NONE) this.#parked.setA(lone(head) as Slot, lone(id));
      else this.#watches.setA(head as Slot, id);
    });
  }

  /** Throws unless the lists are sound. For tests: O(pairs). */
  check(): void {
    this.#keys.check();
    const watched = new Map<Slot, number>();
    let lists = 0;
    this.#keys.forEach((key, id, head) => {
      const name = String(key);
      if (head < NONE) {
        const slot = lone(head) as Slot;
        mustHold(this.#parked.a(slot) === lone(id), `the lone watcher of ${name} does not know its key`);
        watched.set(slot, 1);
        return;
      }
      lists++;
      mustHold(this.#watches.a(head as Slot) === id, `the list of ${name} does not know its key`);
      const members = this.#watches.check(head as Slot);
      mustHold(members.length !== 0, `the list of ${name} is empty`);
      const owners = members.map((watch) => this.#watches.a(watch) as Slot);
      mustHold(new Set(owners).size === owners.length, `an operation watches ${name} twice`);
      for (const owner of owners) watched.set(owner, (watched.get(owner) ?? 0) + 1);
    });
    mustHold(lists === this.#lists, `${lists} keys have a list, ${this.#lists} are counted`);
    const parked = this.#parked.check(this.#all);
    mustHold(parked.length === this.size, `${parked.length} operations are linked, size says ${this.size}`);
    let pairs = 0;
    for (const slot of parked) {
      mustHold(this.#parked.value(slot)?.$place === slot, 'an operation does not know its place');
      const first = this.#parked.a(slot);
      let watches = first < NONE ? 1 : 0;
      for (let watch = first; watch >= 0; watch = this.#watches.b(watch as Slot)) watches++;
      mustHold(watches !== 0, 'an operation watches nothing');
      mustHold(watches === watched.get(slot), 'an operation and the lists disagree');
      pairs += watches;
    }
    mustHold(pairs === this.pairs, `${pairs} pairs are linked, ${this.pairs} are counted`);
  }
}
