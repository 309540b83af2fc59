// Bulks: stretches of work in which many operations may leave a purgatory. Memory is given back at
// the end, for what is left then, and only if somebody left: in small steps, a turn each, so that
// nobody waits for a copy of what a hundred thousand have left behind. Where a bulk lasts for
// turns, steps are made between its slices, too, and small ones where operations leave one by one.
//
// Ground rules. It belongs to one Parking. A nested pass is inside a bulk: nothing moves in memory
// during a bulk but in `step`, so a pass may hold places. Bulks may be nested. `end` sets the count
// back to what it was at its `begin`, and does not subtract 1: when a chain of events has
// overflowed the stack, inner bulks never reach their `end`.
//
// Costs. begin, end, settle, step: O(1), and amortised O(1) for giving memory back.

import { TurnEnd } from '../clock/turn-end.ts';
import type { SystemTimer } from '../timer/system-timer.ts';
import { Batches } from '../turns/batches.ts';
import { DEFAULT_SLICE_MS } from '../turns/budget.ts';
import type { TurnSlice } from '../turns/turn-slice.ts';
import type { ParkedLists } from './parked-lists.ts';

/** A few microseconds. It suffices: when it begins, each that leaves was one of 8 cells or more. */
const VISITS_A_LEAVE = 64;
/** About a millisecond, once a turn: what has been pending for long lies all over memory. */
const VISITS_A_STEP = 1_024;

export class Bulks {
  readonly #lists: ParkedLists<never>;
  readonly #timer: SystemTimer | undefined;
  /** The steps after a bulk: one a turn. */
  readonly #steps: Batches;
  /** The call that ends a bulk may be deep in the stack: the steps begin outside of it. */
  readonly #turnEnd = new TurnEnd(() => this.#steps.beginLater());
  #underWay = 0;
  /** Counts those that leave; wraps round. */
  left = 0;
  #settledLeft = 0;

  /**
   * @param timer the one that operations are released from, if there is one.
   * @param slice has the turns of the event loop.
   */
  constructor(lists: ParkedLists<never>, timer: SystemTimer | undefined, slice: TurnSlice) {
    this.#lists = lists;
    this.#timer = timer;
    const oneATurn = { mustYield: true, didYield() {} };
    this.#steps = new Batches(slice, DEFAULT_SLICE_MS, () => this.#shrinkOn(), oneATurn);
  }

  /** Begins a bulk. Returns how many are around it: `end` takes that. */
  begin(): number {
    return this.#underWay++;
  }

  /**
   * `outer` is what `begin` returned. After the outermost one memory is given back. The wake-up of
   * an empty timer is given back in the call, also while earlier steps go on.
   */
  end(outer: number): void {
    this.#underWay = outer;
    if (outer > 0 || this.left === this.#settledLeft) return;
    if (this.#turnEnd.isRequested || this.#steps.isUnderWay) this.#timer?.settle();
    else if (!this.#settled(VISITS_A_STEP)) this.#turnEnd.request();
  }

  /** After an operation has left: gives a little memory back, unless a bulk is under way. */
  settle(): void {
    if (this.#underWay === 0) this.#settled(VISITS_A_LEAVE);
  }

  /** Between two slices of a bulk, with no pass within a call under way. */
  step(): void {
    if (this.left !== this.#settledLeft) this.#shrink(VISITS_A_STEP);
  }

  /** Whether anything is left to give back. */
  #shrinkOn(): boolean {
    if (this.#underWay === 0) return !this.#settled(VISITS_A_STEP);
    this.#settledLeft = (this.left + 1) | 0; // the end of the bulk under way goes on with it
    return false;
  }

  #settled(visits: number): boolean {
    this.#settledLeft = this.left;
    return this.#shrink(visits);
  }

  /** Whether nothing is left to give back. */
  #shrink(visits: number): boolean {
    const isOver = this.#lists.shrink(visits);
    this.#timer?.settle();
    return isOver;
  }
}
