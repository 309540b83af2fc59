// The records of a Thresholds: a key, and a threshold of an operation that waits on it.
//
// Ground rules. Thresholds makes and writes them; the heap of a level owns the order of its marks.
import type { DelayedOperation } from '../../purgatory/delayed-operation.ts';
import { type Mark, NOT_IN_HEAP, type ThresholdHeap, type ThresholdValue } from './threshold-heap.ts';

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

/**
 * A threshold of a parked operation. Nearly all operations have one threshold, so no object but the
 * first mark stands for them.
 */
export interface WaitingMark<K, V extends ThresholdValue> extends Mark<V> {
  readonly level: Level<K, V>;
  readonly operation: DelayedOperation;
  /** The first mark of the operation; undefined: this is it. */
  readonly first: WaitingMark<K, V> | undefined;
  /** The next mark of the operation. */
  sibling: WaitingMark<K, V> | undefined;
  /** How many marks of the operation are in a heap. Belongs to the first of them. */
  waiting: number;
}

/** Whether the value of `level` is known, and at least `threshold`. */
export function isReached<V extends ThresholdValue>(
  level: { readonly value: V | undefined } | undefined,
  threshold: V,
): boolean {
  return level?.value !== undefined && level.value >= threshold;
}

/** The marks of an operation that are in a heap, by its first one. */
export function waitingMarks<K, V extends ThresholdValue>(
  first: WaitingMark<K, V> | undefined,
): WaitingMark<K, V>[] {
  const waiting: WaitingMark<K, V>[] = [];
  for (let mark = first; mark !== undefined; mark = mark.sibling) {
    if (mark.index !== NOT_IN_HEAP) waiting.push(mark);
  }
  return waiting;
}
