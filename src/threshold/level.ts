// The records of a Thresholds: a key, a threshold that waits on it, and the operation that waits.
//
// Ground rules. Thresholds makes and writes them; the heap of a level owns the order of its marks.
import type { DelayedOperation } from '../purgatory/delayed-operation.ts';
import type { Mark, ThresholdHeap, ThresholdValue } from './threshold-heap.ts';

/** The era of a value that fell: none. */
export const IN_DOUBT = -1;

/** A key that has a value, or that an operation waits on. */
export interface Level<K, V extends ThresholdValue> {
  readonly key: K;
  value: V | undefined;
  /** The era of Thresholds in which the value was last known to be true, or IN_DOUBT. */
  era: number;
  readonly heap: ThresholdHeap<V, WaitingMark<K, V>>;
}

/** A threshold that an operation waits for. */
export interface WaitingMark<K, V extends ThresholdValue> extends Mark<V> {
  readonly level: Level<K, V>;
  readonly parked: Parked<K, V>;
  /** The next mark of the same operation. */
  readonly sibling: WaitingMark<K, V> | undefined;
}

/** A parked operation, with what it waits for. */
export interface Parked<K, V extends ThresholdValue> {
  readonly operation: DelayedOperation;
  /**
   * The first of its marks. Nearly all operations have one: an array for it would cost more than
   * all the rest.
   */
  marks: WaitingMark<K, V> | undefined;
  /** How many of its marks are in a heap. */
  waiting: number;
}

/** The marks of an operation, the last one first. */
export function marksOf<K, V extends ThresholdValue>(parked: Parked<K, V>): WaitingMark<K, V>[] {
  const marks: WaitingMark<K, V>[] = [];
  for (let mark = parked.marks; mark !== undefined; mark = mark.sibling) marks.push(mark);
  return marks;
}
