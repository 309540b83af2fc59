// The host's time, and its timers for wake-ups. Both are looked up at every call, so fake clocks
// that are installed after the import just work.
//
// Ground rules. The clock owns the outstanding wake-ups (one for each timer, so few). Its time is
// performance.now(). But when setTimeout AND Date are replaced and performance is not, the fake is
// one that does not move performance (node:test, older vitest). Then the time is Date.now(). When
// the source changes or goes back, the readings are rebased: time stands still at the seam and
// never goes back. When globalThis.setTimeout has changed, every outstanding wake-up moves to the
// new one. Each is cleared by the clearTimeout that belongs to its setTimeout. Host timers are made
// in the root context, because a wake-up serves all tasks, and not the request that happened to arm
// it.
//
// A fake of setTimeout that moves neither Date nor performance tells nobody its time. No timer can
// follow it, and a warning says so.
//
// Costs. now(): one reading of the host's monotonic clock. While nothing is replaced, it comes from
// process.hrtime.bigint(). That is the clock behind performance.now(), without the checks of that
// method and without the array of process.hrtime(). The reading is most of the cost of a start
// (`npm run bench -- churn limits`). wakeAt: one setTimeout.
import { endianness } from 'node:os';
import type { Clock, WakeUp } from './clock.ts';
import { foreign, host, isPerformanceReal } from './host.ts';
import { HostWakeUp, type WakingClock } from './host-wake-up.ts';
import { NextTurn, type Turns } from './next-turn.ts';

const hostSetTimeout = host.setTimeout;
const HostDate = host.Date;
const hostPerformance = performance;
const hostPerformanceNow = performance.now;
const hostHrtime = process.hrtime.bigint;

const reading = new BigUint64Array(1);
const halves = new Uint32Array(reading.buffer);
const [LOW, HIGH] = endianness() === 'LE' ? [0, 1] : [1, 0];
/** The high half of the last reading, which changes every 4 s, and the same in ms. */
let high = 0;
let highMs = 0;

/**
 * The host's monotonic time in ms, from its own origin. Through the array, V8 gets numbers and
 * never makes the BigInt.
 */
function fromHrtime(): number {
  reading[0] = hostHrtime();
  if (halves[HIGH] !== high) {
    high = halves[HIGH];
    highMs = high * 2 ** 32 * 1e-6;
  }
  return highMs + halves[LOW] * 1e-6;
}

/**
 * The difference between the origins of hrtime and performance.now(): the two agree to the
 * microsecond.
 */
const ORIGIN_MS = performance.now() - fromHrtime();

const fromPerformance = (): number => performance.now();
const fromDate = (): number => Date.now();

/**
 * The host's time. The engine has one for all, `systemClock`. The drop-in timers have one of their
 * own.
 */
export class SystemClock implements Clock, WakingClock {
  // The globals at the last reading, and how their readings become our time.
  #setTimeout = setTimeout;
  #Date = Date;
  #performanceNow = performance.now;
  #source: () => number = fromHrtime;
  #offsetMs = ORIGIN_MS;
  #hasWarned = false;
  #lastMs = Number.NEGATIVE_INFINITY;
  readonly #outstanding = new Set<HostWakeUp>();
  readonly turns: Turns;
  readonly foreign: typeof foreign;

  /**
   * @param turns where wake-ups wait whose time has come.
   * @param follows tells the replacement of setTimeout that it follows: `foreign` for the engine.
   *   Any other is for timers, which go by the host's own time while they follow none.
   */
  constructor(turns: Turns, follows: typeof foreign) {
    this.turns = turns;
    this.foreign = follows;
  }

  /** Whether it follows a fake clock, which runs timers in the middle of a turn. */
  get isFaked(): boolean {
    return this.foreign('setTimeout') !== undefined && !(Date === HostDate && isPerformanceReal());
  }

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
    return new HostWakeUp(this, this.#outstanding, atMs, wake);
  }

  wasWokenEarly(shortMs: number): void {
    if (this.#hasWarned || this.#source !== fromHrtime) return;
    this.#hasWarned = true;
    process.emitWarning(
      `A fake of setTimeout that moves neither Date nor performance was ${Math.ceil(shortMs)} ms early by the real time: ` +
        'timers of purgatory go by that. Let it fake Date too.',
      { type: 'PurgatoryWarning', code: 'PURGATORY_FAKE_WITHOUT_TIME' },
    );
  }

  #nowReplaced(): number {
    const movesTimers = setTimeout !== this.#setTimeout;
    if (movesTimers || Date !== this.#Date || performance.now !== this.#performanceNow) {
      this.#setTimeout = setTimeout;
      this.#Date = Date;
      this.#performanceNow = performance.now;
      this.#follow(this.#currentSource());
    }
    const nowMs = this.#source() + this.#offsetMs;
    if (nowMs < this.#lastMs) this.#rebase();
    else this.#lastMs = nowMs;
    if (!movesTimers) return this.#lastMs;
    for (const wakeUp of this.#outstanding) wakeUp.rearm();
    return this.#lastMs;
  }

  #follow(source: () => number): void {
    if (source === fromHrtime && this.#source === fromHrtime) return;
    this.#source = source;
    this.#offsetMs = source === fromHrtime ? ORIGIN_MS : 0;
    if (this.#lastMs > Number.NEGATIVE_INFINITY) this.#rebase();
  }

  /**
   * Our time goes on from the last reading. The offset changes by whole ms, so each whole ms of a
   * fake is the edge of a tick.
   */
  #rebase(): void {
    this.#offsetMs += Math.ceil(this.#lastMs - (this.#source() + this.#offsetMs));
  }

  #currentSource(): () => number {
    const replacement = this.foreign('setTimeout');
    if (this.foreign !== foreign && replacement === undefined) return fromHrtime;
    if (!isPerformanceReal()) return fromPerformance;
    return Date !== HostDate && replacement !== undefined ? fromDate : fromHrtime;
  }
}

/**
 * The host's monotonic time in ms, and its setTimeout: the {@link Clock} of every timer that is
 * given no other.
 */
export const systemClock: Clock = new SystemClock(new NextTurn(), foreign);

/** The clock of `timer`. A timer from outside may have none to tell: then the system's. */
export function clockOf(timer: object): Clock {
  return (timer as { readonly clock?: Clock | undefined }).clock ?? systemClock;
}
