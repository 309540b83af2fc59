// Scheme 1 of Varghese & Lauck (1987): all timers in one list, in no order.
//
//   START_TIMER            O(1)   append
//   STOP_TIMER             O(1)   unlink
//   PER_TICK_BOOKKEEPING   O(n)   in a tick where a timer is due (or was, before it was stopped);
//                                 O(1) in any other
//   space                  O(n)   nothing besides the timers
//
// Ground rules. The paper decrements every timer at every tick. Here a timer keeps its tick, and
// the list has a lower bound of its earliest tick. Only a tick that reaches the bound looks through
// the list. The bound is exact after a look. A stop does not change it. The list is in the order of
// insert, so a stable sort puts the due timers in order.
import { mustHold } from '../must-hold.ts';
import { type Moved, NONE, type Slot } from '../slab/slab.ts';
import {
  appendByTick,
  type Census,
  censusOf,
  findExpired,
  getTick,
  members,
  pushTick,
  type Scheme,
  type TaskSlab,
} from './scheme.ts';
import { SchemeTimer, type SchemeTimerOptions } from './scheme-timer.ts';

/**
 * Scheme 1, an unordered list. For a few timers, or where nearly all are stopped before they are
 * due.
 */
export class UnorderedListTimer extends SchemeTimer {
  /** @throws TypeError, RangeError (Node's codes) for a bad option. */
  constructor(options?: SchemeTimerOptions) {
    super((slab, cursor) => new UnorderedList(slab, cursor), options);
  }
}

export class UnorderedList implements Scheme {
  readonly #slab: TaskSlab;
  #list: Slot;
  #cursor = 0;
  /** No slot of the list has an earlier tick. */
  #earliest = Number.POSITIVE_INFINITY;

  constructor(slab: TaskSlab, cursor: number) {
    this.#slab = slab;
    this.#list = slab.makeList(NONE, NONE);
    this.#cursor = cursor;
  }

  insert(tick: number): Slot {
    if (tick < this.#earliest) this.#earliest = tick;
    return pushTick(this.#slab, this.#list, tick);
  }

  remove(slot: Slot): void {
    this.#slab.remove(slot);
  }

  collect(tick: number, due: Slot): void {
    this.#cursor = tick;
    if (tick < this.#earliest) return;
    const expired: Slot[] = [];
    this.#earliest = findExpired(this.#slab, this.#list, tick, expired);
    appendByTick(this.#slab, expired, due);
  }

  nextTick(): number {
    return this.#earliest;
  }

  relocate(moved: Moved): void {
    this.#list = moved(this.#list);
  }

  check(): Census {
    const slots = this.#slab.check(this.#list);
    for (const slot of members(this.#slab, this.#list)) {
      const tick = getTick(this.#slab, slot);
      mustHold(tick > this.#cursor, `tick ${tick} was left behind at ${this.#cursor}`);
      mustHold(tick >= this.#earliest, `tick ${tick} is before the earliest, ${this.#earliest}`);
    }
    return censusOf(this.#slab, slots, 1);
  }
}
