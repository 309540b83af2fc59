// The host's time and timers, looked up afresh at every call, so that fake clocks installed after the import just work.
//
// Ground rules. The clock owns the wake-ups outstanding on the host (one a timer, so few). Its time is performance.now(),
// unless setTimeout AND Date are replaced while performance is not: then the fake is one that leaves performance alone
// (node:test, older vitest), and Date.now() is the time that its ticks move. Where the source changes, or goes back, the
// readings are rebased: time stands still at the seam and never goes back. When globalThis.setTimeout has changed, every
// outstanding wake-up is moved to the new one; each is cleared by the clearTimeout it came with.
//
// Costs. now(): one host reading plus four identity checks that the compiler turns into constants. wakeAt: one setTimeout.
import type { Clock, WakeUp } from './clock.ts';

type HostTimer = ReturnType<typeof setTimeout> | ReturnType<typeof setImmediate>;

/** setTimeout's own limit: what lies further away is waited for in several steps. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

const importedSetTimeout = setTimeout;
const importedDate = Date;
const importedPerformanceNow = performance.now;

class SystemClock implements Clock {
  #setTimeout = setTimeout;
  #performanceNow = performance.now;
  #Date = Date;
  #readsDate = false;
  #offsetMs = 0;
  #lastReadingMs = Number.NEGATIVE_INFINITY;
  readonly #outstanding = new Set<HostWakeUp>();

  now(): number {
    if (setTimeout !== this.#setTimeout || performance.now !== this.#performanceNow || Date !== this.#Date) {
      this.#rehost();
    }
    const readingMs = this.#readsDate ? Date.now() : performance.now();
    if (readingMs < this.#lastReadingMs) this.#offsetMs += this.#lastReadingMs - readingMs;
    this.#lastReadingMs = readingMs;
    return readingMs + this.#offsetMs;
  }

  wakeAt(atMs: number, wake: () => void): WakeUp {
    this.now(); // notices a host that was replaced since the last reading
    return new HostWakeUp(this.#outstanding, atMs, wake);
  }

  #rehost(): void {
    const movesTimers = setTimeout !== this.#setTimeout;
    const nowMs = this.#lastReadingMs + this.#offsetMs;
    this.#setTimeout = setTimeout;
    this.#performanceNow = performance.now;
    this.#Date = Date;
    this.#readsDate =
      setTimeout !== importedSetTimeout &&
      Date !== importedDate &&
      performance.now === importedPerformanceNow;
    const readingMs = this.#readsDate ? Date.now() : performance.now();
    if (nowMs > Number.NEGATIVE_INFINITY) this.#offsetMs = nowMs - readingMs;
    this.#lastReadingMs = readingMs;
    if (movesTimers) for (const wakeUp of this.#outstanding) wakeUp.rearm();
  }
}

/** One setTimeout of the host, or the chain of them that reaches `atMs`. */
class HostWakeUp implements WakeUp {
  readonly #outstanding: Set<HostWakeUp>;
  readonly #atMs: number;
  readonly #wake: () => void;
  #isRef = true;
  #clear!: () => void;
  #timer!: HostTimer;

  constructor(outstanding: Set<HostWakeUp>, atMs: number, wake: () => void) {
    this.#outstanding = outstanding;
    this.#atMs = atMs;
    this.#wake = wake;
    outstanding.add(this);
    this.#arm();
  }

  cancel(): void {
    if (this.#outstanding.delete(this)) this.#clear();
  }

  rearm(): void {
    this.#clear();
    this.#arm();
  }

  ref(): void {
    this.#isRef = true;
    this.#timer.ref?.();
  }

  unref(): void {
    this.#isRef = false;
    this.#timer.unref?.();
  }

  #arm(): void {
    const delayMs = this.#atMs - systemClock.now();
    // A slice that yielded goes on in the next turn, not a whole millisecond later; a fake host gets what its ticks run.
    if (delayMs <= 0 && setTimeout === importedSetTimeout) {
      const host = clearImmediate;
      const timer = setImmediate(this.#fire);
      this.#clear = () => host(timer);
      this.#timer = timer;
    } else {
      const host = clearTimeout;
      const timer = setTimeout(this.#fire, Math.min(Math.max(Math.ceil(delayMs), 0), MAX_TIMEOUT_MS));
      this.#clear = () => host(timer);
      this.#timer = timer;
    }
    if (!this.#isRef) this.#timer.unref?.();
  }

  // The host counts in whole milliseconds of a time it took at the start of its turn: it can be up to one early.
  readonly #fire = (): void => {
    if (systemClock.now() < this.#atMs) {
      this.#arm();
    } else {
      this.#outstanding.delete(this);
      this.#wake();
    }
  };
}

/** The host's monotonic time in ms, and its setTimeout: the {@link Clock} of every timer that is given no other. */
export const systemClock: Clock = new SystemClock();
