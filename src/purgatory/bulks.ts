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

import { inNextTurn } from '../clock/later.ts';
import type { SystemTimer } from '../timer/system-timer.ts';
import type { ParkedLists } from './parked-lists.ts';

/** A few microseconds. It suffices: when it begins, each that leaves was one of 8 cells or more. */
const VISITS_A_LEAVE = 64;
/** About a millisecond, once a turn: what has been pending for long lies all over memory. */
const VISITS_A_STEP = 1_024;

export class Bulks {
  readonly #lists: ParkedLists<never>;
  readonly #timer: SystemTimer | undefined;
  /** A step is to come, in the next turn. */
  #isUnderWay = false;
  #underWay = 0;
  /** Counts those that leave; wraps round. */
  left = 0;
  #settledLeft = 0;

  /**
   * @param timer the one that operations are released from, if there is one.
   */
  constructor(lists: ParkedLists<never>, timer: SystemTimer | undefined) {
    this.#lists = lists;
    this.#timer = timer;
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
    if (this.#isUnderWay) this.#timer?.settle();
    else if (!this.#settled(VISITS_A_STEP)) this.#goOn();
  }

  /** After an operation has left: gives a little memory back, unless a bulk is under way. */
  settle(): void {
    if (this.#underWay === 0) this.#settled(VISITS_A_LEAVE);
  }

  #goOn(): void {
    this.#isUnderWay = true;
    inNextTurn(this.#step);
  }

  readonly #step = (): void => {
    this.#isUnderWay = false;
    // The end of the bulk under way goes on with it.
    if (this.#underWay > 0) this.#settledLeft = (this.left + 1) | 0;
    else if (!this.#settled(VISITS_A_STEP)) this.#goOn();
  };

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
