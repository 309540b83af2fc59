// One wheel of the hierarchy, and the chain of overflow wheels above it (Varghese & Lauck 1987, scheme 7).
//
// A wheel of 2^bits buckets stands for one digit of a tick, in base 2^bits. A task goes to the wheel of the highest digit in
// which its tick differs from the current tick, into the bucket that its own digit names: below that digit both agree with
// the bucket's range or come later. Three clock steps with 4 buckets (ticks written in base 4), the current tick at 000:
//
//   add 002, 013, 120      002 differs in digit 0: lowest wheel, bucket 2
//                          013 differs in digit 1: 1st overflow wheel, bucket 1, which expires at 010
//                          120 differs in digit 2: 2nd overflow wheel, bucket 1, which expires at 100
//   clock to 002           DelayQueue: 002, 010, 100. The head is due: 002 runs.
//   clock to 010           bucket 010 cascades: 013 now differs from 010 in digit 0 only: lowest wheel, bucket 3.
//   clock to 120           013 runs; bucket 100 cascades 120 to the 1st overflow wheel, bucket 2; that cascades at 120: runs.
//
// Why by digit and not by distance, as Kafka does: tasks of one tick are always in one bucket, whenever they were added, so
// add order survives every cascade. (tokio and Linux place by digit too.) No bucket can be met a whole turn late either.
//
// Ground rules. A wheel owns its buckets, made on demand, and the wheel above it, made on demand. It never reads a clock and
// holds no current tick: both ticks are arguments. bucketFor is O(wheels above the lowest that the distance needs): with the
// default of 512 buckets, one step up covers 4 minutes of 1 ms ticks, two 37 hours. Buckets are never given back: an idle
// wheel costs at most 2^bits of them.
import type { Slab } from '../slab/slab.ts';
import { LOW_BITS } from './tick.ts';
import type { TimerTask } from './timer-task.ts';
import { TimerTaskList } from './timer-task-list.ts';

export class TimingWheel {
  readonly #bits: number = 0;
  /** Position of the wheel's digit in a tick: its own tick is 2^shift ticks. */
  readonly #shift: number = 0;
  readonly #slab: Slab<TimerTask>;
  readonly #buckets: (TimerTaskList | undefined)[];
  #overflow: TimingWheel | undefined;

  constructor(bits: number, shift: number, slab: Slab<TimerTask>) {
    this.#bits = bits;
    this.#shift = shift;
    this.#slab = slab;
    this.#buckets = new Array(1 << bits).fill(undefined);
  }

  /** The bucket for the tick `high`, `low` while the current tick is the different one `nowHigh`, `nowLow`. */
  bucketFor(high: number, low: number, nowHigh: number, nowLow: number): TimerTaskList {
    const highestBit =
      high === nowHigh ? 31 - Math.clz32(low ^ nowLow) : LOW_BITS + 31 - Math.clz32(high ^ nowHigh);
    let wheel: TimingWheel = this;
    while (highestBit >= wheel.#shift + wheel.#bits) wheel = wheel.#overflow ?? wheel.#makeOverflow();
    return wheel.#bucketOf(high, low);
  }

  /** The buckets made so far, of this wheel and of those above it. For compaction, snapshots and tests. */
  *buckets(): Generator<TimerTaskList, void, undefined> {
    for (const bucket of this.#buckets) if (bucket !== undefined) yield bucket;
    if (this.#overflow !== undefined) yield* this.#overflow.buckets();
  }

  /** This wheel and those above it. For snapshots. */
  *levels(): Generator<TimingWheel, void, undefined> {
    yield this;
    if (this.#overflow !== undefined) yield* this.#overflow.levels();
  }

  /** The ticks that one of its buckets spans. */
  get span(): number {
    return 2 ** this.#shift;
  }

  /** The buckets by index; those that never had a task are undefined. */
  get byIndex(): readonly (TimerTaskList | undefined)[] {
    return this.#buckets;
  }

  /** The index of the bucket that stands for `tick` in this wheel: where its hand points at that tick. */
  indexAt(tick: number): number {
    return Math.floor(tick / this.span) % this.#buckets.length;
  }

  /** How many wheels above this one `bucket` is. */
  levelOf(bucket: TimerTaskList): number {
    return (bucket.shift - this.#shift) / this.#bits;
  }

  /** The index of a queued bucket, or of one that has just expired, in its wheel. */
  indexOf(bucket: TimerTaskList): number {
    return Math.floor(bucket.expiration / 2 ** bucket.shift) % this.#buckets.length;
  }

  #bucketOf(high: number, low: number): TimerTaskList {
    const shift = this.#shift;
    // The digit that straddles the halves takes bits of both; a shift count of the low half is never 32 or more.
    const digits =
      shift < LOW_BITS ? (low >>> shift) | (high << (LOW_BITS - shift)) : high >> (shift - LOW_BITS);
    const index = digits & ((1 << this.#bits) - 1);
    return this.#buckets[index] ?? this.#makeBucket(index);
  }

  #makeBucket(index: number): TimerTaskList {
    const bucket = new TimerTaskList(this.#slab.makeList(0, 0), this.#shift);
    this.#buckets[index] = bucket;
    return bucket;
  }

  #makeOverflow(): TimingWheel {
    const overflow = new TimingWheel(this.#bits, this.#shift + this.#bits, this.#slab);
    this.#overflow = overflow;
    return overflow;
  }
}
