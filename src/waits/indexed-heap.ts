// An indexed binary heap: of the thresholds that wait on one key, or of timers by their ticks.
//
// Invariants. It owns the order of its marks and `mark.index`, their place in it. A mark is in one
// heap at most, and is removed without a search. (With lazy deletion, a high threshold that is never
// reached would stay for ever.) Thresholds of a counter mostly come and are reached in their order.
// While they do, the marks are a sorted array, whose lowest were removed. Any other push or
// removal makes it a heap until it is empty.
//
// Costs. lowest: O(1). push, remove: O(log n), and O(1), amortised, while it is sorted.

/** What is in a heap. */
export interface Mark {
  /** Any two compare exactly, a number with a bigint too. */
  readonly rank: number | bigint;
  /** The order of equal ranks. */
  readonly order: number;
  /** Its place in the heap, 0 while that is sorted, or {@link NOT_IN_HEAP}. Belongs to the heap. */
  index: number;
}

export const NOT_IN_HEAP = -1;

/** Places at the front of a sorted array that may be empty, however few marks there are. */
const MAX_GONE = 64;

export class IndexedHeap<M extends Mark> {
  #marks: M[] = [];
  #isSorted = true;
  /** How many were removed from the front of a sorted array. 0 in a heap. */
  #gone = 0;

  get size(): number {
    return this.#marks.length - this.#gone;
  }

  /** The lowest rank. Of equal ones the first by order. */
  get lowest(): M | undefined {
    return this.#marks[this.#gone];
  }

  /** The lowest mark and some others that are low, `max` at most. O(max). */
  some(max: number): M[] {
    return this.#marks.slice(this.#gone, this.#gone + max);
  }

  /** All marks, the lowest first. O(n log n). */
  inOrder(): M[] {
    return this.some(this.size).sort((x, y) => (isBefore(x, y) ? -1 : 1));
  }

  /** Adds a mark that is in no heap. */
  push(mark: M): void {
    if (this.#isSorted && this.size > 0 && isBefore(mark, this.#marks[this.#marks.length - 1])) {
      this.#makeHeap();
    }
    const index = this.#marks.push(mark) - 1;
    if (this.#isSorted) mark.index = 0;
    else this.#rise(mark, index);
  }

  /** Takes out a mark that is in this heap. */
  remove(mark: M): void {
    if (this.#isSorted) {
      if (mark === this.lowest) {
        this.#shift(mark);
        return;
      }
      this.#makeHeap();
    }
    const { index } = mark;
    const last = this.#marks.pop() as M;
    mark.index = NOT_IN_HEAP;
    if (this.#marks.length === 0) this.#isSorted = true;
    if (last === mark) return;
    if (index > 0 && isBefore(last, this.#marks[(index - 1) >> 1])) this.#rise(last, index);
    else this.#sink(last, index);
  }

  #shift(lowest: M): void {
    lowest.index = NOT_IN_HEAP;
    this.#marks[this.#gone++] = undefined as never; // it is not to be kept in memory
    const { size } = this;
    if (size === 0 || this.#gone > size + MAX_GONE) this.#closeUp();
  }

  #closeUp(): void {
    this.#marks = this.#marks.slice(this.#gone);
    this.#gone = 0;
  }

  /** What is sorted is a heap. */
  #makeHeap(): void {
    this.#closeUp();
    this.#isSorted = false;
    for (const [index, mark] of this.#marks.entries()) mark.index = index;
  }

  #rise(mark: M, from: number): void {
    const marks = this.#marks;
    let index = from;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(mark, marks[parent])) break;
      this.#put(marks[parent], index);
      index = parent;
    }
    this.#put(mark, index);
  }

  #sink(mark: M, from: number): void {
    const marks = this.#marks;
    let index = from;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= marks.length) break;
      if (child + 1 < marks.length && isBefore(marks[child + 1], marks[child])) child++;
      if (!isBefore(marks[child], mark)) break;
      this.#put(marks[child], index);
      index = child;
    }
    this.#put(mark, index);
  }

  #put(mark: M, index: number): void {
    this.#marks[index] = mark;
    mark.index = index;
  }
}

function isBefore(x: Mark, y: Mark): boolean {
  if (x.rank < y.rank) return true;
  return !(y.rank < x.rank) && x.order < y.order;
}
