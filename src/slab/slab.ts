// Lists with values, whose links are indexes into one typed array. Buckets and watch lists are kept
// in them.
//
// Ground rules. A Slab owns its cells (cell-memory.ts) and its lists (rings.ts). A cell may have one
// value, beside its two integers. The values are in a plain array, which stays empty in a slab
// without values. Only the owner of a slab writes its lists. The slab knows neither tasks nor watch
// keys.
//
// Costs. pushValue, value, moveDown: O(1). Memory is given back by `moveValuesDown` in steps, or by
// `compact` all at once.
//
// Why not linked objects: `npm run bench -- layout` compares both. Watch lists of linked objects
// cost several times as much once the collector has promoted them. For timers alone both cost about
// the same, as the user's own task objects are most of it.

import { MIN_CELLS, NONE, type Slot, STRIDE_BITS } from './cell-memory.ts';
import { FreeCells } from './free-cells.ts';
import { A, B, NEXT, PREV, Rings } from './rings.ts';

export { NONE, type Slot };

/** How many empty places are looked at in the time in which a cell moves. */
const EMPTY_VISITS = 32;
/** Where {@link Slab.compact} moved a cell in use. */
export type Moved = (slot: Slot) => Slot;

export class Slab<T = never> extends Rings {
  #values: (T | undefined)[] = [];
  /** While it shrinks: the index of the next value to look at. */
  #shrunkTo = 0;

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

  /** For a cell that has a value. */
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

  override beginShrink(): void {
    super.beginShrink();
    this.#shrunkTo = this.shrinksTo;
  }

  override endShrink(): void {
    super.endShrink();
    this.#values.length = Math.min(this.#values.length, this.capacity);
  }

  /** Its value moves with it. */
  override moveDown(slot: Slot): Slot {
    const to = super.moveDown(slot);
    const values = this.#values;
    const value = values[slot >> STRIDE_BITS];
    if (value === undefined) return to;
    values[slot >> STRIDE_BITS] = undefined;
    values[to >> STRIDE_BITS] = value;
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
   * Moves the cells in use together, and frees the memory beyond the next power of two. The order
   * of each list stays. Every slot changes: the owner must rewrite all slots that it keeps, by the
   * function that is returned. O(capacity).
   */
  compact(): Moved {
    const cells = this.cells;
    const values = this.#values;
    const used = this.used;
    const from = this.free.inUse(used);
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
    this.use(moved, new FreeCells(used, capacity));
    this.#values = movedValues;
    return (slot) => forward[slot >> STRIDE_BITS] as Slot;
  }
}
