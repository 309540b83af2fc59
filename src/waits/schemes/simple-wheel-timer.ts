// Scheme 4 of Varghese & Lauck (1987): a wheel with one bucket a tick, for delays below a fixed
// limit: `add` throws ERR_OUT_OF_RANGE for a delay above `maxDelayMs`.
//
//   START_TIMER            O(1)             append to the bucket of the tick
//   STOP_TIMER             O(1)             unlink
//   PER_TICK_BOOKKEEPING   O(1)             a step to the next bucket, and what is due
//   space                  O(n + wheelSize) a list head (16 bytes) for each tick, used or not
//
// Ground rules. It is a wheel of scheme 5 (hashed-wheel.ts) that has ticks of one rotation, from
// cursor + 1 to cursor + wheelSize: so the ticks of a bucket are equal, and nothing is sorted. A delay of
// wheelSize - 1 ticks ends at most wheelSize ticks ahead of the cursor, wherever in a tick it starts.
// That is why `maxDelayMs` is (wheelSize - 1) ticks.
import { checkedNumber, checkedOptions, type NumberRule } from '../../base/checks.ts';
import { outOfRange } from '../../base/node-errors.ts';
import type { TimerTask } from '../../timer/timer-task.ts';
import { checkAddable } from '../../timer/timer-task.ts';
import { SortedHashedWheel } from './hashed-wheel.ts';
import { SchemeTimer, type SchemeTimerOptions } from './scheme-timer.ts';

/** The options of a {@link SimpleWheelTimer}. */
export interface SimpleWheelTimerOptions extends SchemeTimerOptions {
  /**
   * The interval in ticks, and the number of buckets: an integer from 2 to 2^20, not rounded.
   * Default 65,536.
   */
  wheelSize?: number | undefined;
}

const DEFAULT_WHEEL_SIZE = 2 ** 16;
const WHEEL_SIZE: NumberRule = { min: 2, max: 2 ** 20, integer: true };

/**
 * Scheme 4, a wheel over a bounded interval. For short delays of a known bound, such as
 * retransmissions.
 */
export class SimpleWheelTimer extends SchemeTimer {
  /** The longest delay that `add` takes, in ms: `(wheelSize - 1) * tickMs`. */
  readonly maxDelayMs: number;

  /** @throws TypeError, RangeError (Node's codes) for a bad option. */
  constructor(options?: SimpleWheelTimerOptions) {
    const { wheelSize: given, ...common } = checkedOptions(options);
    const wheelSize = checkedNumber('options.wheelSize', given, DEFAULT_WHEEL_SIZE, WHEEL_SIZE);
    super((slab, cursor) => new SortedHashedWheel(slab, cursor, wheelSize), common);
    this.maxDelayMs = (wheelSize - 1) * this.tickMs;
  }

  /**
   * As `Timer.add`. @throws RangeError with ERR_OUT_OF_RANGE, besides, for a delay above
   * `maxDelayMs`.
   */
  override add(task: TimerTask): void {
    if (checkAddable(task, this) > this.maxDelayMs) {
      throw outOfRange('delayMs', `<= ${this.maxDelayMs}, the interval of this wheel`, task.delayMs);
    }
    super.add(task);
  }
}
