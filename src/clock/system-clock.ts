// The clock of the host: its time, and its setTimeout for wake-ups. A test may put a fake in place
// of either at any moment, and nothing tells. So the globals are looked at in every reading, and
// nowhere else. Whoever wakes us has the time:
//
//   setTimeout is             performance is   Date is    the time is
//   the host's, or a wrapper  anything         anything   hrtime
//   a fake                    a fake           anything   performance.now()
//                             the host's       a fake     what the fake has ticked, or Date.now()
//                             the host's       its own    hrtime: what wakes us is early by it, and
//                                                         we warn. So it is with an unknown fake
//   a fake that replaces nothing (Bun's jest)               hrtime, which it moves
//
// Invariants. Time never goes back: where its source changes or goes back (Bun's fake, a startup
// snapshot that another machine has built), it goes on from the last reading. When setTimeout has
// changed, every outstanding wake-up (one for each timer, so few) moves to the new one. Costs.
// now(): one reading of the host's clock. wakeAt: one setTimeout.
import { host } from '../base/host.ts';
import type { Clock, WakeUp } from './clock.ts';
import { hrtimeMs } from './hrtime.ts';
import { inNextTurn } from './later.ts';
import {
  type FakeTime,
  ForeignTimer,
  fakeTime,
  foreign,
  type HostTimer,
  isFake,
  isHostFaked,
  isHostsOwn,
  MAX_TIMEOUT_MS,
  readFake,
} from './replacements.ts';
import { inRootContext } from './root-context.ts';

/** Whether a fake passes for the host, as it was there first. */
const isHostFake = isFake(host.setTimeout);

/**
 * How early a host may be, in ms: it counts in whole ms, from a time that it took at the start of
 * its turn.
 */
const EARLY_MS = 2;
/** How late the host nearly always is, in ms. For so little more, a wait takes no ms more. */
const LATE_MS = 1 / 16;

/** Whether it has been said that setTimeout and the time disagree: once in a process. */
let hasWarned = false;

/**
 * The host's time. The engine has one for all, `systemClock`. The drop-in timers have one of their
 * own.
 */
export class SystemClock implements Clock {
  /** The global at the last reading. */
  #setTimeout = host.setTimeout;
  /** Whether it was a fake, which is not the host: then a fake wakes. Written here alone. */
  isFake: boolean;
  /** The fake that told the time then. Undefined: the host did. */
  #fakeTime: FakeTime | undefined;
  #offsetMs = 0;
  #lastMs: number = hrtimeMs();
  readonly outstanding: Set<SystemWakeUp>;
  readonly inDueTurn: (run: () => void) => void;
  readonly foreign: typeof foreign;
  readonly #readsFirst: boolean;

  /**
   * @param inDueTurn runs wake-ups whose time has come, in a later turn, and not a whole ms later.
   * @param follows returns the replacement of setTimeout that it follows: `foreign` for the engine.
   * @param readsFirst whether the host reads its sockets before a wake-up runs.
   */
  constructor(inDueTurn: (run: () => void) => void, follows: typeof foreign, readsFirst: boolean) {
    // Not where they are declared: tsc would move #lastMs here, too, and V8 would then box each reading.
    this.isFake = false;
    this.outstanding = new Set();
    this.inDueTurn = inDueTurn;
    this.foreign = follows;
    this.#readsFirst = readsFirst;
  }

  /** As `isStepped`. Also when the fake passes for the host, because it was there first. */
  get isStill(): boolean {
    return this.#fakeTime !== undefined || isHostFake;
  }

  /** Whether the last reading followed a fake clock, which runs timers in the middle of a turn. */
  get isStepped(): boolean {
    return this.#fakeTime !== undefined;
  }

  /** Whether the host reads its sockets before a wake-up runs: a fake has no turns of the host. */
  get waitsForReads(): boolean {
    return this.#readsFirst && !this.isStill;
  }

  now(): number {
    if (globalThis.setTimeout !== this.#setTimeout || this.isFake) return this.#look();
    const nowMs = hrtimeMs() + this.#offsetMs;
    if (nowMs < this.#lastMs) return this.#look();
    this.#lastMs = nowMs;
    return nowMs;
  }

  wakeAt(atMs: number, wake: (dueMs?: number) => void): WakeUp {
    return new SystemWakeUp(this, atMs, wake);
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

  /** Reads a host that is replaced, is no longer, or has gone back. */
  #look(): number {
    const { setTimeout } = globalThis; // undefined when it was deleted
    const wasFake = this.isFake;
    const isReplaced = setTimeout !== this.#setTimeout;
    if (isReplaced || setTimeout === host.setTimeout) {
      this.#setTimeout = setTimeout;
      const replacement = this.foreign('setTimeout'); // a look at each change: replacements.ts
      this.isFake = replacement === undefined ? isHostFaked() : isFake(replacement);
    }
    const movesTimers = isReplaced || this.isFake !== wasFake;
    const followed = this.isFake ? fakeTime(setTimeout) : undefined;
    const isNew = followed !== this.#fakeTime || (movesTimers && followed !== undefined);
    if (isNew) {
      this.#fakeTime = followed;
      this.#offsetMs = 0;
    }
    let nowMs = this.#read();
    if (isNew || nowMs < this.#lastMs) {
      this.#offsetMs += Math.ceil(this.#lastMs - nowMs); // whole ms: one of a fake is the edge of a tick
      nowMs = this.#read();
    }
    this.#lastMs = Math.max(this.#lastMs, nowMs);
    if (movesTimers) for (const wakeUp of this.outstanding) wakeUp.rearm();
    return this.#lastMs;
  }

  #read(): number {
    return (this.#fakeTime === undefined ? hrtimeMs() : readFake(this.#fakeTime)) + this.#offsetMs;
  }
}

/**
 * A wake-up of the system clock. It waits for one setTimeout of the host, or for a chain of them,
 * or for the next turn. A timer that fires when it is not `#timer` any more was given up, and is
 * ignored. A wake-up serves all tasks of its timer, and not the request that happened to arm it: so
 * it is armed in the root context.
 */
class SystemWakeUp implements WakeUp {
  readonly #clock: SystemClock;
  readonly #atMs: number = 0;
  readonly #wake: (dueMs?: number) => void;
  #isRef = true;
  #isResting = false;
  /** Undefined while it waits for the next turn, and once it was cancelled. */
  #timer: HostTimer | ForeignTimer;
  /** The reading at which it was armed. Once it waits for the next turn: at which it was due. */
  #readingMs = 0;

  constructor(clock: SystemClock, atMs: number, wake: (dueMs?: number) => void) {
    this.#clock = clock;
    this.#atMs = atMs;
    this.#wake = wake;
    this.#arm(); // reads the clock, which re-arms all outstanding ones when the host was replaced
    clock.outstanding.add(this);
  }

  cancel(): void {
    if (this.#clock.outstanding.delete(this)) this.#disarm();
  }

  /** The host was replaced. */
  rearm(): void {
    this.#disarm();
    if (this.#isResting) this.#run();
    else this.#arm();
  }

  ref(): void {
    this.#isRef = true;
    this.#isResting = false;
    this.#timer?.ref?.();
  }

  unref(): void {
    this.#isRef = false;
    this.#isResting = false;
    this.#timer?.unref?.();
  }

  /** Not with a timer of a fake, or of zone.js, which count theirs; nor with a number, as in Deno. */
  rest(): boolean {
    const timer = this.#timer;
    if (this.#clock.isFake || timer instanceof ForeignTimer || typeof timer?.unref !== 'function')
      return false;
    this.#isResting = true;
    timer.unref();
    return true;
  }

  #arm(): void {
    const nowMs = this.#clock.now();
    const delayMs = this.#atMs - nowMs;
    this.#readingMs = nowMs;
    const replacement = this.#clock.foreign('setTimeout');
    const isByHost = !this.#clock.isFake;
    if (isByHost && delayMs <= 0) {
      this.#timer = undefined;
      this.#clock.inDueTurn(this.#runIfDue);
      return;
    }
    const hostMs = hostDelayFor(isByHost ? delayMs - LATE_MS : delayMs);
    if (replacement === undefined) {
      this.#timer = inRootContext(host.setTimeout, undefined, this.#fire, hostMs);
    } else {
      const fireForeign = (): void => {
        if (this.#timer === timer) this.#fire();
      };
      const timer = new ForeignTimer('setTimeout', replacement, fireForeign, hostMs);
      if (timer.isOurs) {
        timer.unref();
        this.#arm();
        return;
      }
      this.#timer = timer;
    }
    if (!this.#isRef) this.#timer?.unref?.();
  }

  /** Each timer is cleared by the clearTimeout that belongs to its setTimeout. */
  #disarm(): void {
    if (this.#timer instanceof ForeignTimer) this.#timer.clear();
    else if (this.#timer !== undefined) host.clearTimeout(this.#timer as NodeJS.Timeout);
    this.#timer = undefined;
  }

  /** It may have been cancelled, or armed anew, since it asked for this turn. */
  readonly #runIfDue = (): void => {
    if (this.#timer === undefined && this.#clock.outstanding.has(this)) this.#run();
  };

  #run(): void {
    this.#clock.outstanding.delete(this);
    this.#wake(this.#clock.waitsForReads ? this.#readingMs : undefined);
  }

  /** To be called by its timer: without arguments, which a wrapper of setTimeout may drop. */
  readonly #fire = (): void => {
    const timer = this.#timer;
    const nowMs = this.#clock.now(); // it may find a fake, and arm anew
    if (this.#timer !== timer) return;
    if (nowMs < this.#atMs) {
      this.#checkEarly(nowMs);
      this.#arm();
      return;
    }
    this.#readingMs = nowMs;
    if (this.#clock.waitsForReads) {
      // In a turn, the host runs timers, then reads its sockets, then runs immediates: after a stop
      // of the process, what has arrived comes before the deadlines.
      this.#timer = undefined;
      this.#clock.inDueTurn(this.#runIfDue);
    } else {
      this.#run();
    }
  };

  /**
   * The host itself may be early, but its time does not stand still meanwhile, however short the
   * wait was. (A long wait takes several timers, and none but the last is for its end.)
   */
  #checkEarly(nowMs: number): void {
    const armedMs = this.#readingMs;
    const earlyMs = armedMs + hostDelayFor(this.#atMs - armedMs) - nowMs;
    const isHost = isHostsOwn && !(this.#timer instanceof ForeignTimer);
    if (nowMs <= armedMs || (earlyMs > EARLY_MS && !isHost)) this.#clock.wasWokenEarly(earlyMs);
  }
}

function hostDelayFor(delayMs: number): number {
  return Math.min(Math.max(Math.ceil(delayMs), 0), MAX_TIMEOUT_MS);
}

/** Bun runs its timers between its reads and its immediates: the reads come a turn later there. */
const afterReads =
  'bun' in process.versions ? (run: () => void) => inNextTurn(() => inNextTurn(run)) : inNextTurn;

/**
 * The host's monotonic time in ms, and its setTimeout: the {@link Clock} of every timer that is
 * given no other.
 */
export const systemClock: Clock = new SystemClock(afterReads, foreign, true);
