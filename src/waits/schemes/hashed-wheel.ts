// The wheels of schemes 5 and 6, which are those of schemes 2 and 1 when they have one bucket. The
// remainder of a tick, divided by the size of the wheel, is the number of its bucket. The rotation of
// the tick does not matter.
//
// Ground rules. All ticks in the wheel are ahead of the cursor. The paper counts down the rotations
// of each timer. Here a timer keeps its tick, and the wheel looks into a bucket only when its
// earliest tick may be due. So a rotation in which nothing of a bucket is due costs one comparison.
// A clock that jumps over many rotations looks into each bucket once. `latest` is the highest tick
// that was filed. A stop does not change it. `collect` does not step through the buckets of later
// ticks. `nextTick` may step through all buckets. wheelSize is a power of two and ticks are below
// 2^53 (exact-ticks.ts), so remainders and steps are exact. A wheel of one bucket takes all ticks:
// each step leads to that bucket, which only compares them.
import { mustHold } from '../../base/must-hold.ts';
import { type Moved, NONE, type Slot } from '../../slab/slab.ts';
import { type Census, censusOf, getTick, pushTick, type Scheme, type TaskSlab } from './scheme.ts';

abstract class HashedWheel implements Scheme {
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
   * Moves all slots of the bucket up to `tick` behind the last of `due`, by insert within a tick.
   * Returns whether they are in the order of their ticks, too.
   */
  abstract expireIn(index: number, tick: number, due: Slot): boolean;

  insert(tick: number): Slot {
    if (tick > this.#latest) this.#latest = tick;
    return this.insertIn(this.#indexOf(tick), tick);
  }

  remove(slot: Slot): void {
    this.slab.remove(slot);
  }

  collect(tick: number, due: Slot): void {
    const last = this.slab.prev(due);
    let looks = 0;
    let isSorted = true;
    const steps = Math.min(Math.min(tick, this.#latest) - this.#cursor, this.buckets.length);
    for (let step = 1; step <= steps; step++) {
      const index = this.#indexOf(this.#cursor + step);
      if (this.earliestIn(index) > tick) continue;
      looks++;
      isSorted = this.expireIn(index, tick, due) && looks === 1;
    }
    this.#cursor = tick;
    if (!isSorted) sortBehind(this.slab, last, due);
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

/**
 * Buckets in no order, for schemes 6 and 1. Each has a lower bound of its earliest tick. The bound
 * is exact after each look into the bucket. A stop does not change it, which can cost one look in
 * vain. Within a bucket the order is that of insert. insert: O(1).
 */
export class UnsortedHashedWheel extends HashedWheel {
  readonly #earliest: Float64Array;

  constructor(slab: TaskSlab, cursor: number, wheelSize: number) {
    super(slab, cursor, wheelSize);
    this.#earliest = new Float64Array(this.buckets.length).fill(Number.POSITIVE_INFINITY);
  }

  override insertIn(index: number, tick: number): Slot {
    if (tick < this.#earliest[index]) this.#earliest[index] = tick;
    return pushTick(this.slab, this.buckets[index], tick);
  }

  override earliestIn(index: number): number {
    return this.#earliest[index];
  }

  override expireIn(index: number, tick: number, due: Slot): boolean {
    const slab = this.slab;
    const list = this.buckets[index];
    let earliest = Number.POSITIVE_INFINITY;
    let last = Number.NEGATIVE_INFINITY;
    let isSorted = true;
    for (let slot = slab.next(list), next = slot; slot !== list; slot = next) {
      next = slab.next(slot);
      const slotTick = getTick(slab, slot);
      if (slotTick <= tick) {
        slab.moveTo(due, slot);
        if (slotTick < last) isSorted = false;
        last = slotTick;
      } else if (slotTick < earliest) earliest = slotTick;
    }
    this.#earliest[index] = earliest;
    return isSorted;
  }
}

/**
 * Buckets by tick, then by insert, for schemes 5 and 2. insert: O(k) of the k members of the bucket
 * that are later. The search for the place begins at the latest, so a start with a common delay
 * never searches.
 */
export class SortedHashedWheel extends HashedWheel {
  override insertIn(index: number, tick: number): Slot {
    const slab = this.slab;
    const list = this.buckets[index];
    let later = list;
    for (let last = slab.prev(list); last !== list && getTick(slab, last) > tick; last = slab.prev(last)) {
      later = last;
    }
    // A list is a ring. So the last of the ring that begins at `later` is right before `later`.
    return pushTick(slab, later, tick);
  }

  override earliestIn(index: number): number {
    const list = this.buckets[index];
    const first = this.slab.next(list);
    return first === list ? Number.POSITIVE_INFINITY : getTick(this.slab, first);
  }

  override expireIn(index: number, tick: number, due: Slot): boolean {
    const slab = this.slab;
    const list = this.buckets[index];
    for (let slot = slab.next(list); slot !== list && getTick(slab, slot) <= tick; slot = slab.next(list)) {
      slab.moveTo(due, slot);
    }
    return true;
  }

  override check(): Census {
    for (const bucket of this.buckets) {
      let last = Number.NEGATIVE_INFINITY;
      for (const slot of this.slab.check(bucket)) {
        const tick = getTick(this.slab, slot);
        mustHold(tick >= last, `tick ${tick} lies behind ${last}`);
        last = tick;
      }
    }
    return super.check();
  }
}

/**
 * Sorts by tick what follows `last` in `due`, which is in the order of insert within a tick.
 * O(k log k).
 */
function sortBehind(slab: TaskSlab, last: Slot, due: Slot): void {
  const slots: Slot[] = [];
  for (let slot = slab.next(last); slot !== due; slot = slab.next(slot)) slots.push(slot);
  slots.sort((x, y) => getTick(slab, x) - getTick(slab, y));
  for (const slot of slots) slab.moveTo(due, slot);
}
