// The lines: the operations that wait in turn on a key.
//
// Invariants. A key has a line exactly while an operation that waits in turn watches it. The
// watches of a line are in the ring of the key, as all others are, but marked. `first` is the
// oldest of them. Of the line, an event on the key may try only the first. `isUntried` is set from
// when an operation becomes the first until it is tried.
//
// Costs. O(1). The search for the next first begins behind the last one: O(1), amortised.
import { mustHold } from '../base/must-hold.ts';
import { NONE, type Slab, type Slot } from '../slab/slab.ts';
import type { Turn } from './parked-lists.ts';

interface Line {
  first: Slot;
  size: number;
  isUntried: boolean;
  /**
   * The limits of events do not say how many units are free: an operation in the line watched other
   * keys too, or threw, and so used up an event.
   */
  isInexact: boolean;
}

/**
 * What a watch in line holds in `b`, from the next watch of its operation; and back. Below NONE.
 */
export const marked = (next: number): Slot => (-3 - next) as Slot;

/** The next watch of the operation of `watch`. */
export function nextOf(watches: Slab, watch: Slot): Slot {
  const next = watches.b(watch) as Slot;
  return next < NONE ? marked(next) : next;
}

export class Lines {
  readonly #lines = new Map<Slot, Line>();
  #watches: Slab;

  constructor(watches: Slab) {
    this.#watches = watches;
  }

  get size(): number {
    return this.#lines.size;
  }

  /** The operation at `place` is the youngest on its keys, and waits in turn on all of them. */
  join(place: Slot, youngest: Slot, turn: Turn): void {
    const watches = this.#watches;
    const isInexact = watches.b(youngest) !== NONE;
    for (let watch = youngest; watch !== NONE; watch = nextOf(watches, watch)) {
      watches.setB(watch, marked(watches.b(watch)));
      const key = (watches.a(watch) ^ place) as Slot;
      const line = this.#lines.get(key);
      if (line === undefined) {
        this.#lines.set(key, { first: watch, size: 1, isUntried: turn === 'behind', isInexact });
      } else {
        line.size++;
        line.isInexact ||= isInexact;
      }
    }
  }

  /** A watch is about to leave its key. Returns whether the first in line has yet to be tried. */
  leave(key: Slot, watch: Slot): boolean {
    const line = this.#lines.get(key);
    if (line === undefined) return false;
    const watches = this.#watches;
    if (watches.b(watch) >= NONE) return line.isUntried;
    if (--line.size === 0) this.#lines.delete(key);
    if (line.size === 0 || line.first !== watch) return false;
    do line.first = watches.next(line.first);
    while (watches.b(line.first) >= NONE);
    line.isUntried = true;
    return true;
  }

  /**
   * Whether an operation, of which `youngest` is a watch, is in line and not the first on a key.
   */
  isBehind(key: Slot, place: number, youngest: Slot): boolean {
    const line = this.#lines.get(key);
    return line !== undefined && this.#watches.b(youngest) < NONE && !this.#isFirst(line, key, place);
  }

  #isFirst({ first }: Line, key: Slot, place: number): boolean {
    return (this.#watches.a(first) ^ key) === place;
  }

  /**
   * The operation that is or was at `place` has been tried for an event on a key. If it is still
   * the first in line, returns the length of the line, whose rest is not to be tried. Else NONE.
   */
  staying(key: Slot, place: number): number {
    const line = this.#lines.get(key);
    if (line === undefined || !this.#isFirst(line, key, place)) return NONE;
    line.isUntried = false;
    return line.size;
  }

  /**
   * The pass of an event on a key is over. Returns whether the first in line has yet to be tried:
   * it was parked during the pass, or it is behind the last one that the event might complete. The
   * latter waits on, unless the limit may be too low.
   */
  isOwed(key: Slot, isUsedUp: boolean): boolean {
    const line = this.#lines.get(key);
    return line?.isUntried === true && (!isUsedUp || line.isInexact);
  }

  /** The try of an operation that watches these keys has thrown. */
  didThrow(keys: readonly Slot[]): void {
    for (const key of keys) {
      const line = this.#lines.get(key);
      if (line !== undefined) line.isInexact = true;
    }
  }

  /** All watches and keys have moved: the `b` of each old cell says where it is now. */
  moveTo(watches: Slab, oldWatches: Slab, oldKeys: Slab<unknown>): void {
    const lines = [...this.#lines];
    this.#lines.clear();
    this.#watches = watches;
    for (const [key, line] of lines) {
      line.first = oldWatches.b(line.first) as Slot;
      this.#lines.set(oldKeys.b(key) as Slot, line);
    }
  }

  /** @param ring all watches of a key, in order. Returns how many lines the key has: 0 or 1. */
  check(key: Slot, ring: readonly Slot[]): number {
    const inLine = ring.filter((watch) => this.#watches.b(watch) < NONE);
    const line = this.#lines.get(key);
    const isSound = line?.first === inLine[0] && (line?.size ?? 0) === inLine.length;
    mustHold(isSound, `${inLine.length} wait in turn on ${key}, it says ${line?.size}`);
    return Math.min(1, inLine.length);
  }
}
