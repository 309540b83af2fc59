// Scheme 2 of Varghese & Lauck (1987): all timers in one list, by deadline.
//
//   START_TIMER            O(n)   a search for the place; O(1) where the new deadline is the
//                                 latest, as with one delay for all
//   STOP_TIMER             O(1)   unlink
//   PER_TICK_BOOKKEEPING   O(1)   a look at the head, and what is due
//   space                  O(n)   nothing besides the timers
//
// Ground rules. It is the one bucket of a wheel of scheme 5 (hashed-wheel.ts): timers of one tick
// stay in the order of insert.
import { SortedHashedWheel } from './hashed-wheel.ts';
import { SchemeTimer, type SchemeTimerOptions } from './scheme-timer.ts';

/**
 * Scheme 2, a list by deadline. For one delay that all timers share: then it is as good as a queue
 * can be.
 */
export class OrderedListTimer extends SchemeTimer {
  /** @throws TypeError, RangeError (Node's codes) for a bad option. */
  constructor(options?: SchemeTimerOptions) {
    super((slab, cursor) => new SortedHashedWheel(slab, cursor, 1), options);
  }
}
