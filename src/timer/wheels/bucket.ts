// A bucket: the tasks of one tick range of one wheel, in the order of add.
//
// Ground rules. It owns one list of the wheels' slab. The list's sentinel says whether the bucket
// is in the DelayQueue. A bucket has one expiration at a time: the clock cannot pass it before the
// bucket has left the queue. A bucket that has lost its tasks stays queued until it is the head of
// the queue. A search of the heap would cost more, and there are never more such buckets than the
// wheels have.
import type { Slot } from '../../slab/slab.ts';
import { LOW_BITS, tickOf } from '../tick.ts';

export class Bucket {
  /** The sentinel of the list. Another one after a compaction of the slab. */
  list: Slot;
  /** The first tick of its range. */
  expiration = 0;
  /**
   * log2 of the ticks in its range: 0 in the lowest wheel, where all its tasks have the same tick.
   */
  readonly shift: number;
  /** Its index in its wheel. */
  readonly index: number;

  constructor(list: Slot, shift: number, index: number) {
    this.list = list;
    this.shift = shift;
    this.index = index;
  }

  /** The first tick of the range that the tick of the two halves is in. */
  startOf(high: number, low: number): number {
    const shift = this.shift;
    if (shift < LOW_BITS) return tickOf(high, (low >>> shift) << shift);
    return tickOf((high >> (shift - LOW_BITS)) << (shift - LOW_BITS), 0);
  }
}
