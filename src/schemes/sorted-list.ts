// A list of a slab in the order of tick, then of insert: all of scheme 2, and one bucket of scheme
// 5.
import type { Slot } from '../slab/slab.ts';
import { getTick, pushTick, type TaskSlab } from './scheme.ts';

/**
 * A new slot, filed by its tick, behind all of the same tick. O(k) of the k members that are later.
 */
export function insertByTick(slab: TaskSlab, list: Slot, tick: number): Slot {
  let later = list;
  for (let last = slab.prev(list); last !== list && getTick(slab, last) > tick; last = slab.prev(last)) {
    later = last;
  }
  // A list is a ring. So the last of the ring that begins at `later` is right before `later`.
  return pushTick(slab, later, tick);
}

/** Moves what a sorted list has up to `tick` behind the last of `due`. */
export function collectUpTo(slab: TaskSlab, list: Slot, tick: number, due: Slot): void {
  for (let slot = slab.next(list); slot !== list && getTick(slab, slot) <= tick; slot = slab.next(list)) {
    slab.moveTo(due, slot);
  }
}

/** The first tick of a sorted list. Infinity for an empty one. */
export function firstTick(slab: TaskSlab, list: Slot): number {
  const first = slab.next(list);
  return first === list ? Number.POSITIVE_INFINITY : getTick(slab, first);
}
