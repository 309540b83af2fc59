// The host's time, and its timers for wake-ups, looked up afresh at every call, so that fake clocks installed after the import just work.
//
// Ground rules. The clock owns the wake-ups outstanding on the host (one a timer, so few). Its time is performance.now(),
// unless setTimeout AND Date are replaced while performance is not: then the fake is one that leaves performance alone
// (node:test, older vitest), and Date.now() is the time that its ticks move. Where the source changes, or goes back, the
// readings are rebased: time stands still at the seam and never goes back. When globalThis.setTimeout has changed, every
// outstanding wake-up is moved to the new one; each is cleared by the clearTimeout it came with. Host timers are made in the root
// context: a wake-up serves everybody, so it must not hold, nor run in, the context of the request that happened to arm it.
//
// A fake of setTimeout that moves neither Date nor performance tells nobody its time: a timer cannot live by it, and a warning says so.
//
// Costs. now(): one reading of the host's monotonic clock. While nothing is replaced, process.hrtime.bigint() gives it, which is the clock
// behind performance.now() without that method's checks, and without the array that process.hrtime() makes: a start is little more than
// its reading (`npm run bench -- churn limits`). wakeAt: one setTimeout.
import { endianness } from 'node:os';
import type { Clock, WakeUp } from './clock.ts';
import { foreign, host, isPerformanceReal } from './host.ts';
import { HostWakeUp, WakeUpList, type WakingClock } from './host-wake-up.ts';

const hostSetTimeout = host.setTimeout;
const HostDate = host.Date;
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

class SystemClock implements Clock, WakingClock {
  // What was in place at the last look, and how its readings map to our time.
  #setTimeout = setTimeout;
  #Date = Date;
  #performanceNow = performance.now;
  #source: () => number = fromHrtime;
  #offsetMs = ORIGIN_MS;
  #hasWarned = false;
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
    return new HostWakeUp(this, this.#outstanding, atMs, wake);
  }

  wasWokenEarly(shortMs: number): void {
    if (this.#hasWarned || this.#source !== fromHrtime) return;
    this.#hasWarned = true;
    process.emitWarning(
      `A fake of setTimeout that moves neither Date nor performance was over ${Math.ceil(shortMs)} ms early by both: ` +
        'timers of purgatory go by the real time. Let it fake Date too.',
      { type: 'PurgatoryWarning', code: 'PURGATORY_FAKE_WITHOUT_TIME' },
    );
  }

  #nowReplaced(): number {
    const movesTimers = setTimeout !== this.#setTimeout;
    if (movesTimers || Date !== this.#Date || performance.now !== this.#performanceNow) {
      this.#setTimeout = setTimeout;
      this.#Date = Date;
      this.#performanceNow = performance.now;
      this.#follow(currentSource());
    }
    if (this.#source() + this.#offsetMs < this.#lastMs) this.#rebase();
    this.#lastMs = this.#source() + this.#offsetMs;
    if (!movesTimers) return this.#lastMs;
    for (let wakeUp = this.#outstanding.first; wakeUp !== undefined; wakeUp = wakeUp.next) wakeUp.rearm();
    return this.#lastMs;
  }

  #follow(source: () => number): void {
    if (source === fromHrtime && this.#source === fromHrtime) return;
    this.#source = source;
    this.#offsetMs = source === fromHrtime ? ORIGIN_MS : 0;
    if (this.#lastMs > Number.NEGATIVE_INFINITY) this.#rebase();
  }

  /** Lets our time go on from the last reading, by whole ms: what a fake is ticked to must be on the edge of a tick of ours too. */
  #rebase(): void {
    this.#offsetMs += Math.ceil(this.#lastMs - (this.#source() + this.#offsetMs));
  }
}

function currentSource(): () => number {
  if (!isPerformanceReal()) return fromPerformance;
  return Date !== HostDate && foreign('setTimeout') !== undefined ? fromDate : fromHrtime;
}

/** The host's monotonic time in ms, and its setTimeout: the {@link Clock} of every timer that is given no other. */
export const systemClock: Clock = new SystemClock();
