// Scheme 3 of Varghese & Lauck (1987): a tree by deadline, here a binary heap. Each timer knows its
// place in it. (libuv, Java's DelayQueue and Go kept timers in this way.)
//
//   START_TIMER            O(log n)   rise from the end; O(1) where the new deadline is the latest
//   STOP_TIMER             O(log n)   the last takes the place, and sinks or rises from it
//   PER_TICK_BOOKKEEPING   O(1)       a look at the root; O(log n) for each that is due
//   space                  O(n)       a small object a timer besides its cell
import { indexOf, NONE, type Slot } from '../../slab/slab.ts';
import type { TimerTask } from '../../timer/timer-task.ts';
import { IndexedHeap, type Mark, NOT_IN_HEAP } from '../indexed-heap.ts';
import { TickingScheme, type Visit } from './scheme.ts';
import { SchemeTimer, type SchemeTimerOptions } from './scheme-timer.ts';

/**
 * Scheme 3, an indexed binary heap. For delays of every size without the choice of a tick, and few
 * enough that log n is small.
 */
export class HeapTimer extends SchemeTimer {
  /** @throws TypeError, RangeError (Node's codes) for a bad option. */
  constructor(options?: SchemeTimerOptions) {
    super((slab, cursor) => new HeapScheme(slab, cursor), options);
  }
}

/** A timer in the heap. */
interface TimerMark extends Mark {
  readonly rank: number;
  readonly slot: Slot;
}

/** A timer that is moved goes behind its equals: the order of a mark is the number of its insert. */
export class HeapScheme extends TickingScheme {
  readonly #heap = new IndexedHeap<TimerMark>();
  /** By the indexes of their slots. */
  readonly #marks: (TimerMark | undefined)[] = [];
  #inserts = 0;

  override file(tick: number, task: TimerTask): Slot {
    const slot = this.slab.makeList(NONE, NONE);
    const mark: TimerMark = { rank: tick, order: this.#inserts++, index: NOT_IN_HEAP, slot };
    this.slab.setValue(slot, task);
    while (this.#marks.length <= indexOf(slot)) this.#marks.push(undefined);
    this.#marks[indexOf(slot)] = mark;
    this.#heap.push(mark);
    return slot;
  }

  willRemove(slot: Slot): void {
    const mark = this.#marks[indexOf(slot)];
    if (mark !== undefined) this.#takeOut(mark);
  }

  override collect(tick: number, due: Slot): void {
    this.cursor = tick;
    for (let mark = this.#heap.lowest; mark !== undefined; mark = this.#heap.lowest) {
      if (mark.rank > tick) return;
      this.#takeOut(mark);
      this.slab.moveTo(due, mark.slot);
    }
  }

  override nextTick(): number {
    return this.#heap.lowest?.rank ?? Number.POSITIVE_INFINITY;
  }

  override forEach(visit: Visit): void {
    const byInsert = this.#heap.some(this.#heap.size).sort((x, y) => x.order - y.order);
    for (const { slot, rank } of byInsert) visit(slot, rank);
  }

  #takeOut(mark: TimerMark): void {
    this.#heap.remove(mark);
    this.#marks[indexOf(mark.slot)] = undefined;
  }
}
