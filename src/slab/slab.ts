// Lists whose links are indexes into one typed array. Buckets and watch lists are kept in them.
//
// Ground rules. A Slab owns its cells. A list is a ring of cells: a sentinel and the members. So a
// cell leaves its list without a search, without an allocation, and without the list. A cell has
// two integers for its owner (`a` and `b`), or one double (a tick), and, on demand, one value. A Slot is the offset of a
// cell. It is valid until `remove`, `moveDown` or `compact`, and nobody keeps one for longer. Only
// the owner of a slab writes its lists. The slab knows neither tasks nor watch keys.
//
// Layout. Four int32 for each cell (next, prev, a, b), side by side: a cell is in one cache line,
// and the collector sees none of it. The values are in a plain array, which stays empty in a slab
// without values.
//
// Costs. push, remove, moveTo, splice, moveDown: O(1). The slab doubles when under a 32nd of it is
// free. When under a quarter is in use it is sparse, and its owner gives memory back in steps: from
// `beginShrink` on, new cells come from the first part of the memory, and the owner moves those
// beyond it, a few at a time. After each step all is sound. Both are O(1), amortised, so memory
// follows the number of cells in use within 4x, up and down. (`compact` does it all at once.)
//
// One class, though it is long: as three that extend each other, 100 keys of a turn cost 5 to 20 %
// more.
//
// Why not linked objects: `npm run bench -- layout` compares both. Watch lists of linked objects
// cost several times as much once the collector has promoted them. For timers alone both cost about
// the same, as the user's own task objects are most of it.

import { mustHold } from '../base/must-hold.ts';
import { FreeCells } from './free-cells.ts';

declare const slotBrand: unique symbol;

/** The offset of a cell in its slab. */
export type Slot = number & { readonly [slotBrand]: true };

/** No slot. */
export const NONE = -1 as Slot;

const NEXT = 0;
const PREV = 1;
const A = 2;
const B = 3;
/** log2 of the elements of a cell: from a slot to the index of its value. */
const STRIDE_BITS = 2;
const MIN_CELLS = 64;
/** The fill of what is to stay from which a slab shrinks no further. */
const FULL = 0.75;
/** How many empty places are looked at in the time in which a cell moves. */
const EMPTY_VISITS = 32;
/** More than any slot. */
const UNBOUND = 2 ** 31 - 1;

/** Where {@link Slab.compact} moved a cell in use. */
export type Moved = (slot: Slot) => Slot;

export class Slab<T = never> {
  #cells: Int32Array<ArrayBuffer>;
  /** The same memory, for ticks. */
  #doubles: Float64Array<ArrayBuffer>;
  #values: (T | undefined)[] = [];
  #free: FreeCells;
  #inUse = 0;
  /** With fewer cells in use the slab is sparse. 0 for the least capacity. */
  #sparseBelow = 0;
  /** While it shrinks: the first slot that is to be given back. */
  #bound = UNBOUND;
  /** While it shrinks: the index of the next value to look at. */
  #shrunkTo = 0;

  /** @param cells how many it is to hold: they fill a half of the memory at most. */
  constructor(cells = 0) {
    let capacity = MIN_CELLS;
    while (capacity < 2 * cells) capacity *= 2;
    this.#cells = new Int32Array(capacity << STRIDE_BITS);
    this.#doubles = new Float64Array(this.#cells.buffer);
    this.#free = new FreeCells(0, capacity);
    this.#use(this.#cells, this.#free);
  }

  /** How many cells are in use, sentinels included. */
  get inUse(): number {
    return this.#inUse;
  }

  /** How many cells there is room for. */
  get capacity(): number {
    return this.#cells.length >> STRIDE_BITS;
  }

  /** Makes an empty list, whose sentinel has `a` and `b`. O(1) amortised. */
  makeList(a: number, b: number): Slot {
    const slot = this.#allocate();
    const cells = this.#cells;
    cells[slot + NEXT] = slot;
    cells[slot + PREV] = slot;
    cells[slot + A] = a;
    cells[slot + B] = b;
    return slot;
  }

  /** Adds a new cell with `a` and `b` as the last of `list`. O(1) amortised. */
  push(list: Slot, a: number, b: number): Slot {
    const slot = this.#allocate();
    const cells = this.#cells;
    const last = cells[list + PREV];
    cells[slot + NEXT] = list;
    cells[slot + PREV] = last;
    cells[slot + A] = a;
    cells[slot + B] = b;
    cells[last + NEXT] = slot;
    cells[list + PREV] = slot;
    return slot;
  }

  /**
   * As `push` and `setValue`. All or nothing: the one call that may overflow the stack comes first.
   * `setValue` is written out: a call of it makes a park 4 % dearer (`npm run bench --
   * park-complete`).
   */
  pushValue(list: Slot, a: number, b: number, value: T): Slot {
    const slot = this.push(list, a, b);
    const values = this.#values;
    const index = slot >> STRIDE_BITS;
    while (values.length < index) values[values.length] = undefined; // not push(): that is a call
    values[index] = value;
    return slot;
  }

  /** As `pushValue`, with a tick (any double) in the place of `a` and `b`. */
  pushTick(list: Slot, tick: number, value: T): Slot {
    const slot = this.pushValue(list, 0, 0, value);
    this.#doubles[(slot >> 1) + 1] = tick;
    return slot;
  }

  /** The tick of a cell that has one. */
  tick(slot: Slot): number {
    return this.#doubles[(slot >> 1) + 1];
  }

  /** Takes a cell, with its value, out of whatever list it is in and gives it back. O(1). */
  remove(slot: Slot): void {
    const index = slot >> STRIDE_BITS;
    this.#free.give(index);
    if (index < this.#values.length) this.#values[index] = undefined;
    const cells = this.#cells;
    const next = cells[slot + NEXT];
    const prev = cells[slot + PREV];
    cells[prev + NEXT] = next;
    cells[next + PREV] = prev;
    this.#inUse--;
  }

  /** Moves a cell from its list to the end of `list`. */
  moveTo(list: Slot, slot: Slot): void {
    const cells = this.#cells;
    const next = cells[slot + NEXT];
    const prev = cells[slot + PREV];
    cells[prev + NEXT] = next;
    cells[next + PREV] = prev;
    const last = cells[list + PREV];
    cells[slot + NEXT] = list;
    cells[slot + PREV] = last;
    cells[last + NEXT] = slot;
    cells[list + PREV] = slot;
  }

  /** Moves all of `from`, in order, behind the last of `to`. O(1). */
  splice(from: Slot, to: Slot): void {
    const cells = this.#cells;
    const first = cells[from + NEXT];
    if (first === from) return;
    const last = cells[from + PREV];
    const end = cells[to + PREV];
    cells[end + NEXT] = first;
    cells[first + PREV] = end;
    cells[last + NEXT] = to;
    cells[to + PREV] = last;
    cells[from + NEXT] = from;
    cells[from + PREV] = from;
  }

  isEmpty(list: Slot): boolean {
    return this.#cells[list + NEXT] === list;
  }

  next(slot: Slot): Slot {
    return this.#cells[slot + NEXT] as Slot;
  }

  prev(slot: Slot): Slot {
    return this.#cells[slot + PREV] as Slot;
  }

  a(slot: Slot): number {
    return this.#cells[slot + A];
  }

  b(slot: Slot): number {
    return this.#cells[slot + B];
  }

  setA(slot: Slot, a: number): void {
    this.#cells[slot + A] = a;
  }

  setB(slot: Slot, b: number): void {
    this.#cells[slot + B] = b;
  }

  value(slot: Slot): T | undefined {
    return this.#values[slot >> STRIDE_BITS];
  }

  setValue(slot: Slot, value: T): void {
    const values = this.#values;
    const index = slot >> STRIDE_BITS;
    // Sentinels have no value. Their places are filled: else V8 would make the array a sparse one.
    while (values.length < index) values.push(undefined);
    values[index] = value;
  }

  /** For a cell that has a value, and keeps its slot. */
  clearValue(slot: Slot): void {
    this.#values[slot >> STRIDE_BITS] = undefined;
  }

  /** The values by the order of memory, beginning with index 0: how many indexes there are. */
  get valueSpan(): number {
    return this.#values.length;
  }

  /**
   * The value at an index below `valueSpan`, if there is one. Only a compaction changes the index
   * of a value.
   */
  valueAt(index: number): T | undefined {
    return this.#values[index];
  }

  /** The slot whose value is at an index. */
  slotAt(index: number): Slot {
    return (index << STRIDE_BITS) as Slot;
  }

  /** The slot of `value`; NONE if it is not here. O(capacity): for owners that have lost the slot. */
  find(value: T): Slot {
    const index = this.#values.indexOf(value);
    return index < 0 ? NONE : ((index << STRIDE_BITS) as Slot);
  }

  /** Calls `visit` with each value and its slot. O(capacity). */
  forEachValue(visit: (value: T, slot: Slot) => void): void {
    for (let index = 0; index < this.#values.length; index++) {
      const value = this.#values[index];
      if (value !== undefined) visit(value, (index << STRIDE_BITS) as Slot);
    }
  }

  /** True when under a quarter of the capacity is in use, and while it shrinks. */
  get isSparse(): boolean {
    return this.#inUse < this.#sparseBelow;
  }

  /** From {@link beginShrink} until enough has moved, or the slab was needed after all. */
  get isShrinking(): boolean {
    return this.#bound !== UNBOUND;
  }

  /**
   * Begins to give memory back in steps: from now on new cells come from the first part of the
   * memory, in which all that are in use fill a half at most. The owner moves those that are
   * {@link isBeyond} it by {@link moveDown}, a few at a time. When all have moved it calls
   * {@link endShrink}.
   */
  beginShrink(): void {
    let capacity = MIN_CELLS;
    while (capacity < 2 * this.#inUse) capacity *= 2;
    this.#free.confine(capacity);
    this.#bound = capacity << STRIDE_BITS;
    this.#shrunkTo = capacity;
    this.#sparseBelow = UNBOUND;
  }

  isBeyond(slot: Slot): boolean {
    return slot >= this.#bound;
  }

  /** Moves a cell, with its value, to where memory stays. The owner must rewrite its slot. O(1). */
  moveDown(slot: Slot): Slot {
    const to = this.#allocate(); // first: it may overflow the stack
    const cells = this.#cells;
    const next = cells[slot + NEXT];
    const isAlone = next === slot;
    const prev = cells[slot + PREV];
    cells[to + NEXT] = isAlone ? to : next;
    cells[to + PREV] = isAlone ? to : prev;
    cells[to + A] = cells[slot + A];
    cells[to + B] = cells[slot + B];
    if (!isAlone) {
      cells[prev + NEXT] = to;
      cells[next + PREV] = to;
    }
    this.#free.give(slot >> STRIDE_BITS);
    this.#inUse--;
    const value = this.#values[slot >> STRIDE_BITS];
    if (value === undefined) return to;
    this.#values[slot >> STRIDE_BITS] = undefined;
    this.#values[to >> STRIDE_BITS] = value;
    return to;
  }

  /**
   * Moves cells with values down, for a slab where no others are beyond: `visits` of them at most,
   * where EMPTY_VISITS empty indexes count as one. Calls `moved` for each cell that moves. Ends the
   * shrinking, if that was the last. Returns how many visits are left.
   */
  moveValuesDown(visits: number, moved: (value: T, to: Slot, from: Slot) => void): number {
    let left = visits * EMPTY_VISITS;
    while (left > 0 && this.isShrinking) {
      const index = this.#shrunkTo;
      if (index >= this.#values.length) {
        this.endShrink();
        break;
      }
      const value = this.#values[index];
      left--;
      if (value !== undefined) {
        const from = (index << STRIDE_BITS) as Slot;
        moved(value, this.moveDown(from), from);
        left -= EMPTY_VISITS;
      }
      this.#shrunkTo = index + 1;
    }
    return Math.max(0, Math.floor(left / EMPTY_VISITS));
  }

  /**
   * Gives the memory back from which all cells have moved. False: some have not, and nothing has
   * changed. O(capacity), as a copy of memory.
   */
  endShrink(): boolean {
    if (!this.isShrinking) return true;
    if (!this.#free.isConfined) return false;
    const free = this.#free.confined();
    const cells = this.#cells.slice(0, this.#bound);
    this.#values.length = Math.min(this.#values.length, cells.length >> STRIDE_BITS);
    this.#use(cells, free);
    return true;
  }

  /**
   * Moves the cells in use together, and frees the memory beyond the next power of two. The order
   * of each list stays. Every slot changes: the owner must rewrite all slots that it keeps, by the
   * function that is returned. O(capacity).
   */
  compact(): Moved {
    const cells = this.#cells;
    const values = this.#values;
    const used = this.#inUse;
    const from = this.#free.inUse(used);
    const forward = new Int32Array(this.capacity);
    for (let i = 0; i < used; i++) forward[from[i]] = i << STRIDE_BITS;
    let capacity = MIN_CELLS;
    while (capacity < used) capacity *= 2;
    const moved = new Int32Array(capacity << STRIDE_BITS);
    const movedValues: (T | undefined)[] = [];
    for (let i = 0; i < used; i++) {
      const old = from[i] << STRIDE_BITS;
      const slot = i << STRIDE_BITS;
      moved[slot + NEXT] = forward[cells[old + NEXT] >> STRIDE_BITS];
      moved[slot + PREV] = forward[cells[old + PREV] >> STRIDE_BITS];
      moved[slot + A] = cells[old + A];
      moved[slot + B] = cells[old + B];
      if (values.length > 0) movedValues[i] = values[from[i]];
    }
    this.#use(moved, new FreeCells(used, capacity));
    this.#values = movedValues;
    return (slot) => forward[slot >> STRIDE_BITS] as Slot;
  }

  /**
   * Throws unless `list` is a sound ring of cells in use. Returns its members in order. For tests:
   * O(members).
   */
  check(list: Slot): Slot[] {
    const members: Slot[] = [];
    let slot = list;
    do {
      const next = this.next(slot);
      mustHold(this.prev(next) === slot, `the ring of ${list} breaks between ${slot} and ${next}`);
      mustHold(!this.#free.has(next >> STRIDE_BITS), `the ring of ${list} has the free cell ${next}`);
      if (next !== list) members.push(next);
      mustHold(members.length <= this.#inUse, `the ring of ${list} has more cells than are in use`);
      slot = next;
    } while (slot !== list);
    return members;
  }

  #allocate(): Slot {
    if (this.#free.next === this.#free.end) this.#takeRun();
    this.#inUse++;
    return (this.#free.next++ << STRIDE_BITS) as Slot;
  }

  #takeRun(): void {
    if (this.#free.takeRun()) return;
    if (this.isShrinking && this.#inUse >= FULL * (this.#bound >> STRIDE_BITS)) this.#stopShrinking();
    // A turn must find as many free cells as it looks at words: O(1) amortised.
    if (this.capacity - this.#inUse < this.#free.words) this.#grow();
    else this.#free.beginTurn();
    this.#free.takeRun();
  }

  /** So much has come meanwhile that the memory is needed. */
  #stopShrinking(): void {
    this.#free.release();
    this.#use(this.#cells, this.#free);
  }

  #grow(): void {
    const cells = new Int32Array(this.#cells.length * 2);
    cells.set(this.#cells);
    this.#use(cells, this.#free.doubled());
  }

  #use(cells: Int32Array<ArrayBuffer>, free: FreeCells): void {
    this.#cells = cells;
    this.#doubles = new Float64Array(cells.buffer);
    this.#free = free;
    this.#bound = UNBOUND;
    this.#sparseBelow = this.capacity > MIN_CELLS ? this.capacity / 4 : 0;
  }
}
