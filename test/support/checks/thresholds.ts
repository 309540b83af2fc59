// What holds in the lists of a ThresholdPurgatory: marks and operations lead to each other.
import type { DelayedOperation } from '../../../src/purgatory/delayed-operation.ts';
import type { IndexedHeap, Mark } from '../../../src/waits/indexed-heap.ts';
import type { Thresholds, ThresholdValue } from '../../../src/waits/threshold/thresholds.ts';
import { mustHold } from './must-hold.ts';

/** Throws unless the heap is sound. Returns its marks, in no order. O(size). */
export function checkHeap<M extends Mark>(heap: IndexedHeap<M>): M[] {
  const marks = heap.some(heap.size);
  const isSorted = marks.every(({ index }) => index === 0);
  for (const [at, mark] of marks.entries()) {
    const claimed = isSorted ? at : mark.index;
    mustHold(claimed === at, `the mark at ${at} of a heap claims ${claimed}`);
    const before = marks[isSorted ? at - 1 : (at - 1) >> 1];
    const isOrdered =
      before === undefined ||
      before.rank < mark.rank ||
      (before.rank <= mark.rank && before.order < mark.order);
    mustHold(isOrdered, `${mark.rank} at ${at} lies below a higher one in a heap`);
  }
  return marks;
}

export function checkThresholds(
  lists: Thresholds<unknown, ThresholdValue>,
  parked: readonly DelayedOperation[],
): void {
  let pairs = 0;
  let keys = 0;
  let values = 0;
  const waitedOn = new Map<DelayedOperation, unknown[]>();
  for (const { key, value, heap } of lists.levels.values()) {
    const marks = checkHeap(heap);
    mustHold(marks.length > 0 || (value !== undefined && lists.keepsAll), 'a level is idle');
    for (const mark of marks) {
      const waiting = lists.keysOf(mark.operation, Number.POSITIVE_INFINITY);
      const isHome = mark.level.heap === heap && waiting.includes(key);
      mustHold(isHome, 'a mark is not where it belongs');
      mustHold(waiting.length === (mark.first ?? mark).waiting, 'an operation has miscounted its marks');
      waitedOn.set(mark.operation, [...(waitedOn.get(mark.operation) ?? []), key]);
    }
    pairs += marks.length;
    keys += Math.min(marks.length, 1);
    values += value === undefined ? 0 : 1;
  }
  for (const operation of parked) {
    const theirs = new Set(lists.keysOf(operation, Number.POSITIVE_INFINITY));
    const expected = waitedOn.get(operation) ?? [];
    const areSame = theirs.size === expected.length && expected.every((key) => theirs.has(key));
    mustHold(areSame, 'a mark is at the place of another operation');
    waitedOn.delete(operation);
  }
  mustHold(waitedOn.size === 0, `${waitedOn.size} operations have a mark, and are not parked`);
  mustHold(pairs === lists.pairs, `${pairs} marks, ${lists.pairs} counted`);
  mustHold(values === lists.values, `${values} keys have a value, ${lists.values} are counted`);
  mustHold(keys === lists.keys, `${keys} keys are waited on, ${lists.keys} are counted`);
}
