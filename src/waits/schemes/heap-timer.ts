// Scheme 3 of Varghese & Lauck (1987): a tree by deadline, here a binary heap. Each timer knows its
// place in it. (libuv, Java's DelayQueue and Go kept timers in this way.)
//
//   START_TIMER            O(log n)   rise from the end; O(1) where the new deadline is the latest
//   STOP_TIMER             O(log n)   the last takes the place, and sinks or rises from it
//   PER_TICK_BOOKKEEPING   O(1)       a look at the root; O(log n) for each that is due
//   space                  O(n)       three numbers a timer besides its cell
import { COLUMN_1, NONE, type Slot } from '../../slab/slab.ts';
import type { TimerTask } from '../../timer/timer-task.ts';
import { TickingScheme, type Visit } from './scheme.ts';
import { SchemeTimer, type SchemeTimerOptions } from './scheme-timer.ts';

/** The column of a task's cell: its place in the heap. */
export const POSITION: number = COLUMN_1;

/**
 * Scheme 3, an indexed binary heap. For delays of every size without the choice of a tick, and few
 * enough that log n is small.
 */
export class HeapTimer extends SchemeTimer {
  /** @throws TypeError, RangeError (Node's codes) for a bad option. */
  constructor(options?: SchemeTimerOptions) {
    super((slab, cursor) => new IndexedHeap(slab, cursor), options);
  }
}

/**
 * Position i of the three arrays is one node: its slot, its tick and the number of its insert. That
 * number decides between equal ticks, so the order is total, and a timer that is moved goes behind
 * its equals. A slot in the heap is a list of its own, whose integer `a` is its position. Every
 * change of a node goes through `#place`.
 */
export class IndexedHeap extends TickingScheme {
  /** @internal */
  readonly slots: Slot[] = [];
  /** @internal */
  readonly ticks: number[] = [];
  /** @internal */
  readonly orders: number[] = [];
  #inserts = 0;

  override file(tick: number, task: TimerTask): Slot {
    const slot = this.slab.makeList(NONE, NONE);
    this.slab.setValue(slot, task);
    this.#rise(this.slots.length, slot, tick, this.#inserts++);
    return slot;
  }

  willRemove(slot: Slot): void {
    const position = this.slab.cells[slot + POSITION];
    if (this.slots[position] === slot) this.#takeOut(position);
  }

  override collect(tick: number, due: Slot): void {
    this.cursor = tick;
    while (this.slots.length > 0 && this.ticks[0] <= tick) {
      const slot = this.slots[0];
      this.#takeOut(0);
      this.slab.moveTo(due, slot);
    }
  }

  override nextTick(): number {
    return this.slots.length > 0 ? this.ticks[0] : Number.POSITIVE_INFINITY;
  }

  override forEach(visit: Visit): void {
    const byInsert = this.slots.map((_, position) => position);
    byInsert.sort((x, y) => this.orders[x] - this.orders[y]);
    for (const position of byInsert) visit(this.slots[position], this.ticks[position]);
  }

  #takeOut(position: number): void {
    const slot = this.slots.pop()!;
    const tick = this.ticks.pop()!;
    const order = this.orders.pop()!;
    if (position === this.slots.length) return;
    if (position > 0 && this.#isBefore(tick, order, (position - 1) >> 1))
      this.#rise(position, slot, tick, order);
    else this.#sink(position, slot, tick, order);
  }

  /** Puts a node where its parent is not after it, at `from` or above. */
  #rise(from: number, slot: Slot, tick: number, order: number): void {
    let position = from;
    while (position > 0) {
      const parent = (position - 1) >> 1;
      if (!this.#isBefore(tick, order, parent)) break;
      this.#place(position, this.slots[parent], this.ticks[parent], this.orders[parent]);
      position = parent;
    }
    this.#place(position, slot, tick, order);
  }

  /** Puts a node where no child is before it, at `from` or below. */
  #sink(from: number, slot: Slot, tick: number, order: number): void {
    const length = this.slots.length;
    let position = from;
    for (;;) {
      let child = 2 * position + 1;
      if (child >= length) break;
      const right = child + 1;
      if (right < length && this.#isBefore(this.ticks[right], this.orders[right], child)) child = right;
      if (this.#isBefore(tick, order, child)) break;
      this.#place(position, this.slots[child], this.ticks[child], this.orders[child]);
      position = child;
    }
    this.#place(position, slot, tick, order);
  }

  #isBefore(tick: number, order: number, position: number): boolean {
    const other = this.ticks[position];
    return tick < other || (tick === other && order < this.orders[position]);
  }

  #place(position: number, slot: Slot, tick: number, order: number): void {
    this.slots[position] = slot;
    this.ticks[position] = tick;
    this.orders[position] = order;
    this.slab.cells[slot + POSITION] = position;
  }
}
