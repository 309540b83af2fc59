// Scheme 5 of Varghese & Lauck (1987): a hashed wheel whose buckets are lists by deadline.
//
//   START_TIMER            O(n / wheelSize) on average, O(n) where all are in one bucket: a search
//   STOP_TIMER             O(1)             unlink
//   PER_TICK_BOOKKEEPING   O(1)             a look at the head of one bucket, and what is due
//   space                  O(n + wheelSize) a list head (16 bytes) a bucket
//
// Ground rules. Those of the wheel (hashed-wheel.ts) and of its buckets (ordered-list-timer.ts). The
// search begins at the latest timer, so a start with a common delay never searches.
import { checkedNumber, checkedOptions } from '../checks.ts';
import type { Slot } from '../slab/slab.ts';
import { type SystemTimerOptions, WHEEL_SIZE } from '../timer/system-timer-options.ts';
import { ExactTicks } from './exact-ticks.ts';
import { HashedWheel } from './hashed-wheel.ts';
import { checkSorted, firstTick, insertByTick } from './ordered-list-timer.ts';
import { type Census, getTick, type MakeScheme } from './scheme.ts';
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
    const makeWheel: MakeScheme = (slab, cursor) => new SortedHashedWheel(slab, cursor, wheelSize);
    super((slab, cursor) => new ExactTicks(slab, cursor, makeWheel), common);
  }
}

class SortedHashedWheel extends HashedWheel {
  override insertIn(index: number, tick: number): Slot {
    return insertByTick(this.slab, this.buckets[index], tick);
  }

  override earliestIn(index: number): number {
    return firstTick(this.slab, this.buckets[index]);
  }

  override expireIn(index: number, tick: number, expired: Slot[]): void {
    const slab = this.slab;
    const list = this.buckets[index];
    for (let slot = slab.next(list); slot !== list && getTick(slab, slot) <= tick; slot = slab.next(slot)) {
      expired.push(slot);
    }
  }

  override check(): Census {
    for (const bucket of this.buckets) checkSorted(this.slab, bucket, Number.NEGATIVE_INFINITY);
    return super.check();
  }
}
