// What every timer of the library is around the tasks that it keeps by tick: milliseconds, a clock, a reaper and user code.
//
// Ground rules. It alone drives its pending tasks (PendingTasks) and the reaper, reads the clock and runs tasks. A start reads the
// clock once; a deadline is rounded UP to a tick and a reading DOWN, so no task is early by `clock.now()`, and one is late by a
// tick at most besides the host's lateness. (Kafka rounds the deadline down and can fire up to a tick early.) A task without delay
// belongs to the tick that now lies in: it is due at once, and runs in the next pass.
//
// A pass runs what was due when it began; `advanceClock` runs it to its end, the reaper in slices. User code is called from `#run`
// alone, and nothing it does (add, cancel, close, throw, advanceClock) upsets the pass: no slot is kept across a call.
import { setImmediate as laterTurn } from 'node:timers';
import type { Clock } from '../clock/clock.ts';
import { isHostFaked } from '../clock/host.ts';
import { systemClock } from '../clock/system-clock.ts';
import { invalidArgType, timerClosed, timerFull } from '../errors.ts';
import { mustHold } from '../must-hold.ts';
import { reportError } from '../report-error.ts';
import { CallbackTask } from './callback-task.ts';
import { NO_EARLIER_LOOK, type PassObserver, type PendingTasks } from './pending-tasks.ts';
import { Reaper } from './reaper.ts';
import { Slice } from './slice.ts';
import type { CheckedTimerOptions } from './system-timer-options.ts';
import { tickAt, tickFrom } from './tick.ts';
import type { Timer } from './timer.ts';
import { checkAddable, NOT_HELD, type TaskKeeper } from './timer-protocol.ts';
import type { TimerTask } from './timer-task.ts';

// Fields that hold a number start as one: V8 gives a field that was undefined first no number representation, and each read costs a check.
/** More than any memory holds, and small enough to be compared without a double. */
const MAX_INT32 = 2 ** 31 - 1;

/** A {@link Timer} by a clock. A pending task keeps the process alive unless `unref()`. */
export abstract class DrivenTimer implements Timer, TaskKeeper {
  readonly #tickMs: number = 0;
  readonly #maxPending: number = 0;
  readonly #onError: ((error: unknown, task: TimerTask) => void) | undefined;
  readonly #clock: Clock;
  readonly #tasks: PendingTasks;
  readonly #observer: PassObserver | undefined;
  readonly #reaper: Reaper;
  /** What a start must fall below to bother the reaper: -Infinity where nothing may. */
  #armedTick: number = Number.NEGATIVE_INFINITY;
  readonly #hasReaper: boolean;
  readonly #slice: Slice;
  /** The highest reading so far: a clock that goes back stands still. */
  #nowMs = Number.NEGATIVE_INFINITY;
  #looksLater = false;
  #isRunning = false;
  #isClosed = false;

  /** @param nowMs a reading of the clock. @param tasks none yet, at the tick of that. @param observer is told of what runs. */
  protected constructor(
    options: CheckedTimerOptions,
    nowMs: number,
    tasks: PendingTasks,
    observer?: PassObserver,
  ) {
    const { tickMs, clock, reaper, sliceMs, maxPending, onError } = options;
    this.#tickMs = tickMs;
    this.#maxPending = Math.min(maxPending, MAX_INT32);
    this.#onError = onError;
    this.#clock = clock;
    this.#tasks = tasks;
    this.#observer = observer;
    this.#hasReaper = reaper;
    this.#reaper = new Reaper(clock, () => this.#wake());
    if (reaper) this.#armedTick = Number.POSITIVE_INFINITY;
    this.#slice = new Slice(this, sliceMs);
    this.#nowMs = nowMs;
  }

  get size(): number {
    return this.#tasks.size;
  }

  /** The source of time it was given. */
  get clock(): Clock {
    return this.#clock;
  }

  /**
   * When the reaper looks next, in ms of the clock: no pending task is due before, the first perhaps later (a cascade).
   * Undefined when none is pending.
   */
  get nextExpirationMs(): number | undefined {
    const tick = this.#tasks.nextTick();
    return tick === Number.POSITIVE_INFINITY ? undefined : tick * this.#tickMs;
  }

  add(task: TimerTask): void {
    const delayMs = checkAddable(task, this);
    // Not $slot alone: what a careless timer from outside has left there names a cell of ours.
    this.file(task, delayMs, task.$keeper === undefined ? NOT_HELD : task.$slot, this);
  }

  /** As `add` of a task that runs `callback`, which is returned for `cancel()`. @throws as `add`, and for no function. */
  schedule(callback: () => void, delayMs: number): TimerTask {
    if (typeof callback !== 'function') throw invalidArgType('callback', 'of type function', callback);
    const task = new CallbackTask(callback, delayMs);
    this.add(task);
    return task;
  }

  remove(task: TimerTask): boolean {
    const slot = task?.$slot;
    if (slot === undefined) throw invalidArgType('task', 'an instance of TimerTask', task);
    if (!this.#tasks.holds(task, slot)) return false;
    const keptBy = task.$keeper;
    if (keptBy !== this) {
      if (keptBy !== undefined) return keptBy.remove(task);
    } else {
      task.$keeper = undefined;
    }
    this.#tasks.release(task, slot);
    this.settle();
    return true;
  }

  /** Whether it was closed: then it has no task and takes none. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  advanceClock(): number {
    if (this.#isRunning || this.#isClosed) return 0;
    const nowMs = this.now();
    return this.#tasks.hasDue(tickAt(nowMs, this.#tickMs)) ? this.#advance(nowMs, undefined) : 0;
  }

  close(): TimerTask[] {
    if (this.#isClosed) return [];
    this.#isClosed = true;
    const neverRan: TimerTask[] = [];
    for (const task of this.#tasks.takeAll()) {
      const keptBy = task.$keeper;
      if (keptBy === this) task.$keeper = undefined;
      else if (keptBy?.remove(task) === false) continue;
      neverRan.push(task);
    }
    this.#rest();
    return neverRan;
  }

  /** Pending tasks keep the process alive (the default). */
  ref(): this {
    this.#reaper.isRef = true;
    return this;
  }

  /** Pending tasks let the process end. */
  unref(): this {
    this.#reaper.isRef = false;
    return this;
  }

  /** Whether pending tasks keep the process alive: the setting, whatever is pending. */
  hasRef(): boolean {
    return this.#reaper.isRef;
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** The time by its clock in ms: one reading, never less than an earlier one. */
  now(): number {
    this.#read();
    return this.#nowMs;
  }

  /** Returns nothing: a double that a function returns is boxed, unless the function is inlined. */
  #read(): void {
    const nowMs = this.#clock.now();
    if (nowMs > this.#nowMs) this.#nowMs = nowMs;
  }

  /** What `now()` said last, in ms; every `add` reads the clock, and so does the reaper. */
  get lastReadingMs(): number {
    return this.#nowMs;
  }

  /** Files a task that is in no timer (`slot` NOT_HELD), or anew one that is held here (any other `slot`); `delayMs` has been checked. */
  protected file(task: TimerTask, delayMs: number, slot: number, keeper: TaskKeeper): void {
    const tasks = this.#tasks;
    if (this.#isClosed || (slot === NOT_HELD && tasks.size >= this.#maxPending)) throw this.#refusal();
    this.#read();
    const nowMs = this.#nowMs;
    const nowTick = tickAt(nowMs, this.#tickMs);
    const tick = delayMs === 0 ? nowTick : tickFrom(nowMs + delayMs, this.#tickMs);
    if (nowTick > tasks.cursor) tasks.catchUp(nowTick);
    // Not from `slot`: catching up may have filed it since.
    if (slot !== NOT_HELD) tasks.release(task, task.$slot);
    const lookAt = tasks.add(task, tick);
    task.$keeper = keeper;
    if (lookAt < this.#armedTick) this.#lookAtFor(task, tick, lookAt);
  }

  // What a start does not do as a rule is in methods of its own: the compiler inlines the rest only while it is short.

  #refusal(): Error {
    return this.#isClosed ? timerClosed() : timerFull(this.#maxPending);
  }

  #lookAtFor(task: TimerTask, tick: number, lookAt: number): void {
    if (this.#isRunning) return; // the pass does so at its end
    try {
      if (this.#isExact) this.#lookAt(tick);
      else this.#lookAt(lookAt === NO_EARLIER_LOOK ? this.#tasks.nextTick() : lookAt);
    } catch (error) {
      // The clock has refused: a task that nobody will wake up for must not be pending.
      task.$keeper = undefined;
      this.#tasks.release(task, task.$slot);
      throw error;
    }
  }

  /**
   * After tasks were taken out: gives memory back, and the wake-up if nothing is left. A pass under way does so at its end.
   *
   * @internal
   */
  settle(): void {
    if (this.#isRunning) return;
    if (this.#tasks.size === 0) {
      this.#rest();
      return;
    }
    this.#tasks.shrink();
    if (this.#armedTick === Number.POSITIVE_INFINITY && this.#isExact)
      this.#reaper.move(this.#nextLook() * this.#tickMs);
  }

  #wake(): void {
    this.#armedTick = Number.POSITIVE_INFINITY;
    if (this.#isRunning || this.#isClosed) return;
    const nowMs = this.now();
    this.#slice.begin(nowMs);
    this.#advance(nowMs, this.#isExact ? undefined : this.#slice);
  }

  /** Runs what is due at `nowMs`, until `slice`, if there is one, is spent; returns how many ran. */
  #advance(nowMs: number, slice: Slice | undefined): number {
    const tasks = this.#tasks;
    this.#isRunning = true;
    let ran = 0;
    try {
      // A pass that the last slice left open ends first: what its tasks add without delay must wait for the next.
      if (tasks.isPassOpen) ran = this.#runPass(slice);
      if (!tasks.isPassOpen) {
        tasks.openPass(tickAt(nowMs, this.#tickMs));
        ran += this.#runPass(slice);
      }
    } finally {
      // Also where the clock has thrown: a timer that thinks it is running would never run again.
      this.#isRunning = false;
      if (slice !== undefined && tasks.isPassOpen) this.#observer?.didYield(ran, tasks.size);
      this.#endPass();
    }
    return ran;
  }

  #runPass(slice: Slice | undefined): number {
    const tasks = this.#tasks;
    let ran = 0;
    do {
      const task = tasks.take();
      if (task !== undefined) {
        this.#run(task);
        ran++;
      } else if (!tasks.isPassOpen) {
        break;
      }
    } while (!slice?.isSpent());
    return ran;
  }

  #run(task: TimerTask): void {
    if (task.$keeper === this) task.$keeper = undefined;
    this.#observer?.willRun(task, this.#nowMs);
    try {
      task.run();
    } catch (error) {
      this.#observer?.threw(error, task);
      reportError(error, task, this.#onError);
    }
  }

  /** Gives memory back, and sends the reaper to what is next. */
  #endPass(): void {
    const tasks = this.#tasks;
    if (tasks.size === 0) {
      this.#rest();
      return;
    }
    // Not between two slices: to move what is about to run would block the loop for nothing.
    if (!tasks.isPassOpen) tasks.shrink();
    if (!this.#hasReaper) return;
    const tick = this.#nextLook();
    if (tick < this.#armedTick) this.#lookAt(tick);
  }

  /**
   * On a fake host a wake-up is always for a task, never for a cascade alone, as users step from timer to timer; and it runs all that is
   * due, as to go on in the next turn takes a millisecond there. Every start and stop goes to the reaper: `#armedTick` stays Infinity.
   */
  get #isExact(): boolean {
    return this.#clock === systemClock && isHostFaked();
  }

  #nextLook(): number {
    return this.#isExact ? this.#tasks.firstTick() : this.#tasks.nextTick();
  }

  /** With nothing pending there is nothing to wake up for. */
  #rest(): void {
    this.#tasks.rest();
    if (!this.#hasReaper) return;
    this.#armedTick = Number.POSITIVE_INFINITY;
    this.#reaper.disarm();
  }

  /** Sends the reaper to `tick`; not while a pass is under way. */
  #lookAt(tick: number): void {
    this.#armedTick = Number.POSITIVE_INFINITY; // what a clock that throws leaves armed
    try {
      this.#reaper.arm(tick * this.#tickMs);
    } catch (error) {
      this.#lookLater();
      throw error;
    }
    if (!this.#isExact) this.#armedTick = tick;
  }

  /**
   * After a clock has refused to wake, nobody looks for what is pending: asks it once more, in a later turn, as it may have been the
   * stack that was at its end. What it throws then is an uncaught exception; the next start, or pass, asks anew.
   */
  #lookLater(): void {
    if (this.#looksLater) return;
    this.#looksLater = true;
    laterTurn(() => {
      try {
        if (!this.#isRunning && !this.#isClosed) this.#endPass();
      } finally {
        this.#looksLater = false;
      }
    });
  }

  /**
   * Throws unless the timer is sound. For tests.
   *
   * @internal
   */
  static check(timer: DrivenTimer): void {
    const earliest = timer.#tasks.check();
    if (!timer.#hasReaper || timer.#isRunning || timer.#isExact) return;
    mustHold(
      timer.#armedTick <= earliest,
      `armed for ${timer.#armedTick}, though ${earliest} is to be looked at`,
    );
    mustHold(timer.size > 0 || timer.#armedTick === Number.POSITIVE_INFINITY, 'armed with nothing pending');
  }
}

/** Throws unless the invariants of the timer's structures hold. For tests: O(tasks + buckets). */
export function checkTimerInvariants(timer: DrivenTimer): void {
  DrivenTimer.check(timer);
}
