// The watch lists: for a key, in the order of parking, which operations watch it. Ints only.
//
// Ground rules. It belongs to one Watchers and knows neither keys nor operations: a key is an id, an operation its place. A list is a sentinel
// (a: the id of its key) with a cell for each watch (a: the place of the operation that watches, b: the next watch of that operation). So leaving
// needs the watch alone. A list is empty only between `open` and the first `push`, and between the last `leave` and `close`.
//
// A pass may meet any change under it, since each step runs user code. It keeps the next and the last watch that it will
// step to, and whoever takes a watch out moves both along. Operations that are parked meanwhile come after the last one.
//
// Costs. open, push, step: O(1). leave: O(1), and O(depth of passes) while passes are under way.
import { mustHold } from '../must-hold.ts';
import { NONE, Slab, type Slot } from '../slab/slab.ts';

/** A walk over the watches of a list when it began. Made by {@link WatchLists.beginPass} only. */
export interface Pass {
  /** Below 0 when the pass is over. */
  next: Slot;
  last: Slot;
  /** How many passes are around it. */
  readonly depth: number;
}

/** NONE; but to V8 what is imported is no constant, and a pass over many watchers is bound by its instructions. */
const OVER = -1 as Slot;
/** `b` of a sentinel: tells it from a watch. */
const SENTINEL = -2;

export class WatchLists extends Slab {
  #lists = 0;
  readonly #passes: Pass[] = [];
  #depth = 0;

  /** How many lists there are. */
  get lists(): number {
    return this.#lists;
  }

  get watches(): number {
    return this.inUse - this.#lists;
  }

  /** Makes the list of a key. */
  open(id: number): Slot {
    const list = this.makeList(id, SENTINEL);
    this.#lists++;
    return list;
  }

  /** Gives an empty list back. */
  close(list: Slot): void {
    this.remove(list);
    this.#lists--;
  }

  /** Takes a watch off its list. Returns the list if it is empty now, and else NONE. */
  leave(watch: Slot): Slot {
    if (this.#depth > 0) this.#movePasses(watch);
    const before = this.prev(watch);
    const after = this.next(watch);
    this.remove(watch);
    return before === after ? after : NONE; // only the sentinel is on both sides of a watch
  }

  /** The list that a watch is on. O(its place in it). */
  listOf(watch: Slot): Slot {
    let list = this.prev(watch);
    while (this.b(list) !== SENTINEL) list = this.prev(list);
    return list;
  }

  /** How many watches are on a list; stops counting at `max`. O(the count). */
  count(list: Slot, max: number): number {
    let count = 0;
    for (let watch = this.next(list); watch !== list && count < max; watch = this.next(watch)) count++;
    return count;
  }

  /** Begins a pass over what is on a list now. Passes end in reverse order. */
  beginPass(list: Slot): Pass {
    const depth = this.#depth;
    if (depth === this.#passes.length) this.#passes.push({ next: OVER, last: OVER, depth });
    const pass = this.#passes[depth];
    this.#depth = depth + 1;
    pass.next = this.next(list);
    pass.last = this.prev(list);
    return pass;
  }

  /** The place of the next operation of a pass that is not over: it is still parked. */
  step(pass: Pass): Slot {
    const watch = pass.next;
    const next = this.next(watch);
    const place = this.a(watch) as Slot;
    pass.next = watch === pass.last ? OVER : next;
    return place;
  }

  endPass(pass: Pass): void {
    this.#depth = pass.depth;
  }

  #movePasses(leaving: Slot): void {
    for (let i = 0; i < this.#depth; i++) {
      const pass = this.#passes[i];
      if (pass.next === leaving) pass.next = leaving === pass.last ? OVER : this.next(leaving);
      if (pass.last === leaving) pass.last = this.prev(leaving);
    }
  }

  /** Throws unless the list is sound; returns the places of those who watch, in order. For tests: O(watches). */
  placesOn(list: Slot): Slot[] {
    const watches = this.check(list);
    mustHold(this.b(list) === SENTINEL, `the list ${list} has no sentinel`);
    mustHold(watches.length !== 0, `the list ${list} is empty`);
    return watches.map((watch) => this.a(watch) as Slot);
  }
}
