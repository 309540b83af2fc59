// Scheme 2 of Varghese & Lauck (1987): all timers in one list, by deadline.
//
//   START_TIMER            O(n)   a search for the place; O(1) where the new deadline is the
//                                 latest, as with one delay for all
//   STOP_TIMER             O(1)   unlink
//   PER_TICK_BOOKKEEPING   O(1)   a look at the head, and what is due
//   space                  O(n)   nothing besides the timers
//
// Ground rules. The search begins at the latest timer and passes only timers that are strictly
// later. So timers of one tick stay in the order of insert, and a start with a common delay never
// searches. The buckets of scheme 5 are such lists too.
import { mustHold } from '../must-hold.ts';
import { type Moved, NONE, type Slot } from '../slab/slab.ts';
import { type Census, censusOf, getTick, pushTick, type Scheme, type TaskSlab } from './scheme.ts';
import { SchemeTimer, type SchemeTimerOptions } from './scheme-timer.ts';

/**
 * Scheme 2, a list by deadline. For one delay that all timers share: then it is as good as a queue
 * can be.
 */
export class OrderedListTimer extends SchemeTimer {
  /** @throws TypeError, RangeError (Node's codes) for a bad option. */
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
    const slab = this.#slab;
    this.#cursor = tick;
    while (firstTick(slab, this.#list) <= tick) slab.moveTo(due, slab.next(this.#list));
  }

  nextTick(): number {
    return firstTick(this.#slab, this.#list);
  }

  relocate(moved: Moved): void {
    this.#list = moved(this.#list);
  }

  check(): Census {
    const members = checkSorted(this.#slab, this.#list, this.#cursor + 1);
    return censusOf(this.#slab, members, 1);
  }
}

/**
 * A new slot, filed by its tick, behind all of the same tick. O(k) of the k members that are later.
 */
export function insertByTick(slab: TaskSlab, list: Slot, tick: number): Slot {
  let later = list;
  for (let last = slab.prev(list); last !== list && getTick(slab, last) > tick; last = slab.prev(last)) {
    later = last;
  }
  // A list is a ring. So the last of the ring that begins at `later` is right before `later`.
  return pushTick(slab, later, tick);
}

/** The first tick of a sorted list. Infinity for an empty one. */
export function firstTick(slab: TaskSlab, list: Slot): number {
  const first = slab.next(list);
  return first === list ? Number.POSITIVE_INFINITY : getTick(slab, first);
}

/** Throws unless the list is sorted, with `earliest` or more at first. For tests. Returns its slots. */
export function checkSorted(slab: TaskSlab, list: Slot, earliest: number): Slot[] {
  const slots = slab.check(list);
  let last = earliest;
  for (const slot of slots) {
    const tick = getTick(slab, slot);
    mustHold(tick >= last, `tick ${tick} lies behind ${last}`);
    last = tick;
  }
  return slots;
}
