// One wheel of the hierarchy, and the chain of overflow wheels above it (Varghese & Lauck 1987,
// scheme 7).
//
// A wheel of 2^bits buckets stands for one digit of a tick, in base 2^bits. A task goes to the
// wheel of the highest digit in which its tick differs from the current tick, and there into the
// bucket that its own digit names. Three clock steps with 4 buckets (ticks written in base 4), the
// current tick at 000:
//
//   add 002, 013, 120   002 differs in digit 0: lowest wheel, bucket 2
//                       013 differs in digit 1: 1st overflow wheel, bucket 1, expires at 010
//                       120 differs in digit 2: 2nd overflow wheel, bucket 1, expires at 100
//   clock to 002        DelayQueue: 002, 010, 100. The head is due: 002 runs.
//   clock to 010        Bucket 010 cascades. 013 now differs from 010 in digit 0 only:
//                       lowest wheel, bucket 3.
//   clock to 120        013 runs. Bucket 100 cascades: 120 goes to the 1st overflow wheel,
//                       bucket 2, which cascades at 120: 120 runs.
//
// Why by digit and not by distance, as Kafka does: tasks of one tick are always in one bucket,
// whenever they were added. So the order of add survives every cascade, and no bucket can expire a
// whole turn late. (tokio and Linux place by digit too.)
//
// Ground rules. A wheel owns its buckets and the wheel above it, and makes both on demand. It reads
// no clock and keeps no current tick: both ticks are arguments. A wheel knows its buckets by their
// lists, in a typed array, so a start touches no object of a bucket. Buckets are not given back one
// by one: an idle wheel costs 2^bits of them at most.
//
// Costs. listFor: O(wheels above the lowest that the distance needs). With the default of 512
// buckets, the second wheel reaches 4 minutes of 1 ms ticks, and the third 37 hours.
import { NONE, type Slab, type Slot } from '../../slab/slab.ts';
import { LOW_BITS } from '../tick.ts';
import type { TimerTask } from '../timer-task.ts';
import { Bucket } from './bucket.ts';

export class TimingWheel {
  readonly #bits: number = 0;
  readonly #mask: number = 0;
  /** The position of the wheel's digit in a tick: a bucket has a range of 2^shift ticks. */
  readonly #shift: number = 0;
  readonly #slab: Slab<TimerTask>;
  /** The lists of its buckets by index. NONE where no bucket was made. */
  readonly #lists: Int32Array;
  /** The buckets of all wheels. The sentinel of a list has the index of its bucket in `b`. */
  readonly #buckets: Bucket[];
  #overflow: TimingWheel | undefined;

  /** @param buckets of the wheels below. This wheel adds its own to them. */
  constructor(bits: number, shift: number, slab: Slab<TimerTask>, buckets: Bucket[]) {
    this.#bits = bits;
    this.#mask = (1 << bits) - 1;
    this.#shift = shift;
    this.#slab = slab;
    this.#buckets = buckets;
    this.#lists = new Int32Array(1 << bits).fill(NONE);
  }

  /** The list of the bucket for the tick of `high` and `low`, which is not the current tick. */
  listFor(high: number, low: number, nowHigh: number, nowLow: number): Slot {
    if (high !== nowHigh) return this.#farListFor(high, low, nowHigh);
    const differing = low ^ nowLow;
    let wheel: TimingWheel = this;
    while (differing >>> wheel.#shift > wheel.#mask) wheel = wheel.#above();
    return wheel.#listAt(digitsFrom(wheel.#shift, high, low));
  }

  #farListFor(high: number, low: number, nowHigh: number): Slot {
    const highestBit = LOW_BITS + 31 - Math.clz32(high ^ nowHigh);
    let wheel: TimingWheel = this;
    while (highestBit >= wheel.#shift + wheel.#bits) wheel = wheel.#above();
    const shift = wheel.#shift;
    return wheel.#listAt(shift < LOW_BITS ? digitsFrom(shift, high, low) : high >> (shift - LOW_BITS));
  }

  #listAt(digits: number): Slot {
    const index = digits & this.#mask;
    const list = this.#lists[index] as Slot;
    return list === NONE ? this.#makeBucket(index) : list;
  }

  /** Takes over the new list of a bucket of this wheel or of one above. O(wheels). */
  didMove(bucket: Bucket): void {
    let wheel: TimingWheel = this;
    while (wheel.#shift < bucket.shift) wheel = wheel.#above();
    wheel.#lists[bucket.index] = bucket.list;
  }

  /** This wheel and those above it. For snapshots. */
  *levels(): Generator<TimingWheel, void, undefined> {
    yield this;
    if (this.#overflow !== undefined) yield* this.#overflow.levels();
  }

  /** How many ticks are in the range of a bucket. */
  get span(): number {
    return 2 ** this.#shift;
  }

  /** The lists of its buckets by index. NONE where no bucket was made. */
  get lists(): Int32Array {
    return this.#lists;
  }

  /** The index of the bucket that has `tick` in its range, in some turn of this wheel. */
  indexAt(tick: number): number {
    return Math.floor(tick / this.span) % this.#lists.length;
  }

  /** How many wheels above this one `bucket` is. */
  levelOf(bucket: Bucket): number {
    return (bucket.shift - this.#shift) / this.#bits;
  }

  #makeBucket(index: number): Slot {
    const bucket = new Bucket(NONE, this.#shift, index);
    const list = this.#slab.makeList(0, this.#buckets.length);
    bucket.list = list;
    this.#buckets.push(bucket);
    this.#lists[index] = list;
    return list;
  }

  #above(): TimingWheel {
    const overflow = this.#overflow;
    return overflow === undefined ? this.#makeOverflow() : overflow;
  }

  #makeOverflow(): TimingWheel {
    const overflow = new TimingWheel(this.#bits, this.#shift + this.#bits, this.#slab, this.#buckets);
    this.#overflow = overflow;
    return overflow;
  }
}

/**
 * The bits of a tick from `shift` on. `shift` is below LOW_BITS: a digit may have bits of both
 * halves.
 */
function digitsFrom(shift: number, high: number, low: number): number {
  return (low >>> shift) | (high << (LOW_BITS - shift));
}
