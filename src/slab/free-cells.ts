// Which cells of a slab are free, and which of them are used next: one bit for each cell, set while
// it is free.
//
// Ground rules. It belongs to one Slab. It gives out free cells in the order of memory, turn by
// turn (next fit). A cell that is freed behind the present place waits for the next turn. So cells
// that are pushed one after the other are side by side. A walk over a list goes forwards through
// memory, once for each turn in which its cells were given out. A list of free cells would give out
// the last freed one first, and a walk would go to and fro. With many watchers that come and go in
// any order, that took twice as long (`npm run bench -- scan`, any 1 %).
//
// Costs. give: O(1). takeRun: O(words without a free cell that it passes).

import { mustHold } from '../base/must-hold.ts';

/** log2 of the cells in a word. */
const WORD_BITS = 5;
const ALL_FREE = -1;

export class FreeCells {
  readonly #words: Int32Array;
  /** A turn ends before this word. */
  #limit: number;
  /** The word to go on with. */
  #word = 0;
  /**
   * The free cells of the word before it that this turn has yet to give out. They were moved here,
   * and that word was set to 0. So a bit that is set in it now is a cell for the next turn.
   */
  #rest = 0;
  /** The cells to use next are those from here to before `end`. */
  next: number;
  end: number;

  /**
   * For the cells from 0 to `capacity` - 1. Those before `inUse` are in use.
   * @param capacity a multiple of 32.
   */
  constructor(inUse: number, capacity: number) {
    this.#words = new Int32Array(capacity >> WORD_BITS).fill(ALL_FREE, inUse >> WORD_BITS);
    if (inUse < capacity) this.#words[inUse >> WORD_BITS] <<= inUse; // by `inUse` modulo 32
    this.#limit = this.#words.length;
    this.next = 0;
    this.end = 0;
  }

  /** How many words a turn looks at. */
  get words(): number {
    return this.#words.length;
  }

  has(cell: number): boolean {
    const word = cell >> WORD_BITS;
    return ((this.#words[word] | this.#restOf(word)) & (1 << cell)) !== 0 || this.#isNext(cell);
  }

  /**
   * The `count` cells that are in use, in the order of memory. Without a call for each: this runs
   * so seldom that it runs interpreted. O(words + cells in use).
   */
  inUse(count: number): Int32Array {
    const cells = new Int32Array(count);
    const { next, end } = this;
    let found = 0;
    for (let word = 0; word < this.#words.length; word++) {
      for (let bits = ~(this.#words[word] | this.#restOf(word)); bits !== 0; bits &= bits - 1) {
        const cell = (word << WORD_BITS) + 31 - Math.clz32(bits & -bits);
        if (cell < next || cell >= end) cells[found++] = cell;
      }
    }
    return cells;
  }

  give(cell: number): void {
    this.#words[cell >> WORD_BITS] |= 1 << cell;
  }

  /**
   * When `next` has come to `end`: sets both to further free cells, 1 to 32 of them. False at the
   * end of the turn.
   */
  takeRun(): boolean {
    const words = this.#words;
    while (this.#rest === 0) {
      if (this.#word === this.#limit) return false;
      this.#rest = words[this.#word];
      words[this.#word++] = 0;
    }
    const rest = this.#rest;
    const start = trailingZeros(rest);
    const run = trailingZeros(~(rest >>> start));
    this.next = ((this.#word - 1) << WORD_BITS) + start;
    this.end = this.next + run;
    this.#rest = rest & (rest + (1 << start)); // the carry clears the run
    return true;
  }

  beginTurn(): void {
    this.#word = 0;
  }

  /** From now on gives out cells below `capacity` only, a multiple of 32. */
  confine(capacity: number): void {
    for (let cell = this.next; cell < this.end; cell++) this.give(cell);
    if (this.#word > 0) this.#words[this.#word - 1] |= this.#rest;
    this.#rest = 0;
    this.next = 0;
    this.end = 0;
    this.#word = 0;
    this.#limit = capacity >> WORD_BITS;
  }

  /** Gives out all cells again. */
  release(): void {
    this.#limit = this.#words.length;
  }

  /** Whether all cells beyond those that it is confined to are free. O(words). */
  get isConfined(): boolean {
    return this.#words.subarray(this.#limit).every((word) => word === ALL_FREE);
  }

  /** Those that it is confined to; all others must be free. O(words). */
  confined(): FreeCells {
    const limit = this.#limit;
    this.confine(limit << WORD_BITS);
    mustHold(this.isConfined, 'a cell to be given back is in use');
    const confined = new FreeCells(0, limit << WORD_BITS);
    confined.#words.set(this.#words.subarray(0, limit));
    return confined;
  }

  /** The same cells, and as many free ones behind them. These are used next. */
  doubled(): FreeCells {
    const words = this.#words.length;
    const cells = words << WORD_BITS;
    const doubled = new FreeCells(cells, cells * 2);
    doubled.#words.set(this.#words);
    doubled.#word = words;
    return doubled;
  }

  /** The free cells of `word` that are in `#rest`. */
  #restOf(word: number): number {
    return word === this.#word - 1 ? this.#rest : 0;
  }

  /** Whether `cell` is one of those to use next, which are not in the words either. */
  #isNext(cell: number): boolean {
    return cell >= this.next && cell < this.end;
  }
}

const trailingZeros = (bits: number): number => 32 - Math.clz32(~bits & (bits - 1));
