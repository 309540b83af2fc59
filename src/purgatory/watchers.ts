// Who watches which key: the parked operations, and for each key the operations that watch it, in park order.
//
// Ground rules. It owns two slabs and keeps `$place` of what it holds; it runs no user code and knows no timer. An operation has one cell in `parked`
// (a: its first watch, b: its stamp) and one cell in `watches` per key (a: its operation's cell, b: the next watch of the same operation).
// A key has one sentinel in `watches` (a: the index of its name); it exists exactly while somebody watches it. So leaving
// takes an operation off every list at once, O(its keys), with no list of keys beside it and no search. (Kafka leaves completed
// operations in their lists and purges now and then: that is what brokers ran out of memory on, KAFKA-19389, KAFKA-19763.)
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

/** A walk over the operations that watched a key when it began. Made by {@link Watchers.beginPass} only. */
export interface Pass {
  next: Slot;
  last: Slot;
  /** What was read ahead when it began. */
  ahead: number;
  /** How many passes are around it. */
  readonly depth: number;
}

/** `b` of a sentinel: tells it from a watch, in checks. */
const SENTINEL = -2;

export class Watchers<K, Op extends DelayedOperation> {
  readonly #parked = new Slab<Op>();
  #all = this.#parked.makeList(NONE, NONE);
  readonly #watches = new Slab();
  readonly #lists = new Map<K, Slot>();
  /** The key of each list, by the index that its sentinel carries; freed indexes are used again. */
  #names: (K | undefined)[] = [];
  #freeNames: number[] = [];
  /** Where the next search for the hottest keys begins, in the names. */
  #surveyed = 0;
  readonly #passes: Pass[] = [];
  #depth = 0;

  /** Parked operations. */
  get size(): number {
    return this.#parked.inUse - 1;
  }

  /** Keys that somebody watches. */
  get keys(): number {
    return this.#lists.size;
  }

  /** Pairs of an operation and a key that it watches. */
  get pairs(): number {
    return this.#watches.inUse - this.#lists.size;
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
      let list = this.#lists.get(key);
      if (list === undefined) {
        list = this.#makeList(key);
      } else if (watches.a(watches.prev(list)) === slot) {
        continue; // a key given twice: nobody can have parked behind this operation yet
      }
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
    const watches = this.#watches;
    const slot = place as Slot;
    const stamp = parked.b(slot);
    let watch = parked.a(slot) as Slot;
    while (watch !== NONE) {
      const next = watches.b(watch) as Slot;
      if (this.#depth > 0) this.#movePasses(watch);
      const before = watches.prev(watch);
      const after = watches.next(watch);
      watches.remove(watch);
      if (before === after) this.#dropList(after); // only the sentinel is on both sides of a watch
      watch = next;
    }
    parked.clearValue(slot);
    parked.remove(slot);
    return stamp;
  }

  /** Begins a pass over the operations that watch `key` now; undefined when none does. Passes end in reverse order. */
  beginPass(key: K): Pass | undefined {
    const list = this.#lists.get(key);
    if (list === undefined) return undefined;
    const depth = this.#depth;
    if (depth === this.#passes.length) this.#passes.push({ next: NONE, last: NONE, ahead: 0, depth });
    const pass = this.#passes[depth];
    this.#depth = depth + 1;
    pass.next = this.#watches.next(list);
    pass.last = this.#watches.prev(list);
    pass.ahead = this.#readAhead(list, pass.next);
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
    const list = this.#lists.get(key);
    return list === undefined
      ? undefined
      : this.#parked.value(this.#watches.a(this.#watches.next(list)) as Slot);
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
    const watches = this.#watches;
    const own: Slot[] = [];
    for (let watch = this.#parked.a(operation.$place as Slot) as Slot; watch !== NONE; ) {
      own.push(watch);
      watch = watches.b(watch) as Slot;
    }
    return own
      .slice(-max)
      .reverse()
      .map((watch) => {
        let list = watches.prev(watch);
        while (watches.b(list) !== SENTINEL) list = watches.prev(list);
        return this.#names[watches.a(list)] as K;
      });
  }

  /** The keys with the most watchers; with more than MAX_KEYS keys, among the next of them at each call. Bounded time. */
  hottest(top: number): CountedKey<K>[] {
    const names = this.#names;
    const keys: K[] = [];
    const start = this.#surveyed;
    for (let i = 0; i < names.length && i < MAX_KEYS; i++) {
      const name = (start + i) % names.length;
      const key = names[name] as K;
      const list = this.#lists.get(key);
      if (list !== undefined && this.#watches.a(list) === name) keys.push(key);
      this.#surveyed = name + 1;
    }
    return hottestKeys(keys, (key, max) => this.#count(this.#lists.get(key) as Slot, max), top);
  }

  #count(list: Slot, max: number): number {
    const watches = this.#watches;
    let watchers = 0;
    for (let watch = watches.next(list); watch !== list && watchers < max; watch = watches.next(watch)) {
      watchers++;
    }
    return watchers;
  }

  /**
   * Reads what `leave` will ask for if the first operation completes. With very many keys it lies far apart: read here, it is fetched side by
   * side with the operation, not piece after piece. (The answer matters to nobody: kept, the reading is not optimised away.)
   */
  #readAhead(list: Slot, first: Slot): number {
    const watches = this.#watches;
    return this.#names[watches.a(list)] === undefined ? NONE : this.#parked.a(watches.a(first) as Slot);
  }

  #makeList(key: K): Slot {
    const name = this.#freeNames.pop() ?? this.#names.length;
    const list = this.#watches.makeList(name, SENTINEL);
    this.#names[name] = key;
    this.#lists.set(key, list);
    return list;
  }

  #dropList(list: Slot): void {
    const name = this.#watches.a(list);
    this.#lists.delete(this.#names[name] as K);
    this.#names[name] = undefined;
    this.#freeNames.push(name);
    this.#watches.remove(list);
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
  }

  #compactParked(): void {
    const moved = this.#parked.compact();
    this.#all = moved(this.#all);
    this.#parked.forEachValue((operation, slot) => {
      operation.$place = slot;
      for (let watch = this.#parked.a(slot); watch !== NONE; watch = this.#watches.b(watch as Slot)) {
        this.#watches.setA(watch as Slot, slot);
      }
    });
  }

  #compactWatches(): void {
    const moved = this.#watches.compact();
    const follow = (watch: number): Slot => (watch === NONE ? NONE : moved(watch as Slot));
    for (const [key, list] of this.#lists) this.#lists.set(key, moved(list));
    this.#parked.forEachValue((_, slot) => {
      const first = follow(this.#parked.a(slot));
      this.#parked.setA(slot, first);
      for (let watch = first; watch !== NONE; watch = this.#watches.b(watch) as Slot) {
        this.#watches.setB(watch, follow(this.#watches.b(watch)));
      }
    });
    if (this.#names.length > 4 * this.#lists.size + 64) this.#renameLists();
  }

  #renameLists(): void {
    this.#names = [];
    this.#freeNames = [];
    for (const [key, list] of this.#lists) this.#watches.setA(list, this.#names.push(key) - 1);
  }

  /** Throws unless the lists are sound. For tests: O(pairs). */
  check(): void {
    const watched = new Map<Slot, number>();
    for (const [key, list] of this.#lists) {
      mustHold(
        Object.is(this.#names[this.#watches.a(list)], key),
        `the list of ${String(key)} does not know its key`,
      );
      const members = this.#watches.check(list);
      mustHold(members.length !== 0, `the list of ${String(key)} is empty`);
      const owners = members.map((watch) => this.#watches.a(watch) as Slot);
      mustHold(new Set(owners).size === owners.length, `an operation watches ${String(key)} twice`);
      for (const owner of owners) watched.set(owner, (watched.get(owner) ?? 0) + 1);
    }
    const parked = this.#parked.check(this.#all);
    mustHold(parked.length === this.size, `${parked.length} operations are linked, size says ${this.size}`);
    let pairs = 0;
    for (const slot of parked) {
      mustHold(this.#parked.value(slot)?.$place === slot, 'an operation does not know its place');
      let watches = 0;
      for (let watch = this.#parked.a(slot) as Slot; watch !== NONE; watch = this.#watches.b(watch) as Slot)
        watches++;
      mustHold(watches !== 0, 'an operation watches nothing');
      mustHold(watches === watched.get(slot), 'an operation and the lists disagree');
      pairs += watches;
    }
    mustHold(pairs === this.pairs, `${pairs} pairs are linked, the slab has ${this.pairs}`);
    mustHold(this.#names.length - this.#freeNames.length === this.#lists.size, 'a key name has leaked');
  }
}
