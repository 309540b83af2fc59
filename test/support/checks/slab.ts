import type { Slab, Slot } from '../../../src/slab/slab.ts';
import { mustHold } from './must-hold.ts';

/** Returns the others in the ring of `list`, in order. @throws unless it is a sound ring. */
export function ringOf(slab: Slab<unknown>, list: Slot): Slot[] {
  const members: Slot[] = [];
  let slot = list;
  do {
    const next = slab.next(slot);
    mustHold(slab.prev(next) === slot, `the ring of ${list} breaks between ${slot} and ${next}`);
    if (next !== list) members.push(next);
    mustHold(members.length < slab.inUse, `the ring of ${list} has more cells than are in use`);
    slot = next;
  } while (slot !== list);
  return members;
}
