// The time of the slice of a turn: how much is used, and what may be done before the clock is read.
//
// Ground rules. It belongs to a TurnSlice. On the host's own time, a slice is of one turn of the
// host. All microtasks of a callback of the host count: an answer may cause the next event in them,
// again and again. What other callbacks take in between does not count. So a callback in which much
// may be used is marked: when its last microtask has run, the clock is read. When PAUSE_MS is used,
// the end of the turn is awaited, and the slice ends with it.
//
// A ManualClock and a fake stand still while work is done, so nothing is ever spent. But they are
// moved in the middle of a turn, many times perhaps before the host's next turn comes. On such a
// clock, and on any other that is not the host's, work that begins within less than PAUSE_MS of the
// last reading continues the slice.
//
// Costs. O(1): a reading for each `begin`, `read` and mark. A mark (a microtask and a nextTick) and
// a turn are awaited about once a millisecond.
import { nextTick } from 'node:process';
import type { Clock } from '../clock/clock.ts';
import { isHostsOwn } from '../clock/host.ts';
import { HostTurn } from '../clock/host-turn.ts';
import { SystemClock } from '../clock/system-clock.ts';
import { atTurnEnd } from '../clock/turn-end.ts';
import { FIRST } from './batch.ts';
import { PAUSE_MS } from './budget.ts';

/** Counts up to this are kept, because to end them costs a microtask. */
const FEW = FIRST / 2;

export class SliceTime {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #isHeld: () => boolean;
  #beganMs = Number.NEGATIVE_INFINITY;
  #lastMs = Number.NEGATIVE_INFINITY;
  /** Whether the end of this callback of the host will be noted. */
  #isMarked = false;
  /** The end of the turn, while it is awaited. */
  #end: HostTurn | undefined;
  #unread = 0;
  #willForget = false;

  /** @param isHeld whether to wait for the end of a turn keeps the process alive. */
  constructor(clock: Pick<Clock, 'now'>, isHeld: () => boolean) {
    this.#clock = clock;
    this.#isHeld = isHeld;
  }

  /** When the slice would have begun without pauses, in ms. */
  get beganMs(): number {
    return this.#beganMs;
  }

  /** The last reading, in ms. */
  get lastMs(): number {
    return this.#lastMs;
  }

  /** What was used of the slice at the last reading, in ms. */
  get usedMs(): number {
    return this.#lastMs - this.#beganMs;
  }

  /** Begins a slice, in a new turn. One reading. */
  beginAnew(): void {
    const nowMs = this.#now();
    this.#beginAt(nowMs, 0);
    this.#note(nowMs);
  }

  /**
   * Begins the slice of this turn, or goes on with it. One reading.
   *
   * @param goesOn whether work is under way, of a slice that has begun.
   */
  begin(goesOn: boolean): void {
    const nowMs = this.#now();
    const isSoon = nowMs - this.#lastMs < PAUSE_MS;
    if (!this.#isOfHost) {
      if (!goesOn && !isSoon) this.#beganMs = nowMs;
    } else if (!this.#isMarked) {
      if (this.#end !== undefined) this.#beginAt(nowMs, this.usedMs);
      else if (!isSoon) this.#beginAt(nowMs, 0);
    }
    this.#note(nowMs);
  }

  /** Begins a slice of which `usedMs` are used, and marks the callback of the host. */
  #beginAt(nowMs: number, usedMs: number): void {
    this.#beganMs = nowMs - usedMs;
    if (this.#isMarked || !this.#isOfHost) return;
    atTurnEnd(this.#awaitCallback);
    this.#isMarked = true;
  }

  /** Reads the clock. Returns how many ms have passed since the last reading. */
  read(): number {
    const nowMs = this.#now();
    const ms = nowMs - this.#lastMs;
    this.#note(nowMs);
    return ms;
  }

  /** What is used stays used when a clock goes back. */
  #now(): number {
    const nowMs = this.#clock.now();
    if (nowMs < this.#lastMs) {
      this.#beganMs -= this.#lastMs - nowMs;
      this.#lastMs = nowMs;
    }
    return nowMs;
  }

  #note(nowMs: number): void {
    this.#lastMs = nowMs;
    if (this.usedMs < PAUSE_MS || this.#end !== undefined || !this.#isOfHost) return;
    this.#end = new HostTurn(this.#didEnd);
    this.#end.isHeld = this.#isHeld();
  }

  readonly #didEnd = (): void => {
    this.#end = undefined;
    this.#beganMs = this.#lastMs;
  };

  /** Called in a microtask: what is queued here runs when no microtask is left. */
  readonly #awaitCallback = (): void => nextTick(this.#didCallback);

  readonly #didCallback = (): void => {
    this.#isMarked = false;
    this.#unread = 0;
    this.read();
  };

  /** Whether more may be done before the clock is read: FIRST steps in a callback of the host. */
  get isFree(): boolean {
    return this.#unread < FIRST;
  }

  /** Counts `steps` that were done before the clock is read. */
  count(steps: number): void {
    if (this.#unread + steps >= FEW && !this.#willForget && !this.#isMarked) {
      atTurnEnd(this.#forget); // first: it may overflow the stack of the caller
      this.#willForget = true;
    }
    this.#unread += steps;
  }

  /** Where little time has passed, the count ends with the microtask, else with the callback. */
  readonly #forget = (): void => {
    this.#willForget = false;
    if (this.#isOfHost) this.begin(false);
    if (!this.#isMarked) this.#unread = 0;
  };

  /** Whether it is the host's own time, which nobody moves in the middle of a turn. */
  get #isOfHost(): boolean {
    const clock = this.#clock;
    return clock instanceof SystemClock && isHostsOwn && !clock.isFaked;
  }
}
