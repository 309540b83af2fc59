// The thresholds that wait on one key, the lowest first: an indexed binary heap.
//
// Ground rules. It owns the order of its marks and `mark.index`, their place in it. A mark is in
// one heap at most. Thanks to the index, a mark leaves without a search and leaves nothing behind,
// however many waits end by their deadline. (A heap with lazy deletion keeps removed marks until
// they get to the top. A high threshold that is never reached would stay for ever.)
//
// Costs. first: O(1). push, remove: O(log n), about one comparison for a push of thresholds that
// grow.
import { mustHold } from '../must-hold.ts';

/** A threshold, or the value of a key. Any two compare exactly, a number with a bigint too. */
export type ThresholdValue = number | bigint;

/** One threshold in a heap. */
export interface Mark<V extends ThresholdValue> {
  readonly threshold: V;
  /** The order of equal thresholds. */
  readonly order: number;
  /** Its place in the heap, or {@link NOT_IN_HEAP}. Belongs to the heap. */
  index: number;
}

export const NOT_IN_HEAP = -1;

export class ThresholdHeap<V extends ThresholdValue, M extends Mark<V>> {
  readonly #marks: M[] = [];

  get size(): number {
    return this.#marks.length;
  }

  /** The lowest threshold. Of equal ones the first by order. */
  get first(): M | undefined {
    return this.#marks[0];
  }

  /** The lowest mark and some others that are low, `max` at most. O(max). */
  some(max: number): M[] {
    return this.#marks.slice(0, max);
  }

  /** Adds a mark that is in no heap. */
  push(mark: M): void {
    this.#marks.push(mark);
    this.#rise(mark, this.#marks.length - 1);
  }

  /** Takes out a mark that is in this heap. */
  remove(mark: M): void {
    const { index } = mark;
    const last = this.#marks.pop() as M;
    mark.index = NOT_IN_HEAP;
    if (last === mark) return;
    if (index > 0 && isBefore(last, this.#marks[(index - 1) >> 1])) this.#rise(last, index);
    else this.#sink(last, index);
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

  /** Throws unless the heap is sound; returns its marks in no order. For tests: O(size). */
  check(): readonly M[] {
    for (const [index, mark] of this.#marks.entries()) {
      mustHold(mark.index === index, `the mark at ${index} of a threshold heap claims ${mark.index}`);
      const isSorted = index === 0 || !isBefore(mark, this.#marks[(index - 1) >> 1]);
      mustHold(isSorted, `${mark.threshold} at ${index} lies below a higher one in a threshold heap`);
    }
    return this.#marks;
  }
}

function isBefore<V extends ThresholdValue>(x: Mark<V>, y: Mark<V>): boolean {
  if (x.threshold < y.threshold) return true;
  return !(y.threshold < x.threshold) && x.order < y.order;
}
