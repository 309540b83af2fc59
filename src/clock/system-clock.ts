// The host's time and timers, looked up afresh at every call, so that fake clocks installed after the import just work.
//
// Ground rules. The clock owns the wake-ups outstanding on the host (one a timer, so few). Its time is performance.now(),
// unless setTimeout AND Date are replaced while performance is not: then the fake is one that leaves performance alone
// (node:test, older vitest), and Date.now() is the time that its ticks move. Where the source changes, or goes back, the
// readings are rebased: time stands still at the seam and never goes back. When globalThis.setTimeout has changed, every
// outstanding wake-up is moved to the new one; each is cleared by the clearTimeout it came with. Host timers are made in the root
// context: a wake-up serves everybody, so it must not hold, nor run in, the context of the request that happened to arm it.
//
// Costs. now(): one reading of the host's monotonic clock. While nothing is replaced, process.hrtime.bigint() gives it, which is the clock
// behind performance.now() without that method's checks, and without the array that process.hrtime() makes: a start is little more than
// its reading (`npm run bench -- churn limits`). wakeAt: one setTimeout.
import { endianness } from 'node:os';
import { rootContext } from '../root-context.ts';
import type { Clock, WakeUp } from './clock.ts';
import { NextTurn, type NextTurnJob } from './next-turn.ts';

type HostTimer = ReturnType<typeof setTimeout>;

const nextTurn = new NextTurn();

/** setTimeout's own limit: what lies further away is waited for in several steps. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

// The host's own, by which a replacement is noticed.
const hostSetTimeout = setTimeout;
const HostDate = Date;
const hostPerformance = performance;
const hostPerformanceNow = performance.now;
const hostHrtime = process.hrtime.bigint;

const reading = new BigUint64Array(1);
const halves = new Uint32Array(reading.buffer);
const [LOW, HIGH] = endianness() === 'LE' ? [0, 1] : [1, 0];
/** The high half of the last reading, which is another every 4 s, and what it stands for in ms. */
let high = 0;
let highMs = 0;

/** The host's monotonic time in ms, from an origin of its own. By way of the array, V8 turns the BigInt into numbers without making it. */
function fromHrtime(): number {
  reading[0] = hostHrtime();
  if (halves[HIGH] !== high) {
    high = halves[HIGH];
    highMs = high * 2 ** 32 * 1e-6;
  }
  return highMs + halves[LOW] * 1e-6;
}

/** From the origin of hrtime to that of performance.now(), so that the two agree to the microsecond. */
const ORIGIN_MS = performance.now() - fromHrtime();

const fromPerformance = (): number => performance.now();
const fromDate = (): number => Date.now();

class SystemClock implements Clock {
  // What was in place at the last look, and how its readings map to our time.
  #setTimeout = setTimeout;
  #Date = Date;
  #performanceNow = performance.now;
  #source: () => number = fromHrtime;
  #offsetMs = ORIGIN_MS;
  #lastMs = Number.NEGATIVE_INFINITY;
  readonly #outstanding = new WakeUpList();

  now(): number {
    if (
      setTimeout !== hostSetTimeout ||
      Date !== HostDate ||
      hostPerformance.now !== hostPerformanceNow ||
      this.#source !== fromHrtime
    ) {
      return this.#nowReplaced();
    }
    const nowMs = fromHrtime() + this.#offsetMs;
    this.#lastMs = nowMs;
    return nowMs;
  }

  wakeAt(atMs: number, wake: () => void): WakeUp {
    return new HostWakeUp(this.#outstanding, atMs, wake);
  }

  #nowReplaced(): number {
    const movesTimers = setTimeout !== this.#setTimeout;
    if (movesTimers || Date !== this.#Date || performance.now !== this.#performanceNow) {
      this.#setTimeout = setTimeout;
      this.#Date = Date;
      this.#performanceNow = performance.now;
      this.#source = currentSource();
      this.#offsetMs = this.#source === fromHrtime ? ORIGIN_MS : 0;
      if (this.#lastMs > Number.NEGATIVE_INFINITY) this.#rebase();
    }
    if (this.#source() + this.#offsetMs < this.#lastMs) this.#rebase();
    this.#lastMs = this.#source() + this.#offsetMs;
    if (!movesTimers) return this.#lastMs;
    for (let wakeUp = this.#outstanding.first; wakeUp !== undefined; wakeUp = wakeUp.next) wakeUp.rearm();
    return this.#lastMs;
  }

  /** Lets our time go on from the last reading, by whole ms: what a fake is ticked to must be on the edge of a tick of ours too. */
  #rebase(): void {
    this.#offsetMs += Math.ceil(this.#lastMs - (this.#source() + this.#offsetMs));
  }
}

function currentSource(): () => number {
  const isOwnPerformance = performance.now === hostPerformanceNow;
  if (setTimeout !== hostSetTimeout && Date !== HostDate && isOwnPerformance) return fromDate;
  return isHostTimeReal() ? fromHrtime : fromPerformance;
}

/** The wake-ups that are outstanding, in the order in which they were made. Links, as a Set would hash each: `npm run bench -- churn`, nothing else pending. */
class WakeUpList {
  first: HostWakeUp | undefined;
  #last: HostWakeUp | undefined;

  push(wakeUp: HostWakeUp): void {
    wakeUp.previous = this.#last;
    if (this.#last === undefined) this.first = wakeUp;
    else this.#last.next = wakeUp;
    this.#last = wakeUp;
  }

  remove(wakeUp: HostWakeUp): void {
    const { previous, next } = wakeUp;
    if (previous === undefined) this.first = next;
    else previous.next = next;
    if (next === undefined) this.#last = previous;
    else next.previous = previous;
  }
}

/** One setTimeout of the host, or the chain of them that reaches `atMs`. */
class HostWakeUp implements WakeUp, NextTurnJob {
  /** For the list. */
  previous: HostWakeUp | undefined;
  next: HostWakeUp | undefined;
  readonly #outstanding: WakeUpList;
  #isOutstanding = false;
  readonly #atMs: number = 0;
  readonly #wake: () => void;
  #isRef = true;
  /** Undefined while it waits for the next turn. */
  #timer: HostTimer | undefined;
  #armedBy = setTimeout;
  #clearTimer = clearTimeout;
  /** Tells the timer in use from one that was abandoned. */
  #arming = 0;

  constructor(outstanding: WakeUpList, atMs: number, wake: () => void) {
    this.#outstanding = outstanding;
    this.#atMs = atMs;
    this.#wake = wake;
    this.#arm(); // reads the clock, which notices a host that was replaced since the last reading and re-arms all outstanding
    outstanding.push(this);
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
    if (this.#timer === undefined) nextTurn.hold(isRef ? 1 : -1);
    else if (isRef) this.#timer.ref?.();
    else this.#timer.unref?.();
  }

  #leave(): void {
    this.#isOutstanding = false;
    this.#outstanding.remove(this);
  }

  #arm(): void {
    const delayMs = this.#atMs - systemClock.now();
    const arming = ++this.#arming;
    this.#armedBy = setTimeout;
    // A slice that yielded goes on in the next turn, not a whole millisecond later; a fake host gets what its ticks run.
    if (delayMs <= 0 && setTimeout === hostSetTimeout) {
      this.#timer = undefined;
      nextTurn.add(this);
    } else {
      const hostDelayMs = Math.min(Math.max(Math.ceil(delayMs), 0), MAX_TIMEOUT_MS);
      this.#timer = rootContext.runInAsyncScope(setTimeout, undefined, this.#fire, hostDelayMs, arming);
      this.#clearTimer = clearTimeout;
      if (!this.#isRef) this.#timer.unref?.();
    }
  }

  /** The timer of a fake that is gone is abandoned: node:test's clearTimeout corrupts the next mock when called after its own. */
  #disarm(): void {
    this.#arming++;
    if (this.#timer === undefined) nextTurn.delete(this);
    else if (this.#armedBy === hostSetTimeout || this.#armedBy === setTimeout) this.#clearTimer(this.#timer);
  }

  /** In the next turn. */
  run(): void {
    this.#fire(this.#arming);
  }

  // The host counts in whole milliseconds of a time it took at the start of its turn: it can be up to one early.
  readonly #fire = (arming: number): void => {
    if (arming !== this.#arming || !this.#isOutstanding) return;
    if (systemClock.now() < this.#atMs) {
      this.#arm();
    } else {
      this.#leave();
      this.#wake();
    }
  };
}

/** False while a fake clock stands in for the host: its time moves in jumps, in the middle of a turn. O(1), a few ns. */
export function isHostTimeReal(): boolean {
  return setTimeout === hostSetTimeout && Date === HostDate && hostPerformance.now === hostPerformanceNow;
}

/** The host's monotonic time in ms, and its setTimeout: the {@link Clock} of every timer that is given no other. */
export const systemClock: Clock = new SystemClock();
