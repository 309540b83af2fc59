// Which cells of a slab are free, and which of them are used next: a bit for each, set while it is free.
//
// Ground rules. It belongs to one Slab, which takes free cells in turns: in the order of memory and, at its end, from its start again (next fit). What
// is freed behind waits for the next turn. So what is pushed in a row lies side by side, and a walk over a list goes through memory forwards, once
// for each turn that its cells are old. Were the cell that was freed last used first, it would go to and fro: with many watchers that come
// and go in any order it took twice as long (`npm run bench -- scan`, any 1 %).
//
// Costs. give: O(1). takeRun: O(words without a free cell that it passes).

/** log2 of the cells that a word tells of. */
const WORD_BITS = 5;
const ALL_FREE = -1;

export class FreeCells {
  readonly #words: Int32Array;
  /** The word to go on with. */
  #word = 0;
  /** What is left of the word before it: it was emptied, so that what is freed there meanwhile is for the next turn. */
  #rest = 0;
  /** The cells to be used up next lie side by side, from here to before `end`. */
  next: number;
  end: number;

  /** For cells from 0 to `capacity` - 1, of which those before `inUse` are in use. @param capacity a multiple of 32. */
  constructor(inUse: number, capacity: number) {
    this.#words = new Int32Array(capacity >> WORD_BITS).fill(ALL_FREE, inUse >> WORD_BITS);
    if (inUse < capacity) this.#words[inUse >> WORD_BITS] <<= inUse; // by `inUse` modulo 32
    this.next = 0;
    this.end = 0;
  }

  /** How many words of 32 cells a turn looks at. */
  get words(): number {
    return this.#words.length;
  }

  has(cell: number): boolean {
    const word = cell >> WORD_BITS;
    return ((this.#words[word] | this.#restOf(word)) & (1 << cell)) !== 0 || this.#isNext(cell);
  }

  /** Calls `visit` with each cell in use, in the order of memory. O(words + cells in use). */
  forEachInUse(visit: (cell: number) => void): void {
    for (let word = 0; word < this.#words.length; word++) {
      for (let bits = ~(this.#words[word] | this.#restOf(word)); bits !== 0; bits &= bits - 1) {
        const cell = (word << WORD_BITS) + trailingZeros(bits);
        if (!this.#isNext(cell)) visit(cell);
      }
    }
  }

  give(cell: number): void {
    this.#words[cell >> WORD_BITS] |= 1 << cell;
  }

  /** Once all are used up: sets `next` and `end` to further free cells, 1 to 32 of them. False when the turn is over. */
  takeRun(): boolean {
    const words = this.#words;
    while (this.#rest === 0) {
      if (this.#word === words.length) return false;
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

  /** The same cells and as many free ones behind them, which are the next to be taken. */
  doubled(): FreeCells {
    const words = this.#words.length;
    const cells = words << WORD_BITS;
    const doubled = new FreeCells(cells, cells * 2);
    doubled.#words.set(this.#words);
    doubled.#word = words;
    return doubled;
  }

  /** What is free in `word` and not yet taken, though the word was emptied. */
  #restOf(word: number): number {
    return word === this.#word - 1 ? this.#rest : 0;
  }

  /** Whether `cell` is among those to be used up next, which the words do not have either. */
  #isNext(cell: number): boolean {
    return cell >= this.next && cell < this.end;
  }
}

const trailingZeros = (bits: number): number => 32 - Math.clz32(~bits & (bits - 1));
