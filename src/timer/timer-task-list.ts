// A bucket: the tasks of one tick range of one wheel, in the order of add.
//
// Ground rules. It owns one list of the timer's slab, whose sentinel says whether the bucket is in the DelayQueue. It has at most one
// expiration at a time: the clock cannot pass that without taking the bucket from the queue first. A bucket that has lost its
// tasks stays queued until it heads the queue: to search a heap for it would cost more than it saves, and there are never
// more of them than buckets.
import type { Slot } from '../slab/slab.ts';
import { LOW_BITS, tickOf } from './tick.ts';

export class TimerTaskList {
  /** The sentinel of the list; changes when the slab is compacted. */
  list: Slot;
  /** The first tick of the range it stands for. */
  expiration = 0;
  /** log2 of the ticks that it spans: 0 in the lowest wheel, where all its tasks are of one tick. */
  readonly shift: number;
  /** Which of its wheel it is. */
  readonly index: number;

  constructor(list: Slot, shift: number, index: number) {
    this.list = list;
    this.shift = shift;
    this.index = index;
  }

  /** The first tick of the range that the tick of the two halves lies in. */
  startOf(high: number, low: number): number {
    const shift = this.shift;
    if (shift < LOW_BITS) return tickOf(high, (low >>> shift) << shift);
    return tickOf((high >> (shift - LOW_BITS)) << (shift - LOW_BITS), 0);
  }
}
