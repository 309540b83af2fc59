// Scheme 2 of Varghese & Lauck (1987): all timers in one list, by deadline.
//
//   START_TIMER            O(n)   a search for the place; O(1) where the new deadline is the
//                                 latest, as with one delay for all
//   STOP_TIMER             O(1)   unlink
//   PER_TICK_BOOKKEEPING   O(1)   a look at the head, and what is due
//   space                  O(n)   nothing besides the timers
//
// Ground rules. The search (sorted-list.ts) begins at the latest timer and passes only timers that
// are strictly later. So timers of one tick stay in the order of insert, and a start with a common
// delay never searches.
import { mustHold } from '../must-hold.ts';
import { type Moved, NONE, type Slot } from '../slab/slab.ts';
import { type Census, censusOf, getTick, type Scheme, type TaskSlab } from './scheme.ts';
import { SchemeTimer, type SchemeTimerOptions } from './scheme-timer.ts';
import { collectUpTo, firstTick, insertByTick } from './sorted-list.ts';

/**
 * Scheme 2, a list by deadline. For one delay that all timers share: then it is as good as a queue
 * can be.
 */
export class OrderedListTimer extends SchemeTimer {
  /**
   * @throws TypeError, RangeError (Node's codes) for an option of the wrong type or out of its
   * range.
   */
  constructor(options?: SchemeTimerOptions) {
    super((slab, cursor) => new OrderedList(slab, cursor), options);
  }
}

class OrderedList implements Scheme {
  readonly #slab: TaskSlab;
  #list: Slot;
  #cursor = 0;

  constructor(slab: TaskSlab, cursor: number) {
    this.#slab = slab;
    this.#list = slab.makeList(NONE, NONE);
    this.#cursor = cursor;
  }

  insert(tick: number): Slot {
    return insertByTick(this.#slab, this.#list, tick);
  }

  remove(slot: Slot): void {
    this.#slab.remove(slot);
  }

  collect(tick: number, due: Slot): void {
    this.#cursor = tick;
    collectUpTo(this.#slab, this.#list, tick, due);
  }

  nextTick(): number {
    return firstTick(this.#slab, this.#list);
  }

  relocate(moved: Moved): void {
    this.#list = moved(this.#list);
  }

  check(): Census {
    const members = this.#slab.check(this.#list);
    let last = this.#cursor + 1;
    for (const slot of members) {
      const tick = getTick(this.#slab, slot);
      mustHold(tick >= last, `tick ${tick} lies behind ${last}`);
      last = tick;
    }
    return censusOf(this.#slab, members, 1);
  }
}
