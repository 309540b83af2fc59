// Scheme 1 of Varghese & Lauck (1987): all timers in one list, in no order.
//
//   START_TIMER            O(1)   append
//   STOP_TIMER             O(1)   unlink
//   PER_TICK_BOOKKEEPING   O(n)   in a tick where a timer is due (or was, before it was stopped);
//                                 O(1) in any other
//   space                  O(n)   nothing besides the timers
//
// Ground rules. It is the one bucket of a wheel of scheme 6 (hashed-wheel.ts). The paper decrements
// every timer at every tick. Here only a tick that reaches the earliest looks through the list.
import { UnsortedHashedWheel } from './hashed-wheel.ts';
import { SchemeTimer, type SchemeTimerOptions } from './scheme-timer.ts';

/**
 * Scheme 1, an unordered list. For a few timers, or where nearly all are stopped before they are
 * due.
 */
export class UnorderedListTimer extends SchemeTimer {
  /** @throws TypeError, RangeError (Node's codes) for a bad option. */
  constructor(options?: SchemeTimerOptions) {
    super((slab, cursor) => new UnsortedHashedWheel(slab, cursor, 1), options);
  }
}
