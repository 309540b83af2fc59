// The host's time, and its timers for wake-ups. Both are looked up at every call, so fake clocks
// that are installed after the import just work. Whoever wakes us has the time: while setTimeout is
// the host's own, time is the host's, whatever else is a fake.
//
// Invariants. Its time never goes back: when its source changes or goes back, the readings are
// rebased, and time stands still at the seam. When globalThis.setTimeout has changed, every
// outstanding wake-up (one for each timer, so few) moves to the new one. Each is cleared by the
// clearTimeout that belongs to its setTimeout. Host timers are made in the root context, because a
// wake-up serves all tasks, and not the request that happened to arm it.
//
// Costs. now(): one reading of the host's clock. wakeAt: one setTimeout.
import { endianness } from 'node:os';
import type { Clock, WakeUp } from './clock.ts';
import { ForeignTimer, foreign, host, isHostsOwn, MAX_TIMEOUT_MS } from './host.ts';
import { inNextTurn } from './later.ts';
import { rootContext } from './root-context.ts';

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
 * The host's monotonic time in ms, from its own origin. process.hrtime.bigint() is the clock behind
 * performance.now(), without the checks of that method. Through the array, V8 gets numbers and
 * never makes the BigInt. The reading is most of the cost of a start (`npm run bench -- churn
 * limits`).
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

/**
 * How early a host may be, in ms: it counts in whole ms, from a time that it took at the start of
 * its turn.
 */
const EARLY_MS = 2;
/** How late the host nearly always is, in ms. For so little more, a wait takes no ms more. */
const LATE_MS = 1 / 16;

/** Whether it has been said that setTimeout and the time disagree: once in a process. */
let hasWarned = false;

/** What waits for the next turn. */
export interface DueWakeUp {
  run(): void;
}

/** Runs wake-ups whose time has come, in a later turn. */
export interface Turns {
  add(wakeUp: DueWakeUp): void;
  delete(wakeUp: DueWakeUp): void;
}

/**
 * Runs them in the next turn, each in an immediate of its own: Node runs microtasks between two,
 * and the others when one throws. An immediate whose wake-up was cancelled runs the next that is
 * added, or nothing.
 */
class NextTurn implements Turns {
  readonly #wakeUps = new Set<DueWakeUp>();
  #immediates = 0;

  add(wakeUp: DueWakeUp): void {
    this.#wakeUps.add(wakeUp);
    if (this.#immediates >= this.#wakeUps.size) return;
    this.#immediates++;
    inNextTurn(this.#runOne);
  }

  delete(wakeUp: DueWakeUp): void {
    this.#wakeUps.delete(wakeUp);
  }

  readonly #runOne = (): void => {
    this.#immediates--;
    for (const wakeUp of this.#wakeUps) {
      this.#wakeUps.delete(wakeUp);
      wakeUp.run();
      return;
    }
  };
}

/** A fake of Date or performance. */
type FakeTime = Pick<typeof Date, 'now'>;

/**
 * The host's time. The engine has one for all, `systemClock`. The drop-in timers have one of their
 * own.
 */
export class SystemClock implements Clock {
  /** The global at the last reading. */
  #setTimeout = globalThis.setTimeout;
  /** The fake that told the time then. Undefined: the host did. */
  #fakeTime: FakeTime | undefined;
  #offsetMs = ORIGIN_MS;
  #lastMs = Number.NEGATIVE_INFINITY;
  readonly #outstanding = new Set<HostWakeUp>();
  readonly turns: Turns;
  readonly foreign: typeof foreign;

  /**
   * @param turns where wake-ups wait whose time has come.
   * @param follows returns the replacement of setTimeout that it follows: `foreign` for the engine.
   */
  constructor(turns: Turns, follows: typeof foreign) {
    this.turns = turns;
    this.foreign = follows;
  }

  /** Also when the fake passes for the host, because it was there first. */
  get isStill(): boolean {
    return this.isStepped || !isHostsOwn;
  }

  /** Whether it follows a fake clock, which runs timers in the middle of a turn. */
  get isStepped(): boolean {
    return this.#findFakeTime() !== undefined;
  }

  now(): number {
    if (globalThis.setTimeout !== hostSetTimeout || this.#setTimeout !== hostSetTimeout) {
      return this.#nowReplaced();
    }
    const nowMs = fromHrtime() + this.#offsetMs;
    this.#lastMs = nowMs;
    return nowMs;
  }

  wakeAt(atMs: number, wake: () => void): WakeUp {
    return new HostWakeUp(this, this.#outstanding, atMs, wake);
  }

  /** To be called when setTimeout has fired `earlyMs` too early: it or the time is a fake. */
  wasWokenEarly(earlyMs: number): void {
    if (hasWarned) return;
    hasWarned = true;
    const isPerformance = this.#fakeTime === performance;
    const time = this.#fakeTime === undefined ? 'process.hrtime' : isPerformance ? 'performance' : 'Date';
    process.emitWarning(
      `setTimeout was ${Math.ceil(earlyMs)} ms early by ${time}, and timers of purgatory go by that. ` +
        'Let one fake move both setTimeout and Date, and install it after the import of purgatory.',
      { type: 'PurgatoryWarning', code: 'PURGATORY_FAKE_WITHOUT_TIME' },
    );
  }

  #nowReplaced(): number {
    const { setTimeout } = globalThis; // undefined when it was deleted
    const movesTimers = setTimeout !== this.#setTimeout;
    if (movesTimers) {
      this.#setTimeout = setTimeout;
      this.foreign('setTimeout'); // the look that tells a replacement of ours from one of the host's
    }
    const fakeTime = this.#findFakeTime();
    const isSame = fakeTime === this.#fakeTime && (fakeTime === undefined || !movesTimers);
    if (!isSame) this.#follow(fakeTime);
    const nowMs = this.#read();
    if (nowMs < this.#lastMs) this.#rebase();
    else this.#lastMs = nowMs;
    if (!movesTimers) return this.#lastMs;
    for (const wakeUp of this.#outstanding) wakeUp.rearm();
    return this.#lastMs;
  }

  #read(): number {
    return (this.#fakeTime === undefined ? fromHrtime() : this.#fakeTime.now()) + this.#offsetMs;
  }

  #follow(fakeTime: FakeTime | undefined): void {
    this.#fakeTime = fakeTime;
    this.#offsetMs = fakeTime === undefined ? ORIGIN_MS : 0;
    if (this.#lastMs > Number.NEGATIVE_INFINITY) this.#rebase();
  }

  /**
   * Our time goes on from the last reading. The offset changes by whole ms, so each whole ms of a
   * fake is the edge of a tick.
   */
  #rebase(): void {
    this.#offsetMs += Math.ceil(this.#lastMs - this.#read());
  }

  /**
   * The time of the fake that replaces setTimeout: its performance, or else its Date (node:test and
   * older vitest do not move performance). A fake that moves neither hides its time: no timer can
   * follow it, and a warning says so.
   */
  #findFakeTime(): FakeTime | undefined {
    const isReal = performance === hostPerformance && performance.now === hostPerformanceNow;
    const fakeTime = !isReal ? performance : Date !== HostDate ? Date : undefined;
    return fakeTime !== undefined && this.foreign('setTimeout') !== undefined ? fakeTime : undefined;
  }
}

/**
 * A wake-up of the system clock. It waits for one setTimeout of the host, or for a chain of them,
 * or for the next turn. Each arming has a number: a host timer that fires with an old number was
 * given up, and is ignored.
 */
class HostWakeUp implements WakeUp, DueWakeUp {
  readonly #clock: SystemClock;
  readonly #outstanding: Set<HostWakeUp>;
  readonly #atMs: number = 0;
  readonly #wake: () => void;
  #isRef = true;
  /** Undefined while it waits for the next turn, whose work is under way. */
  #timer: ReturnType<typeof setTimeout> | ForeignTimer | undefined;
  #arming = 0;
  /** When it was armed, by the clock. */
  #armedMs = 0;

  constructor(clock: SystemClock, outstanding: Set<HostWakeUp>, atMs: number, wake: () => void) {
    this.#clock = clock;
    this.#outstanding = outstanding;
    this.#atMs = atMs;
    this.#wake = wake;
    this.#arm(); // reads the clock, which re-arms all outstanding ones when the host was replaced
    outstanding.add(this);
  }

  cancel(): void {
    if (this.#outstanding.delete(this)) this.#disarm();
  }

  rearm(): void {
    this.#disarm();
    this.#arm();
  }

  ref(): void {
    this.#isRef = true;
    this.#timer?.ref();
  }

  unref(): void {
    this.#isRef = false;
    this.#timer?.unref();
  }

  #arm(): void {
    const nowMs = this.#clock.now();
    const delayMs = this.#atMs - nowMs;
    const arming = ++this.#arming;
    this.#armedMs = nowMs;
    const replacement = this.#clock.foreign('setTimeout');
    if (replacement !== undefined) {
      const fire = (): void => this.fire(arming);
      const timer = new ForeignTimer('setTimeout', replacement, fire, hostDelayFor(delayMs));
      if (timer.isOurs) {
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
    this.#outstanding.delete(this);
    this.#wake();
  }

  /** To be called by the timer of that number. */
  fire(arming: number): void {
    const nowMs = this.#clock.now(); // first: it may find a fake, and arm anew
    if (arming !== this.#arming) return;
    if (nowMs >= this.#atMs) {
      this.run();
    } else {
      this.#checkEarly(nowMs);
      this.#arm();
    }
  }

  /**
   * The host itself may be early, but its time does not stand still meanwhile. (A long wait takes
   * several timers, and none but the last is for its end.)
   */
  #checkEarly(nowMs: number): void {
    const armedMs = this.#armedMs;
    const earlyMs = armedMs + hostDelayFor(this.#atMs - armedMs) - nowMs;
    const isHost = isHostsOwn && !(this.#timer instanceof ForeignTimer);
    if (earlyMs > EARLY_MS && !(isHost && nowMs > armedMs)) this.#clock.wasWokenEarly(earlyMs);
  }
}

function hostDelayFor(delayMs: number): number {
  return Math.min(Math.max(Math.ceil(delayMs), 0), MAX_TIMEOUT_MS);
}

function fire(wakeUp: HostWakeUp, arming: number): void {
  wakeUp.fire(arming);
}

/**
 * The host's monotonic time in ms, and its setTimeout: the {@link Clock} of every timer that is
 * given no other.
 */
export const systemClock: Clock = new SystemClock(new NextTurn(), foreign);
