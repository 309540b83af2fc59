// Scheme 7 of Varghese & Lauck (1987): wheels of growing coarseness, such as seconds, minutes,
// hours and days.
//
//   START_TIMER            O(m)   of m levels: the search for the level
//   STOP_TIMER             O(1)   unlink
//   PER_TICK_BOOKKEEPING   O(1)   a step to the next bucket, what is due; at most m moves a timer
//   space                  O(n + buckets of all levels)   a list head (16 bytes) a bucket
import { checkedOptions, requiredArray } from '../../base/checks.ts';
import { invalidArgType, invalidArgValue, outOfRange } from '../../base/node-errors.ts';
import type { Slot } from '../../slab/slab.ts';
import type { TimerTask } from '../../timer/timer-task.ts';
import { type TaskSlab, TickingScheme, type Visit } from './scheme.ts';
import { SchemeTimer, type SchemeTimerOptions } from './scheme-timer.ts';

/** The options of a {@link HierarchicalWheelTimer}. */
export interface HierarchicalWheelTimerOptions extends SchemeTimerOptions {
  /**
   * Buckets of each level, the finest first: integers from 2 to 65,536 whose product is a safe
   * integer. Default `[60, 60, 24, 100]`: seconds, minutes, hours and days, for a tick of a second.
   */
  levels?: readonly number[] | undefined;
}

/**
 * Scheme 7, hierarchical wheels that tick. For delays of every size in O(1), where the levels have
 * a meaning.
 */
export class HierarchicalWheelTimer extends SchemeTimer {
  /** @throws TypeError, RangeError (Node's codes) for a bad option. */
  constructor(options?: HierarchicalWheelTimerOptions) {
    const { levels = [60, 60, 24, 100], ...common } = checkedOptions(options);
    const checked = checkedLevels(levels);
    super((slab, cursor) => new HierarchicalWheel(slab, cursor, checked), common);
  }
}

function checkedLevels(levels: readonly number[]): readonly number[] {
  requiredArray('options.levels', levels);
  if (levels.length === 0) throw invalidArgValue('options.levels', 'must name one level or more', levels);
  let range = 1;
  for (const buckets of levels) {
    if (typeof buckets !== 'number') throw invalidArgType('options.levels', 'an array of numbers', levels);
    if (!(Number.isInteger(buckets) && buckets >= 2 && buckets <= 2 ** 16)) {
      throw outOfRange('options.levels', 'an array of integers >= 2 and <= 65536', levels);
    }
    range *= buckets;
  }
  if (range > Number.MAX_SAFE_INTEGER) {
    throw outOfRange('options.levels', 'an array whose product is <= Number.MAX_SAFE_INTEGER', levels);
  }
  return [...levels];
}

/**
 * One wheel. Each of its buckets spans `span` ticks. All its buckets together span as many ticks as
 * one bucket of the next level.
 */
interface Level {
  readonly buckets: readonly Slot[];
  readonly span: number;
}

/**
 * A level stands for one digit of the tick in a mixed radix. Take levels 60/60/24/100, a tick of a
 * second, and the time 10:24:30 on day 11. A timer for 11:15:15 of that day differs in the hour, so
 * it goes to the third level, bucket 11. When the cursor gets to 11:00:00, it moves to the second
 * level, bucket 15. At 11:15:00 it moves to the first level, bucket 15, and at 11:15:15 it is due.
 * Ticks beyond the last level wait in a list. The wheel looks through that list when the cursor
 * enters the range of the earliest tick in it.
 *
 * A tick is filed at the highest digit in which it differs from the cursor. So timers of one tick
 * are always in one list, in the order of insert, also after every move down. The cursor steps from
 * bucket to bucket within a level. It steps over a whole bucket of the next level when this level
 * is empty. (SystemTimer jumps instead, by its DelayQueue.) All ticks are below 2^53
 * (scheme.ts), so divisions are exact.
 */
export class HierarchicalWheel extends TickingScheme {
  /** @internal */
  readonly levels: readonly Level[];
  /** Ticks that all levels span. */
  readonly #range: number = 0;
  /** @internal */
  readonly beyond: Slot;
  /** No slot beyond has an earlier tick. @internal */
  earliestBeyond: number = Number.POSITIVE_INFINITY;

  constructor(slab: TaskSlab, cursor: number, sizes: readonly number[]) {
    super(slab, cursor);
    let span = 1;
    this.levels = sizes.map((length) => {
      const level = { buckets: Array.from({ length }, () => slab.makeList(0, 0)), span };
      span *= length;
      return level;
    });
    this.#range = span;
    this.beyond = slab.makeList(0, 0);
  }

  override file(tick: number, task: TimerTask): Slot {
    return this.slab.pushTick(this.#listFor(tick), tick, task);
  }

  override collect(tick: number, due: Slot): void {
    for (let at = this.#nextUpTo(tick); at <= tick; at = this.#nextUpTo(tick)) this.#expire(at, due);
    this.cursor = tick;
  }

  override nextTick(): number {
    return this.#nextUpTo(Number.MAX_VALUE);
  }

  override forEach(visit: Visit): void {
    const lists = [...this.levels.flatMap(({ buckets }) => buckets), this.beyond];
    for (const list of lists) this.slab.forEach(list, visit);
  }

  /**
   * Steps from bucket to bucket, the finest level first, to the next with timers. Returns its first
   * tick, or Infinity if that is after `limit`.
   */
  #nextUpTo(limit: number): number {
    for (const { buckets, span } of this.levels) {
      const digit = Math.floor(this.cursor / span);
      const revolution = Math.floor(digit / buckets.length) * buckets.length;
      for (let index = digit - revolution + 1; index < buckets.length; index++) {
        const start = (revolution + index) * span;
        if (start > limit) return Number.POSITIVE_INFINITY;
        if (!this.slab.isEmpty(buckets[index])) return start;
      }
    }
    const start = Math.floor(this.earliestBeyond / this.#range) * this.#range;
    return start > limit ? Number.POSITIVE_INFINITY : start;
  }

  /**
   * Moves the cursor to `at`, the first tick of a bucket, or of the range of the earliest timer
   * beyond the levels. Its timers become due or move down.
   */
  #expire(at: number, due: Slot): void {
    this.cursor = at;
    for (const { buckets, span } of this.levels) {
      const digit = Math.floor(at / span);
      this.#refile(buckets[digit - Math.floor(digit / buckets.length) * buckets.length], due);
      // A coarser bucket begins here only if this one is the first of its wheel.
      if (digit % buckets.length !== 0) return;
    }
    this.earliestBeyond = Number.POSITIVE_INFINITY; // for those that stay, #listFor notes it anew
    this.#refile(this.beyond, due);
  }

  #refile(list: Slot, due: Slot): void {
    this.slab.forEach(list, (slot, tick) => {
      const to = tick === this.cursor ? due : this.#listFor(tick);
      if (to !== list) this.slab.moveTo(to, slot);
    });
  }

  #listFor(tick: number): Slot {
    if (this.#isBeyond(tick)) {
      if (tick < this.earliestBeyond) this.earliestBeyond = tick;
      return this.beyond;
    }
    let level = this.levels.length - 1;
    while (level > 0 && !this.#differsAt(level, tick)) level--;
    const { buckets, span } = this.levels[level];
    const digit = Math.floor(tick / span);
    return buckets[digit - Math.floor(digit / buckets.length) * buckets.length];
  }

  /**
   * Whether `tick` is in a later revolution of the wheels than the cursor. The first filing of a
   * tick and each later one must use this same test.
   */
  #isBeyond(tick: number): boolean {
    return Math.floor(tick / this.#range) !== Math.floor(this.cursor / this.#range);
  }

  #differsAt(level: number, tick: number): boolean {
    const { span } = this.levels[level];
    return Math.floor(tick / span) !== Math.floor(this.cursor / span);
  }
}
