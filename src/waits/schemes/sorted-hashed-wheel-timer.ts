// Scheme 5 of Varghese & Lauck (1987): a hashed wheel whose buckets are lists by deadline.
//
//   START_TIMER            O(n / wheelSize) on average, O(n) where all are in one bucket: a search
//   STOP_TIMER             O(1)             unlink
//   PER_TICK_BOOKKEEPING   O(1)             a look at the head of one bucket, and what is due
//   space                  O(n + wheelSize) a list head (16 bytes) a bucket
//
// Ground rules. Those of the wheel (hashed-wheel.ts).
import { checkedNumber, checkedOptions } from '../../base/checks.ts';
import { type SystemTimerOptions, WHEEL_SIZE } from '../../timer/system-timer-options.ts';
import { bucketsOf, SortedHashedWheel } from './hashed-wheel.ts';
import { SchemeTimer } from './scheme-timer.ts';

/**
 * Scheme 5, a hashed wheel with sorted buckets. For fewer timers than buckets, and the steadiest
 * ticks.
 */
export class SortedHashedWheelTimer extends SchemeTimer {
  /** @throws TypeError, RangeError (Node's codes) for a bad option. */
  constructor(options?: SystemTimerOptions) {
    const { wheelSize: given, ...common } = checkedOptions(options);
    const wheelSize = checkedNumber('options.wheelSize', given, 512, WHEEL_SIZE);
    super((slab, cursor) => new SortedHashedWheel(slab, cursor, bucketsOf(wheelSize)), common);
  }
}
