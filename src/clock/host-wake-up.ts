// A wake-up of the system clock.
//
// Ground rules. A wake-up waits for one setTimeout of the host, or for a chain of them, or for the
// next turn. Each arming has a number. A host timer that fires with an old number was given up, and
// is ignored. No immediate of the host is ever cleared (next-turn.ts). While a wake-up is
// outstanding, it is in a set of its clock.

import type { Clock, WakeUp } from './clock.ts';
import { ForeignTimer, type foreign, host, MAX_TIMEOUT_MS } from './host.ts';
import type { NextTurnJob, Turns } from './next-turn.ts';
import { rootContext } from './root-context.ts';

/**
 * How early a host may be, in ms: it counts in whole ms, from a time that it took at the start of
 * its turn.
 */
const EARLY_MS = 2;
/** How late the host nearly always is, in ms. For so little more, a wait takes no ms more. */
const LATE_MS = 1 / 16;

/** The clock that makes the wake-ups. */
export interface WakingClock extends Pick<Clock, 'now'> {
  /** Where wake-ups wait whose time has come. */
  readonly turns: Turns;
  /** The replacement that it follows. */
  readonly foreign: typeof foreign;
  /** Is called when a foreign setTimeout has fired `shortMs` too early. */
  wasWokenEarly(shortMs: number): void;
}

export class HostWakeUp implements WakeUp, NextTurnJob {
  readonly #clock: WakingClock;
  readonly #outstanding: Set<HostWakeUp>;
  #isOutstanding = false;
  readonly #atMs: number = 0;
  readonly #wake: () => void;
  #isRef = true;
  /** Undefined while it waits for the next turn. */
  #timer: ReturnType<typeof setTimeout> | ForeignTimer | undefined;
  #arming = 0;

  constructor(clock: WakingClock, outstanding: Set<HostWakeUp>, atMs: number, wake: () => void) {
    this.#clock = clock;
    this.#outstanding = outstanding;
    this.#atMs = atMs;
    this.#wake = wake;
    this.#arm(); // reads the clock, which re-arms all outstanding ones when the host was replaced
    outstanding.add(this);
    this.#isOutstanding = true;
  }

  cancel(): void {
    if (!this.#isOutstanding) return;
    this.#leave();
    this.#disarm();
  }

  rearm(): void {
    this.#disarm();
    this.#arm();
  }

  ref(): void {
    this.#setRef(true);
  }

  unref(): void {
    this.#setRef(false);
  }

  get isRef(): boolean {
    return this.#isRef;
  }

  #setRef(isRef: boolean): void {
    if (isRef === this.#isRef || !this.#isOutstanding) return;
    this.#isRef = isRef;
    if (this.#timer === undefined) this.#clock.turns.hold(isRef ? 1 : -1);
    else if (isRef) this.#timer.ref();
    else this.#timer.unref();
  }

  #leave(): void {
    this.#isOutstanding = false;
    this.#outstanding.delete(this);
  }

  #arm(): void {
    const delayMs = this.#atMs - this.#clock.now();
    const arming = ++this.#arming;
    const replacement = this.#clock.foreign('setTimeout');
    if (replacement !== undefined) {
      const foreignMs = hostDelayFor(delayMs);
      const timer = new ForeignTimer('setTimeout', replacement, () => this.fire(arming), foreignMs);
      if (timer.standsOnUs) {
        timer.unref();
        this.#arm();
        return;
      }
      this.#timer = timer;
    } else if (delayMs <= 0) {
      // What is due already comes in the next turn, and not a whole millisecond later.
      this.#timer = undefined;
      this.#clock.turns.add(this);
      return;
    } else {
      const hostMs = hostDelayFor(delayMs - LATE_MS);
      this.#timer = rootContext.runInAsyncScope(host.setTimeout, undefined, fire, hostMs, this, arming);
    }
    if (!this.#isRef) this.#timer.unref();
  }

  #disarm(): void {
    this.#arming++;
    if (this.#timer === undefined) this.#clock.turns.delete(this);
    else if (this.#timer instanceof ForeignTimer) this.#timer.clear();
    else host.clearTimeout(this.#timer);
  }

  /** In the next turn. Its time had come before. */
  run(): void {
    this.#leave();
    this.#wake();
  }

  /** To be called by the host's timer of that number. */
  fire(arming: number): void {
    if (arming !== this.#arming || !this.#isOutstanding) return;
    const shortMs = this.#atMs - this.#clock.now();
    if (shortMs > 0) {
      if (shortMs > EARLY_MS && this.#timer instanceof ForeignTimer) this.#clock.wasWokenEarly(shortMs);
      this.#arm();
    } else {
      this.#leave();
      this.#wake();
    }
  }
}

function hostDelayFor(delayMs: number): number {
  return Math.min(Math.max(Math.ceil(delayMs), 0), MAX_TIMEOUT_MS);
}

function fire(wakeUp: HostWakeUp, arming: number): void {
  wakeUp.fire(arming);
}
