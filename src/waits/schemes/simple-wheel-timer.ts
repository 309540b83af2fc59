// Scheme 4 of Varghese & Lauck (1987): a wheel with one bucket a tick, for delays below a fixed
// limit: `add` throws ERR_OUT_OF_RANGE for a delay above `maxDelayMs`.
//
//   START_TIMER            O(1)             append to the bucket of the tick
//   STOP_TIMER             O(1)             unlink
//   PER_TICK_BOOKKEEPING   O(1)             a step to the next bucket, and what is due
//   space                  O(n + wheelSize) a list head (16 bytes) for each tick, used or not
import { checkedNumber, checkedOptions, type NumberRule } from '../../base/checks.ts';
import { outOfRange } from '../../base/node-errors.ts';
import type { Slot } from '../../slab/slab.ts';
import type { MakeScheme } from '../../timer/pending-tasks.ts';
import type { TimerTask } from '../../timer/timer-task.ts';
import { checkAddable } from '../../timer/timer-task.ts';
import { ExactTicks } from './exact-ticks.ts';
import { type TaskSlab, TickingScheme, type Visit } from './scheme.ts';
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

/**
 * The wheel keeps the ticks from cursor + 1 to cursor + wheelSize. So a bucket never holds two
 * different ticks. A delay of wheelSize - 1 ticks ends at most wheelSize ticks ahead of the cursor,
 * wherever in a tick it starts. That is why `maxDelayMs` is (wheelSize - 1) ticks. All ticks are
 * below 2^53 (exact-ticks.ts). `latest` is the highest tick that was filed. A stop does not change
 * it. No bucket behind it is stepped through.
 */
export class SimpleWheel extends TickingScheme {
  /** @internal */
  readonly buckets: readonly Slot[];
  /** @internal */
  latest: number = 0;

  constructor(slab: TaskSlab, cursor: number, wheelSize: number) {
    super(slab, cursor);
    this.buckets = Array.from({ length: wheelSize }, () => slab.makeList(0, 0));
    this.latest = cursor;
  }

  override insert(tick: number, task: TimerTask): Slot {
    if (tick > this.latest) this.latest = tick;
    return this.slab.pushTick(this.#bucketOf(tick), tick, task);
  }

  override collect(tick: number, due: Slot): void {
    const steps = Math.min(tick, this.latest) - this.cursor;
    for (let step = 1; step <= steps; step++) this.slab.splice(this.#bucketOf(this.cursor + step), due);
    this.cursor = tick;
  }

  override nextTick(): number {
    for (let step = 1; step <= this.latest - this.cursor; step++) {
      if (!this.slab.isEmpty(this.#bucketOf(this.cursor + step))) return this.cursor + step;
    }
    return Number.POSITIVE_INFINITY;
  }

  override forEach(visit: Visit): void {
    for (const bucket of this.buckets) this.slab.forEach(bucket, visit);
  }

  #bucketOf(tick: number): Slot {
    const wheelSize = this.buckets.length;
    const index = tick % wheelSize;
    return this.buckets[index < 0 ? index + wheelSize : index];
  }
}
