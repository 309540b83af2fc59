// Scheme 4 of Varghese & Lauck (1987): a wheel with one bucket a tick, for delays below a fixed
// limit.
//
//   START_TIMER            O(1)             append to the bucket of the tick
//   STOP_TIMER             O(1)             unlink
//   PER_TICK_BOOKKEEPING   O(1)             a step to the next bucket, and what is due
//   space                  O(n + wheelSize) a list head (16 bytes) for each tick, used or not
//
// It takes no delay above `maxDelayMs`: `add` throws ERR_OUT_OF_RANGE for one.
//
// Ground rules. The wheel keeps the ticks from cursor + 1 to cursor + wheelSize. So a bucket never
// holds two different ticks, and no tick has to be stored. A delay of wheelSize - 1 ticks ends at
// most wheelSize ticks ahead of the cursor, wherever in a tick it starts. That is why `maxDelayMs`
// is (wheelSize - 1) ticks. All ticks are below 2^53 (exact-ticks.ts). `latest` is the highest tick
// that was filed. A stop does not change it. No bucket behind it is stepped through.
import { checkedNumber, checkedOptions, type NumberRule } from '../../base/checks.ts';
import { mustHold } from '../../base/must-hold.ts';
import { outOfRange } from '../../base/node-errors.ts';
import { type Moved, NONE, type Slot } from '../../slab/slab.ts';
import { checkAddable } from '../../timer/timer-protocol.ts';
import type { TimerTask } from '../../timer/timer-task.ts';
import { ExactTicks } from './exact-ticks.ts';
import type { Census, MakeScheme, Scheme, TaskSlab } from './scheme.ts';
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
    const makeWheel: MakeScheme = (slab, cursor) => new SimpleWheel(slab, cursor, wheelSize);
    super((slab, cursor) => new ExactTicks(slab, cursor, makeWheel), common);
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

class SimpleWheel implements Scheme {
  readonly #slab: TaskSlab;
  readonly #buckets: Slot[];
  #cursor = 0;
  #latest = 0;

  constructor(slab: TaskSlab, cursor: number, wheelSize: number) {
    this.#slab = slab;
    this.#buckets = Array.from({ length: wheelSize }, () => slab.makeList(NONE, NONE));
    this.#cursor = cursor;
    this.#latest = cursor;
  }

  insert(tick: number): Slot {
    if (tick > this.#latest) this.#latest = tick;
    return this.#slab.push(this.#bucketOf(tick), NONE, NONE);
  }

  remove(slot: Slot): void {
    this.#slab.remove(slot);
  }

  collect(tick: number, due: Slot): void {
    const steps = Math.min(tick, this.#latest) - this.#cursor;
    for (let step = 1; step <= steps; step++) this.#slab.splice(this.#bucketOf(this.#cursor + step), due);
    this.#cursor = tick;
  }

  nextTick(): number {
    for (let step = 1; step <= this.#latest - this.#cursor; step++) {
      if (!this.#slab.isEmpty(this.#bucketOf(this.#cursor + step))) return this.#cursor + step;
    }
    return Number.POSITIVE_INFINITY;
  }

  relocate(moved: Moved): void {
    for (let index = 0; index < this.#buckets.length; index++)
      this.#buckets[index] = moved(this.#buckets[index]);
  }

  #bucketOf(tick: number): Slot {
    const wheelSize = this.#buckets.length;
    const index = tick % wheelSize;
    return this.#buckets[index < 0 ? index + wheelSize : index];
  }

  check(): Census {
    const found = new Set<Slot>();
    for (let step = 1; step <= this.#latest - this.#cursor; step++) {
      for (const slot of this.#slab.check(this.#bucketOf(this.#cursor + step))) found.add(slot);
    }
    const members = this.#buckets.flatMap((bucket) => this.#slab.check(bucket));
    mustHold(members.length === found.size, 'a bucket outside of the interval has tasks');
    mustHold(this.#latest <= this.#cursor + this.#buckets.length, 'a tick is beyond the interval');
    return { members, heads: this.#buckets.length, earliest: this.nextTick() };
  }
}
