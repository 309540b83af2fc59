// The wheels of schemes 5 and 6; with one bucket they are those of schemes 2 and 1. The remainder
// of a tick, divided by the size of the wheel, is the number of its bucket.
//
// Invariants. All ticks in the wheel are ahead of the cursor. (The paper counts down the rotations
// of each timer.) A timer keeps its tick, and the wheel looks into a bucket only when its earliest
// tick may be due. A clock that jumps over many rotations looks into each bucket once. `latest` is
// the highest tick that was filed: nobody steps further. Ticks are below 2^53 (scheme.ts), so remainders
// are exact.
import type { Slot } from '../../slab/slab.ts';
import type { TimerTask } from '../../timer/timer-task.ts';
import { type TaskSlab, TickingScheme, type Visit } from './scheme.ts';

export abstract class HashedWheel extends TickingScheme {
  /** @internal */
  readonly buckets: readonly Slot[];
  /** @internal */
  latest: number = 0;

  /** @param wheelSize the number of buckets. */
  constructor(slab: TaskSlab, cursor: number, wheelSize: number) {
    super(slab, cursor);
    this.buckets = Array.from({ length: wheelSize }, () => slab.makeList(0, 0));
    this.latest = cursor;
  }

  /** A new slot for `tick` in a bucket. */
  abstract insertIn(index: number, tick: number, task: TimerTask): Slot;

  /** A lower bound of the ticks in the bucket. Infinity for one that is known to be empty. O(1). */
  abstract earliestIn(index: number): number;

  /**
   * Moves all slots of the bucket up to `tick` behind the last of `due`, by insert within a tick.
   * Returns whether they are in the order of their ticks, too.
   */
  abstract expireIn(index: number, tick: number, due: Slot): boolean;

  override file(tick: number, task: TimerTask): Slot {
    if (tick > this.latest) this.latest = tick;
    return this.insertIn(this.#indexOf(tick), tick, task);
  }

  override collect(tick: number, due: Slot): void {
    const last = this.slab.prev(due);
    let looks = 0;
    let isSorted = true;
    const steps = Math.min(Math.min(tick, this.latest) - this.cursor, this.buckets.length);
    for (let step = 1; step <= steps; step++) {
      const index = this.#indexOf(this.cursor + step);
      if (this.earliestIn(index) > tick) continue;
      looks++;
      isSorted = this.expireIn(index, tick, due) && looks === 1;
    }
    this.cursor = tick;
    if (!isSorted) sortBehind(this.slab, last, due);
  }

  /**
   * The next tick with something due in the coming rotation, else the earliest of all.
   * O(wheelSize).
   */
  override nextTick(): number {
    let soonest = Number.POSITIVE_INFINITY;
    const steps = Math.min(this.latest - this.cursor, this.buckets.length);
    for (let step = 1; step <= steps; step++) {
      const at = this.cursor + step;
      const earliest = this.earliestIn(this.#indexOf(at));
      if (earliest <= at) return at;
      if (earliest < soonest) soonest = earliest;
    }
    return soonest;
  }

  override forEach(visit: Visit): void {
    for (const bucket of this.buckets) this.slab.forEach(bucket, visit);
  }

  #indexOf(tick: number): number {
    const wheelSize = this.buckets.length;
    return tick - Math.floor(tick / wheelSize) * wheelSize;
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

  override insertIn(index: number, tick: number, task: TimerTask): Slot {
    if (tick < this.#earliest[index]) this.#earliest[index] = tick;
    return this.slab.pushTick(this.buckets[index], tick, task);
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
    slab.forEach(list, (slot, slotTick) => {
      if (slotTick <= tick) {
        slab.moveTo(due, slot);
        if (slotTick < last) isSorted = false;
        last = slotTick;
      } else if (slotTick < earliest) earliest = slotTick;
    });
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
  override insertIn(index: number, tick: number, task: TimerTask): Slot {
    const slab = this.slab;
    const list = this.buckets[index];
    let later = list;
    for (let last = slab.prev(list); last !== list && slab.tick(last) > tick; last = slab.prev(last)) {
      later = last;
    }
    // A list is a ring. So the last of the ring that begins at `later` is right before `later`.
    return slab.pushTick(later, tick, task);
  }

  override earliestIn(index: number): number {
    const list = this.buckets[index];
    const first = this.slab.next(list);
    return first === list ? Number.POSITIVE_INFINITY : this.slab.tick(first);
  }

  override expireIn(index: number, tick: number, due: Slot): boolean {
    const slab = this.slab;
    const list = this.buckets[index];
    for (let slot = slab.next(list); slot !== list && slab.tick(slot) <= tick; slot = slab.next(list)) {
      slab.moveTo(due, slot);
    }
    return true;
  }
}

/** A wheel size that people give: the number of buckets is the next power of two. */
export function bucketsOf(wheelSize: number): number {
  return 2 ** (32 - Math.clz32(wheelSize - 1));
}

/**
 * Sorts by tick what follows `last` in `due`, which is in the order of insert within a tick.
 * O(k log k).
 */
function sortBehind(slab: TaskSlab, last: Slot, due: Slot): void {
  const slots: Slot[] = [];
  for (let slot = slab.next(last); slot !== due; slot = slab.next(slot)) slots.push(slot);
  slots.sort((x, y) => slab.tick(x) - slab.tick(y));
  for (const slot of slots) slab.moveTo(due, slot);
}
