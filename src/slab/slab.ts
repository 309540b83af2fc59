// Lists whose links are indexes into one typed array. Buckets and watches are kept in them.
//
//   a cell    next │ prev │ column 1 │ column 2      and a value, in an array beside, on demand
//                         └── or one tick ──┘
//   a list    cell ◄─► cell ◄─► cell ◄─► the first again
//
// A Slot is the offset of a cell, valid until `remove`. A list is a ring, so a cell is removed
// without a search, without an allocation, and without the list. The columns are the owner's. All
// is O(1), amortised: the slab doubles when under a 32nd of it is free. It never shrinks: when it is
// sparse, its owner fills a new one. Linked objects cost several times as much once the collector
// has promoted them (`npm run bench -- layout`).

declare const slotBrand: unique symbol;

/** The offset of a cell in its slab. */
export type Slot = number & { readonly [slotBrand]: true };

/** No slot. */
export const NONE = -1 as Slot;

/** Where the four int32 of a cell are, from its slot on. A tick is in the last two. */
const NEXT = 0;
const PREV = 1;
/** The owner's columns: `slab.cells[slot + COLUMN_1]`. Each owner gives them names of its own. */
export const COLUMN_1 = 2;
export const COLUMN_2 = 3;
/** log2 of the int32 of a cell: from a slot to its index. */
const STRIDE_BITS = 2;
/** log2 of the bits in a word. */
const WORD_BITS = 5;
const ALL_FREE = -1;
const MIN_CELLS = 64;

/** The index of a cell, in the order of memory. */
export const indexOf = (slot: Slot): number => slot >> STRIDE_BITS;

export class Slab<T = never> {
  /** The integers of all cells. Growth replaces the array: read it anew after each new cell. */
  cells: Int32Array;
  /** The same memory. */
  #ticks: Float64Array;
  /** By index. Empty in a slab without values. */
  readonly #values: (T | undefined)[] = [];
  /** A bit for each cell, set while it is free, but for those from `#next` to before `#end`. */
  #free: Int32Array;
  #next = 0;
  #end = 0;
  /** How many cells are in use. */
  inUse: number = 0;

  /** @param cells how many it is to hold: they fill a half of the memory at most. */
  constructor(cells = 0) {
    let capacity = MIN_CELLS;
    while (capacity < 2 * cells) capacity *= 2;
    this.cells = new Int32Array(capacity << STRIDE_BITS);
    this.#ticks = new Float64Array(this.cells.buffer);
    this.#free = new Int32Array(capacity >> WORD_BITS).fill(ALL_FREE);
  }

  /** How many cells there is room for. */
  get capacity(): number {
    return this.cells.length >> STRIDE_BITS;
  }

  /** The cells beyond four times those in use, which are too many. Below 0: so many are missing. O(1). */
  get spare(): number {
    return (this.cells.length >> STRIDE_BITS) - Math.max(MIN_CELLS, 4 * this.inUse);
  }

  /** Makes a ring of one cell. */
  makeList(one: number, two: number): Slot {
    const slot = this.#allocate();
    const cells = this.cells;
    cells[slot + NEXT] = slot;
    cells[slot + PREV] = slot;
    cells[slot + COLUMN_1] = one;
    cells[slot + COLUMN_2] = two;
    return slot;
  }

  /** Adds a new cell before `list`: where that begins a ring, behind the others. */
  push(list: Slot, one: number, two: number): Slot {
    const slot = this.#allocate();
    const cells = this.cells;
    const last = cells[list + PREV];
    cells[slot + NEXT] = list;
    cells[slot + PREV] = last;
    cells[slot + COLUMN_1] = one;
    cells[slot + COLUMN_2] = two;
    cells[last + NEXT] = slot;
    cells[list + PREV] = slot;
    return slot;
  }

  /** As `push` and `setValue`, which is written out: V8 inlines up to a limit. */
  pushValue(list: Slot, one: number, two: number, value: T): Slot {
    const slot = this.push(list, one, two);
    const values = this.#values;
    const index = slot >> STRIDE_BITS;
    while (values.length < index) values[values.length] = undefined;
    values[index] = value;
    return slot;
  }

  /** As `pushValue`, with a tick (any double) in the place of both columns. */
  pushTick(list: Slot, tick: number, value: T): Slot {
    const slot = this.pushValue(list, 0, 0, value);
    this.#ticks[(slot >> 1) + 1] = tick;
    return slot;
  }

  /** Takes a cell, with its value, out of whatever list it is in and gives it back. */
  remove(slot: Slot): void {
    const index = slot >> STRIDE_BITS;
    if (index < this.#values.length) this.#values[index] = undefined;
    // What is started and stopped at once takes the same cell again, and not one that is cold.
    if (index === this.#next - 1) this.#next = index;
    else this.#free[index >> WORD_BITS] |= 1 << index;
    this.inUse--;
    const cells = this.cells;
    const next = cells[slot + NEXT];
    const prev = cells[slot + PREV];
    cells[prev + NEXT] = next;
    cells[next + PREV] = prev;
  }

  /** Moves a cell from its list to the end of `list`. */
  moveTo(list: Slot, slot: Slot): void {
    const cells = this.cells;
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

  /** Moves all of `from`, in order, behind the last of `to`. */
  splice(from: Slot, to: Slot): void {
    const cells = this.cells;
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

  /**
   * Visits the others of `list`, in order, with their ticks where they have such. The visitor may
   * move the slot that it is given.
   */
  forEach(list: Slot, visit: (slot: Slot, tick: number) => void): void {
    for (let slot = this.next(list), next = slot; slot !== list; slot = next) {
      next = this.next(slot);
      visit(slot, this.tick(slot));
    }
  }

  isEmpty(list: Slot): boolean {
    return this.cells[list + NEXT] === list;
  }

  next(slot: Slot): Slot {
    return this.cells[slot + NEXT] as Slot;
  }

  prev(slot: Slot): Slot {
    return this.cells[slot + PREV] as Slot;
  }

  /** The tick of a cell that has one. */
  tick(slot: Slot): number {
    return this.#ticks[(slot >> 1) + 1];
  }

  value(slot: Slot): T | undefined {
    return this.#values[slot >> STRIDE_BITS];
  }

  setValue(slot: Slot, value: T): void {
    const values = this.#values;
    const index = slot >> STRIDE_BITS;
    // Cells without a value are filled: else V8 would make the array a sparse one.
    while (values.length < index) values[values.length] = undefined;
    values[index] = value;
  }

  /** How many indexes there are for {@link valueAt}. */
  get valueSpan(): number {
    return this.#values.length;
  }

  /** The value of the cell at an index, if there is one. */
  valueAt(index: number): T | undefined {
    return this.#values[index];
  }

  /** The slot at an index. */
  slotAt(index: number): Slot {
    return (index << STRIDE_BITS) as Slot;
  }

  #allocate(): Slot {
    if (this.#next === this.#end) this.#takeRun();
    this.inUse++;
    return (this.#next++ << STRIDE_BITS) as Slot;
  }

  /**
   * Sets `#next` and `#end` to the next free cells, 1 to 32 of them. Free cells are given out in
   * the order of memory, and those that are freed behind the present place wait for the next lap
   * (next fit): so cells that are pushed one after the other are side by side, and a walk over a
   * list goes forwards through memory. (With a list of free cells, a walk over watchers that come
   * and go took twice as long: `npm run bench -- scan`, any 1 %.)
   */
  #takeRun(): void {
    let word = this.#end >> WORD_BITS;
    let bits = this.#end < this.capacity ? this.#free[word] & (-1 << this.#end) : 0;
    while (bits === 0) {
      if (++word >= this.#free.length) word = this.#beginLap();
      bits = this.#free[word];
    }
    const first = trailingZeros(bits);
    const run = bits & ~(bits + (1 << first)); // the carry sets the bit behind the run
    this.#free[word] ^= run;
    this.#next = (word << WORD_BITS) + first;
    this.#end = this.#next + trailingZeros(~(run >>> first));
  }

  /** Returns the first word of the next lap, which finds as many free cells as it has words. */
  #beginLap(): number {
    const words = this.#free.length;
    if (this.capacity - this.inUse >= words) return 0;
    const cells = new Int32Array(this.cells.length * 2);
    cells.set(this.cells);
    const free = new Int32Array(words * 2).fill(ALL_FREE, words);
    free.set(this.#free);
    const ticks = new Float64Array(cells.buffer); // the last that memory may be refused to
    this.cells = cells;
    this.#ticks = ticks;
    this.#free = free;
    return words;
  }
}

const trailingZeros = (bits: number): number => 32 - Math.clz32(~bits & (bits - 1));
