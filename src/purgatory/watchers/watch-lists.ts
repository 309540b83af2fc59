// The watch lists: for each key, who watches it, in the order of parking.
//
// Ground rules. It belongs to one Watchers, which knows keys and operations. Here a key is an id,
// and an operation is its place. A list is a sentinel cell (a: the id of its key, b: how many watch
// it) in a ring with one cell for each watch. A list is empty only between `open` and the first
// `watch`, and between the last `leave` and `close`.
//
// A watch holds in `a` its list XOR the place of its operation, and in `b` the next watch of the
// same operation. One field holds two slots because every reader has one of them already: a pass
// comes from the list and wants the place, an operation that leaves knows its place and wants the
// list.
//
// A pass survives any change, since user code runs between its steps. It keeps the next and the
// last watch that it will step to, and `leave` moves both along. Operations that are parked
// meanwhile stand behind the last one.
//
// There are two kinds of passes. Those that run within one call are nested: they end in reverse
// order, and slots must not move before they end, so the owner does not compact then. A pass that
// is held may last for many turns. There is one for a list at most, found by the list. A compaction
// carries it along.
//
// Costs. open, watch, size, step: O(1). leave: O(1), plus O(depth of nested passes) while such are
// under way, and one look-up while passes are held.
import { mustHold } from '../../base/must-hold.ts';
import { NONE, Slab, type Slot } from '../../slab/slab.ts';

/**
 * A walk over the watches that were on a list when it began. Only {@link WatchLists} makes one.
 */
export interface Pass {
  list: Slot;
  /** Below 0 when the pass is over. */
  next: Slot;
  last: Slot;
  /** How many passes are around it; not of a pass that is held. */
  readonly depth: number;
}

/**
 * NONE, as a local constant: V8 does not treat an imported name as one, and the steps of a pass are
 * worth it.
 */
const OVER = -1 as Slot;

export class WatchLists {
  readonly #cells = new Slab();
  #lists = 0;
  readonly #passes: Pass[] = [];
  #depth = 0;
  /** The passes that are held, by list. */
  readonly #held = new Map<Slot, Pass>();

  /** How many lists there are. */
  get lists(): number {
    return this.#lists;
  }

  /** How many watches there are, on all lists. */
  get watches(): number {
    return this.#cells.inUse - this.#lists;
  }

  /** Makes the list of a key. */
  open(id: number): Slot {
    const list = this.#cells.makeList(id, 0);
    this.#lists++;
    return list;
  }

  /** Gives an empty list back. */
  close(list: Slot): void {
    if (this.#held.size > 0) this.#held.delete(list); // it is over: the list is empty
    this.#cells.remove(list);
    this.#lists--;
  }

  idOf(list: Slot): number {
    return this.#cells.a(list);
  }

  setId(list: Slot, id: number): void {
    this.#cells.setA(list, id);
  }

  /** How many watch. */
  size(list: Slot): number {
    return this.#cells.b(list);
  }

  /**
   * Adds a watch of the operation at `place` as the last on a list; `next` is the next watch of
   * that operation.
   */
  watch(list: Slot, place: Slot, next: Slot): Slot {
    const cells = this.#cells;
    const watch = cells.push(list, list ^ place, next); // first: it may overflow the stack
    cells.setB(list, cells.b(list) + 1);
    return watch;
  }

  /**
   * Takes a watch of the operation at `place` off its list. Returns the list if it is empty now,
   * else NONE.
   */
  leave(watch: Slot, place: Slot): Slot {
    const cells = this.#cells;
    const list = this.listOf(watch, place);
    const left = cells.b(list) - 1;
    if (this.#depth > 0) this.#movePasses(watch);
    if (this.#held.size > 0) this.#moveHeld(list, watch);
    cells.remove(watch);
    cells.setB(list, left);
    return left === 0 ? list : NONE;
  }

  /** The list that a watch of the operation at `place` is on. */
  listOf(watch: Slot, place: Slot): Slot {
    return (this.#cells.a(watch) ^ place) as Slot;
  }

  /** The next watch of the same operation. */
  nextOf(watch: Slot): Slot {
    return this.#cells.b(watch) as Slot;
  }

  /** Whether the operation at `place` is the last on a list. */
  isLast(list: Slot, place: Slot): boolean {
    return this.#placeAt(this.#cells.prev(list), list) === place;
  }

  /** The place of the operation that has watched longest. */
  oldest(list: Slot): Slot {
    return this.#placeAt(this.#cells.next(list), list);
  }

  #placeAt(watch: Slot, list: Slot): Slot {
    return (this.#cells.a(watch) ^ list) as Slot;
  }

  /** Begins a pass over what is on a list now. Passes end in reverse order. */
  beginPass(list: Slot): Pass {
    const depth = this.#depth;
    if (depth === this.#passes.length) this.#passes.push({ list, next: OVER, last: OVER, depth });
    const pass = this.#passes[depth];
    this.#depth = depth + 1;
    pass.list = list;
    pass.next = this.#cells.next(list);
    pass.last = this.#cells.prev(list);
    return pass;
  }

  /** Keeps what is left of a pass for later turns. No other is held of its list. */
  hold({ list, next, last }: Pass): Pass {
    const held = { list, next, last, depth: NONE };
    this.#held.set(list, held);
    return held;
  }

  /** Ends a pass that was held. */
  release(pass: Pass): void {
    if (this.#held.get(pass.list) === pass) this.#held.delete(pass.list);
    pass.next = OVER;
  }

  /** The place of the next operation of a pass that is not over: it is still parked. */
  step(pass: Pass): Slot {
    const cells = this.#cells;
    const watch = pass.next;
    const next = cells.next(watch);
    const place = cells.a(watch) ^ pass.list;
    pass.next = watch === pass.last ? OVER : next;
    return place as Slot;
  }

  /**
   * Ends a pass and all passes inside it. When a chain of events overflows the stack, inner passes
   * never reach their own `endPass`.
   */
  endPass(pass: Pass): void {
    this.#depth = pass.depth;
  }

  /** Ends all passes but the outermost. */
  endInnerPasses(): void {
    for (let i = 1; i < this.#depth; i++) this.#passes[i].next = OVER;
  }

  #movePasses(leaving: Slot): void {
    for (let i = 0; i < this.#depth; i++) this.#movePass(this.#passes[i], leaving);
  }

  #moveHeld(list: Slot, leaving: Slot): void {
    const pass = this.#held.get(list);
    if (pass !== undefined) this.#movePass(pass, leaving);
  }

  #movePass(pass: Pass, leaving: Slot): void {
    const cells = this.#cells;
    if (pass.next === leaving) pass.next = leaving === pass.last ? OVER : cells.next(leaving);
    if (pass.last === leaving) pass.last = cells.prev(leaving);
  }

  /** Whether there is memory to give back. */
  get isSparse(): boolean {
    return this.#cells.isSparse;
  }

  /** The cells that there is memory for. */
  get capacity(): number {
    return this.#cells.capacity;
  }

  /** Begins to give memory back: {@link moveDown} is to be called for each operation. */
  beginShrink(): void {
    this.#cells.beginShrink();
  }

  get isShrinking(): boolean {
    return this.#cells.isShrinking;
  }

  /**
   * To be called when all that was parked at `beginShrink` has moved down. False: a list has not,
   * because those who watched it left first, and others came. Then all is to be moved once more.
   */
  endShrink(): boolean {
    return this.#cells.endShrink();
  }

  /**
   * Moves the watches of the operation at `place` to where memory stays, and their lists: calls
   * `moved` with the id and the new slot of each of those. Returns the first watch, which was
   * `first`. O(its watches), and O(watchers) for a list that moves.
   */
  moveDown(first: Slot, place: Slot, moved: (id: number, list: Slot) => void): Slot {
    const cells = this.#cells;
    let movedFirst = first;
    let before = NONE;
    for (let watch = first; watch !== NONE; watch = this.nextOf(watch)) {
      const list = this.listOf(watch, place);
      if (cells.isBeyond(list)) moved(this.idOf(list), this.#moveList(list));
      if (cells.isBeyond(watch)) {
        const from = watch;
        watch = cells.moveDown(from);
        if (before === NONE) movedFirst = watch;
        else cells.setB(before, watch);
        const pass = this.#held.size > 0 ? this.#held.get(this.listOf(watch, place)) : undefined;
        if (pass?.next === from) pass.next = watch;
        if (pass?.last === from) pass.last = watch;
      }
      before = watch;
    }
    return movedFirst;
  }

  #moveList(from: Slot): Slot {
    const cells = this.#cells;
    const list = cells.moveDown(from);
    for (let watch = cells.next(list); watch !== list; watch = cells.next(watch)) {
      cells.setA(watch, cells.a(watch) ^ from ^ list);
    }
    const pass = this.#held.get(from);
    if (pass !== undefined) {
      this.#held.delete(from);
      pass.list = list;
      this.#held.set(list, pass);
    }
    return list;
  }

  /** Tells the watches of an operation, the first of which is given, that its place has changed. */
  movePlace(first: Slot, from: Slot, to: Slot): void {
    for (let watch = first; watch !== NONE; watch = this.nextOf(watch)) {
      this.#cells.setA(watch, this.#cells.a(watch) ^ from ^ to);
    }
  }

  /**
   * Throws unless the list is sound; returns the places of those who watch, in order. For tests:
   * O(watches).
   */
  placesOn(list: Slot): Slot[] {
    const watches = this.#cells.check(list);
    mustHold(watches.length > 0, `the list ${list} is empty`);
    mustHold(
      watches.length === this.size(list),
      `${watches.length} watch ${list}, it says ${this.size(list)}`,
    );
    const pass = this.#held.get(list);
    if (pass !== undefined && pass.next >= 0) {
      const next = watches.indexOf(pass.next);
      mustHold(next >= 0, `the pass held over ${list} has left it`);
      mustHold(watches.indexOf(pass.last) >= next, `the pass held over ${list} is beyond its end`);
    }
    return watches.map((watch) => this.#placeAt(watch, list));
  }
}
