// Bulks: stretches of work in which many operations may leave a purgatory. Memory is given back
// once, at the end, for what is left then, and only if somebody left. Where operations leave one by
// one, and between the slices of a bulk that lasts, it is given back in small steps.
//
// Ground rules. It belongs to one Parking. A nested pass is inside a bulk: nothing moves in memory
// during a bulk but in `step`, so a pass may hold places. Bulks may be nested. `end` sets the count
// back to what it was at its `begin`, and does not subtract 1: when a chain of events has overflowed
// the stack, inner bulks never reach their `end`.
//
// Costs. begin, end, settle, step: O(1), and amortised O(1) for giving memory back.
import type { SystemTimer } from '../timer/system-timer.ts';
import type { ParkedLists } from './parked-lists.ts';

/** A few microseconds. It suffices: when it begins, each that leaves was one of 8 cells or more. */
const VISITS_A_LEAVE = 64;
/** A fraction of a millisecond, once a slice. */
const VISITS_A_STEP = 4_096;

export class Bulks {
  readonly #lists: ParkedLists<never>;
  readonly #timer: SystemTimer | undefined;
  #underWay = 0;
  /** Counts those that leave; wraps round. */
  left = 0;
  #settledLeft = 0;

  /** @param timer the one that operations are released from, if there is one. */
  constructor(lists: ParkedLists<never>, timer: SystemTimer | undefined) {
    this.#lists = lists;
    this.#timer = timer;
  }

  /** Begins a bulk. Returns how many are around it: `end` takes that. */
  begin(): number {
    return this.#underWay++;
  }

  end(outer: number): void {
    this.#underWay = outer;
    if (outer > 0 || this.left === this.#settledLeft) return;
    this.#settledLeft = this.left;
    this.#shrink(Number.POSITIVE_INFINITY);
  }

  /** After an operation has left: gives a little memory back, unless a bulk is under way. */
  settle(): void {
    if (this.#underWay > 0) return;
    this.#settledLeft = this.left;
    this.#shrink(VISITS_A_LEAVE);
  }

  /** Between two slices of a bulk, with no pass within a call under way. */
  step(): void {
    if (this.left !== this.#settledLeft) this.#shrink(VISITS_A_STEP);
  }

  #shrink(visits: number): void {
    this.#lists.shrink(visits);
    this.#timer?.settle(visits);
  }
}
