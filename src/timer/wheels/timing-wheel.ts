// One wheel of the hierarchy, and the chain of overflow wheels above it (Varghese & Lauck 1987,
// scheme 7). The example of three clock steps is at the class.
//
// A wheel owns its buckets and the wheel above it, and makes both on demand. It reads no clock and
// keeps no current tick: both ticks are arguments. Spans are powers of two, so all arithmetic on
// ticks is exact, also where a double skips integers. An idle wheel costs 2^bits buckets at most.
//
// Costs. bucketFor: O(wheels above the lowest that the distance needs). With the default of 512
// buckets, the second wheel reaches 4 minutes of 1 ms ticks, and the third 37 hours.
import type { Slab, Slot } from '../../slab/slab.ts';
import type { TimerTask } from '../timer-task.ts';

/** The tasks of one tick range of one wheel, in the order of add. */
export class Bucket {
  /** Its list in the slab of the wheels. */
  readonly list: Slot;
  readonly wheel: TimingWheel;
  /** Its index in its wheel. */
  readonly index: number;
  /** The first tick of its range, while it is queued: the clock cannot pass it before. */
  expiration: number = 0;
  /**
   * Whether it is in the DelayQueue. A bucket that has lost its tasks stays there until it is the
   * head. A search of the heap would cost more.
   */
  isQueued: boolean = false;

  constructor(list: Slot, wheel: TimingWheel, index: number) {
    this.list = list;
    this.wheel = wheel;
    this.index = index;
  }
}

/**
 * 1 / a revolution that is longer than any time. None has ticks on both sides of 0, so a tick
 * beyond 0 goes to that wheel.
 */
const FAR = 2 ** -62;

/**
 * A wheel of 2^bits buckets stands for one digit of a tick, in base 2^bits. A task goes to the
 * wheel of the highest digit in which its tick differs from the current tick, and there into the
 * bucket that its own digit names. Three clock steps with 4 buckets (ticks written in base 4), the
 * current tick at 000:
 *
 *   add 002, 013, 120   002 differs in digit 0: lowest wheel, bucket 2
 *                       013 differs in digit 1: 1st overflow wheel, bucket 1, expires at 010
 *                       120 differs in digit 2: 2nd overflow wheel, bucket 1, expires at 100
 *   clock to 002        DelayQueue: 002, 010, 100. The head is due: 002 runs.
 *   clock to 010        Bucket 010 cascades. 013 now differs from 010 in digit 0 only:
 *                       lowest wheel, bucket 3.
 *   clock to 120        013 runs. Bucket 100 cascades: 120 goes to the 1st overflow wheel,
 *                       bucket 2, which cascades at 120: 120 runs.
 *
 * Why by digit and not by distance, as Kafka does: tasks of one tick are always in one bucket,
 * whenever they were added. So the order of add survives every cascade, and no bucket can expire a
 * whole revolution late. (tokio and Linux place by digit too.)
 */
export class TimingWheel {
  /** How many wheels are below. */
  readonly level: number;
  /** How many ticks are in the range of a bucket: 1 in the lowest wheel. */
  readonly span: number;
  readonly #perSpan: number = 0;
  /** 1 / the ticks of all its buckets. */
  readonly #perRevolution: number = 0;
  readonly #slab: Slab<TimerTask>;
  /** By index. */
  readonly buckets: (Bucket | undefined)[];
  #overflow: TimingWheel | undefined;

  /** @param bits log2 of the buckets. */
  constructor(bits: number, slab: Slab<TimerTask>, level = 0) {
    const size = 2 ** bits;
    this.level = level;
    this.span = size ** level;
    this.#perSpan = 1 / this.span;
    this.#perRevolution = this.#perSpan / size;
    this.#slab = slab;
    this.buckets = new Array(size).fill(undefined);
  }

  /** The bucket for `tick`, which is after `now`. */
  bucketFor(tick: number, now: number): Bucket {
    let wheel: TimingWheel = this;
    let revolution = Math.floor(tick * wheel.#perRevolution);
    while (revolution !== Math.floor(now * wheel.#perRevolution)) {
      if (now < 0 && wheel.#perRevolution < FAR) break;
      wheel = wheel.#overflow ?? wheel.#makeOverflow();
      revolution = Math.floor(tick * wheel.#perRevolution);
    }
    const index = Math.floor(tick * wheel.#perSpan) - revolution * wheel.buckets.length;
    return wheel.buckets[index] ?? wheel.#makeBucket(index);
  }

  /** The first tick of the range of a bucket that `tick` is in. */
  startOf(tick: number): number {
    return Math.floor(tick * this.#perSpan) * this.span;
  }

  /** The index of the bucket that has `tick` in its range, in some revolution of this wheel. */
  indexAt(tick: number): number {
    return Math.floor(tick * this.#perSpan) - Math.floor(tick * this.#perRevolution) * this.buckets.length;
  }

  /** This wheel and those above it. */
  *levels(): Generator<TimingWheel, void, undefined> {
    yield this;
    if (this.#overflow !== undefined) yield* this.#overflow.levels();
  }

  #makeBucket(index: number): Bucket {
    const bucket = new Bucket(this.#slab.makeList(0, 0), this, index);
    this.buckets[index] = bucket;
    return bucket;
  }

  #makeOverflow(): TimingWheel {
    const bits = Math.log2(this.buckets.length);
    const overflow = new TimingWheel(bits, this.#slab, this.level + 1);
    this.#overflow = overflow;
    return overflow;
  }
}
