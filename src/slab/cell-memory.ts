// The memory of a slab: cells of four int32 each in one typed array, which of them are free, and how
// it grows and shrinks.
//
// Ground rules. It belongs to one slab, whose class extends it. It gives out cells and writes none.
// It doubles when under a 32nd is free. When under a quarter is in use it is sparse, and its owner
// gives memory back, in steps: from `beginShrink` on new cells come from the first part of the
// memory, and the owner moves those beyond it, a few at a time. So memory follows the number of
// cells in use within 4x, up and down, and while it shrinks all is sound between two steps.
//
// Costs. allocate: O(1), amortised. To grow and to end a shrinking are copies of memory.
import { FreeCells } from './free-cells.ts';

declare const slotBrand: unique symbol;

/** The offset of a cell in its slab. */
export type Slot = number & { readonly [slotBrand]: true };

/** No slot. */
export const NONE = -1 as Slot;

/** Numbers in a cell. */
export const STRIDE = 4;
/** log2(STRIDE): from a slot to the index of its cell. */
export const STRIDE_BITS = 2;
/** The cells of a slab that has never grown. */
export const MIN_CELLS = 64;
/** The fill of what is to stay from which a slab shrinks no further. */
const FULL = 0.75;
/** More than any slot. */
const UNBOUND = 2 ** 31 - 1;

export abstract class CellMemory {
  protected cells: Int32Array<ArrayBuffer> = new Int32Array(MIN_CELLS * STRIDE);
  protected free: FreeCells = new FreeCells(0, MIN_CELLS);
  protected used = 0;
  /** With fewer cells in use the slab is sparse. 0 for the least capacity. */
  #sparseBelow = 0;
  /** While it shrinks: the first slot that is to be given back. */
  #bound = UNBOUND;

  /** How many cells are in use, sentinels included. */
  get inUse(): number {
    return this.used;
  }

  /** How many cells there is room for. */
  get capacity(): number {
    return this.cells.length >> STRIDE_BITS;
  }

  /** True when under a quarter of the capacity is in use, and while it shrinks. */
  get isSparse(): boolean {
    return this.used < this.#sparseBelow;
  }

  /** From {@link beginShrink} until enough has moved, or the slab was needed after all. */
  get isShrinking(): boolean {
    return this.#bound !== UNBOUND;
  }

  /**
   * Begins to give memory back in steps: from now on new cells come from the first part of the
   * memory, in which all that are in use fill a half at most. The owner moves those that are
   * {@link isBeyond} it, a few at a time. When all have moved it calls
   * {@link endShrink}.
   */
  beginShrink(): void {
    let capacity = MIN_CELLS;
    while (capacity < 2 * this.used) capacity *= 2;
    this.free.confine(capacity);
    this.#bound = capacity << STRIDE_BITS;
    this.#sparseBelow = UNBOUND;
  }

  /** The capacity that will be left. */
  protected get shrinksTo(): number {
    return this.#bound >> STRIDE_BITS;
  }

  /** Whether a cell is to move. */
  isBeyond(slot: Slot): boolean {
    return slot >= this.#bound;
  }

  /** Gives the memory back from which all cells have moved. O(capacity), as a copy of memory. */
  endShrink(): void {
    if (!this.isShrinking) return;
    const free = this.free.confined();
    const cells = this.cells.slice(0, this.#bound);
    this.use(cells, free);
  }

  protected allocate(): Slot {
    if (this.free.next === this.free.end) this.#takeRun();
    this.used++;
    return (this.free.next++ << STRIDE_BITS) as Slot;
  }

  #takeRun(): void {
    if (this.free.takeRun()) return;
    if (this.isShrinking && this.used >= FULL * (this.#bound >> STRIDE_BITS)) this.#stopShrinking();
    // A turn must find as many free cells as it looks at words: O(1) amortised.
    if (this.capacity - this.used < this.free.words) this.#grow();
    else this.free.beginTurn();
    this.free.takeRun();
  }

  /** So much has come meanwhile that the memory is needed. */
  #stopShrinking(): void {
    this.free.release();
    this.use(this.cells, this.free);
  }

  #grow(): void {
    const cells = new Int32Array(this.cells.length * 2);
    cells.set(this.cells);
    this.use(cells, this.free.doubled());
  }

  protected use(cells: Int32Array<ArrayBuffer>, free: FreeCells): void {
    this.cells = cells;
    this.free = free;
    this.#bound = UNBOUND;
    this.#sparseBelow = this.capacity > MIN_CELLS ? this.capacity / 4 : 0;
  }
}
