// A wheel that is spared the ticks that doubles cannot count.
//
// From 2^53 on a double skips integers: a bucket may begin at a tick that no number names, a quotient rounds to the next
// bucket's, and `cursor + 1` can be the cursor. A wheel that reckons so misfiles, or steps on the spot for ever. Such ticks
// are rare (285,000 years off, at a tick of a millisecond) but must be taken: the longest delay there is leads there.
//
// Ground rules. The wheel is given ticks below 2^53 only, and its cursor stops there: its divisions, products and steps are exact.
// The others go to the list of scheme 1, which only compares ticks, and comparing is exact. Order holds: what is in the
// wheel is before all of the list, and one tick is always kept in the same of the two. The slots of the wheel must be plain
// members of lists, so that one `remove` fits both. Costs: those of the wheel; for the others, those of scheme 1.
import type { Moved, Slot } from '../slab/slab.ts';
import type { Census, MakeScheme, Scheme, TaskSlab } from './scheme.ts';
import { UnorderedList } from './unordered-list-timer.ts';

/** The highest tick up to which every integer is a double. */
const LAST = Number.MAX_SAFE_INTEGER;

export class ExactTicks implements Scheme {
  readonly #wheel: Scheme;
  readonly #far: UnorderedList;

  constructor(slab: TaskSlab, cursor: number, makeWheel: MakeScheme) {
    this.#wheel = makeWheel(slab, Math.min(cursor, LAST));
    this.#far = new UnorderedList(slab, cursor);
  }

  insert(tick: number): Slot {
    return tick <= LAST ? this.#wheel.insert(tick) : this.#far.insert(tick);
  }

  remove(slot: Slot): void {
    this.#wheel.remove(slot);
  }

  collect(tick: number, due: Slot): void {
    this.#wheel.collect(Math.min(tick, LAST), due);
    this.#far.collect(tick, due);
  }

  nextTick(): number {
    return Math.min(this.#wheel.nextTick(), this.#far.nextTick());
  }

  relocate(moved: Moved): void {
    this.#wheel.relocate(moved);
    this.#far.relocate(moved);
  }

  check(): Census {
    const near = this.#wheel.check();
    const far = this.#far.check();
    return {
      members: [...near.members, ...far.members],
      heads: near.heads + far.heads,
      earliest: Math.min(near.earliest, far.earliest),
    };
  }
}
