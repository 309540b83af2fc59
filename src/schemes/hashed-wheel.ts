// The wheel of schemes 5 and 6. The remainder of a tick, divided by the size of the wheel, is the
// number of its bucket. The rotation of the tick does not matter.
//
// Ground rules. All ticks in the wheel are ahead of the cursor. The paper counts down the rotations
// of each timer. Here a timer keeps its tick, and the wheel looks into a bucket only when its
// earliest tick may be due. So a rotation in which nothing of a bucket is due costs one comparison.
// A clock that jumps over many rotations looks into each bucket once. `latest` is the highest tick
// that was filed. A stop does not change it. `collect` does not step through the buckets of later
// ticks. `nextTick` may step through all buckets. wheelSize is a power of two and ticks are below
// 2^53 (exact-ticks.ts), so remainders and steps are exact.
import { mustHold } from '../must-hold.ts';
import { type Moved, NONE, type Slot } from '../slab/slab.ts';
import { appendByTick, type Census, censusOf, getTick, type Scheme, type TaskSlab } from './scheme.ts';

export abstract class HashedWheel implements Scheme {
  protected readonly slab: TaskSlab;
  protected readonly buckets: Slot[];
  #cursor = 0;
  #latest = 0;

  /** @param wheelSize the least number of buckets, rounded up to a power of two. */
  constructor(slab: TaskSlab, cursor: number, wheelSize: number) {
    this.slab = slab;
    const length = 2 ** (32 - Math.clz32(wheelSize - 1));
    this.buckets = Array.from({ length }, () => slab.makeList(NONE, NONE));
    this.#cursor = cursor;
    this.#latest = cursor;
  }

  /** A new slot for `tick` in a bucket. */
  abstract insertIn(index: number, tick: number): Slot;

  /** A lower bound of the ticks in the bucket. Infinity for one that is known to be empty. O(1). */
  abstract earliestIn(index: number): number;

  /**
   * Adds all slots of the bucket up to `tick` to `expired`, by insert within a tick. The caller
   * moves them.
   */
  abstract expireIn(index: number, tick: number, expired: Slot[]): void;

  insert(tick: number): Slot {
    if (tick > this.#latest) this.#latest = tick;
    return this.insertIn(this.#indexOf(tick), tick);
  }

  remove(slot: Slot): void {
    this.slab.remove(slot);
  }

  collect(tick: number, due: Slot): void {
    const expired: Slot[] = [];
    const steps = Math.min(Math.min(tick, this.#latest) - this.#cursor, this.buckets.length);
    for (let step = 1; step <= steps; step++) {
      const index = this.#indexOf(this.#cursor + step);
      if (this.earliestIn(index) <= tick) this.expireIn(index, tick, expired);
    }
    this.#cursor = tick;
    appendByTick(this.slab, expired, due);
  }

  /**
   * The next tick with something due in the coming rotation, else the earliest of all.
   * O(wheelSize).
   */
  nextTick(): number {
    let soonest = Number.POSITIVE_INFINITY;
    for (let step = 1; step <= this.buckets.length; step++) {
      const at = this.#cursor + step;
      const earliest = this.earliestIn(this.#indexOf(at));
      if (earliest <= at) return at;
      if (earliest < soonest) soonest = earliest;
    }
    return soonest;
  }

  relocate(moved: Moved): void {
    for (let index = 0; index < this.buckets.length; index++)
      this.buckets[index] = moved(this.buckets[index]);
  }

  #indexOf(tick: number): number {
    const wheelSize = this.buckets.length;
    return tick - Math.floor(tick / wheelSize) * wheelSize;
  }

  check(): Census {
    const members = this.buckets.flatMap((bucket, index) => {
      const slots = this.slab.check(bucket);
      for (const slot of slots) {
        const tick = getTick(this.slab, slot);
        mustHold(this.#indexOf(tick) === index, `tick ${tick} is in bucket ${index}`);
        mustHold(tick > this.#cursor && tick <= this.#latest, `tick ${tick} is outside of the bounds`);
        mustHold(tick >= this.earliestIn(index), `tick ${tick} is before the earliest of its bucket`);
      }
      return slots;
    });
    return censusOf(this.slab, members, this.buckets.length);
  }
}
