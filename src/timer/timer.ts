/// <reference lib="esnext.disposable" preserve="true" />
// A timer by a clock: what all timers of the library are around their pending tasks.
//
//   add ─► PendingTasks, by tick ─► #holdWakeUp: one wake-up of the clock, for the first of them
//                ▲                        │ #wake
//                │ take                   ▼
//         #runTasks ◄── a pass: all that is due by its reading, in batches of a job
//                                         └─► #endPass: afterRemoval, #holdWakeUp
//
// A deadline is rounded UP to a tick, and a reading DOWN: no task is early by `clock.now()`, and none
// is late by more than a tick, plus the host's lateness. A wake-up costs a host timer: so a start
// arms for an earlier tick only, and with nothing pending the wake-up rests for the next start. So
// a wake-up may find nothing due. It alone calls user code of tasks; no slot is kept across that
// call.

import { requiredFunction } from '../base/checks.ts';
import { DISPOSE, nameDispose } from '../base/dispose.ts';
import { closed, full } from '../base/errors.ts';
import { invalidArgType } from '../base/node-errors.ts';
import { allRead } from '../base/options.ts';
import { onRejection, reportError, throwLater } from '../base/report-error.ts';
import { className } from '../base/text.ts';
import type { Clock, WakeUp } from '../clock/clock.ts';
import { inOwnScope } from '../clock/root-context.ts';
import { NONE } from '../slab/slab.ts';
import { compactionOf } from '../turns/compaction.ts';
import { type Job, schedulerOf } from '../turns/scheduler.ts';
import type { PendingTasks } from './pending-tasks.ts';
import type { CheckedTimerOptions } from './system-timer-options.ts';
import { tickAt, tickFrom } from './tick.ts';
import type { TimerSnapshot } from './timer-snapshot.ts';
import { CallbackTask, checkAddable, type TaskKeeper, type TimerTask } from './timer-task.ts';

/** A clock that goes back by more, in ms, begins anew. It would stand still for too long. */
const MOMENT_MS = 1_000;
/** A wake-up in so many ms at most rests. It keeps a timer that its user has dropped for so long. */
const KEPT_MS = 120_000;
/** More tasks than any memory holds, and an int32, which is compared without a double. */
const MAX_INT32 = 2 ** 31 - 1;

/** The meter of a timer, which imports this file. */
export interface PassObserver {
  /** `task` is about to run. False where a listener has taken it out: a parked operation. */
  willRun(task: TimerTask, latenessMs: number): boolean;
  threw(error: unknown, task: TimerTask): void;
  /** The timer yields after `ran` tasks, with `pending` left, some of them due. */
  didYield(ran: number, pending: number): void;
}

// V8 inlines up to a limit of size: so what most starts and stops do not need is in methods of its
// own. A field that holds a number begins as one: else V8 gives it no number representation.

/**
 * Runs tasks when their delay has passed: a SystemTimer, or one of `purgatory/schemes`. Never early
 * by its clock, and late by one tick at most, plus the host's own lateness. A pending task keeps the
 * process alive, unless `unref()` was called.
 */
export abstract class Timer implements TaskKeeper {
  readonly #tickMs: number = 0;
  readonly #maxPending: number = 0;
  readonly #sliceMs: number = 0;
  /** Its source of time. */
  readonly clock: Clock;
  readonly #tasks: PendingTasks;
  readonly #onError: ((error: unknown, task: TimerTask) => void) | undefined;
  readonly #observer: PassObserver | undefined;
  /** What the clock's time lacks to the timer's: it has gone back far. */
  #offsetMs = 0;
  /** The highest reading so far: a clock that goes back a little stands still. */
  #nowMs = Number.NEGATIVE_INFINITY;
  /** What is due by this reading runs in the pass under way, or in the last one. */
  #dueMs = Number.NEGATIVE_INFINITY;
  #isClosed = false;
  /** True while tasks run. */
  #isRunning = false;
  /** How many tasks have run in the slice. */
  #ran = 0;
  #wakeUp: WakeUp | undefined;
  /** The tick of the wake-up, which is at or before the first task. Infinity without one. */
  #wakeUpTick = Number.POSITIVE_INFINITY;
  readonly #hasReaper: boolean;
  #isRef = true;
  readonly #compaction: Job;
  /** Where the host's turns are waited for, passes alternate with all other jobs of the clock. */
  readonly #job: Job;

  /**
   * @param nowMs a reading of the clock.
   * @param tasks without a task, at the tick of `nowMs`.
   * @param observer is called for what runs.
   */
  protected constructor(
    options: CheckedTimerOptions,
    nowMs: number,
    tasks: PendingTasks,
    observer?: PassObserver,
  ) {
    const { tickMs, clock, maxPending, sliceMs, onError, reaper, ...unread } = options;
    allRead(unread);
    this.#tickMs = tickMs;
    this.#maxPending = Math.min(maxPending, MAX_INT32);
    this.#sliceMs = sliceMs;
    this.clock = clock;
    this.#tasks = tasks;
    this.#onError = onError;
    this.#observer = observer;
    this.#nowMs = nowMs;
    this.#hasReaper = reaper;
    const scheduler = schedulerOf(this);
    this.#compaction = compactionOf(tasks, scheduler, sliceMs);
    this.#job = scheduler.job({
      sliceMs,
      isOfTimer: true,
      doBatch: (job) => this.#runBatch(job),
      didYield: () => this.#didYield(),
    });
  }

  /** How many tasks are pending. */
  get size(): number {
    return this.#tasks.size;
  }

  /**
   * When the reaper looks next, in ms of the clock. No pending task is due before. The first may be
   * due later (a cascade). Undefined when none is pending.
   */
  get nextExpirationMs(): number | undefined {
    const tick = this.#tasks.nextTick();
    return tick === Number.POSITIVE_INFINITY ? undefined : tick * this.#tickMs - this.#offsetMs;
  }

  /**
   * Starts `task`: it will run `task.delayMs` from now, never inside this call. A task that is
   * pending here already is moved. O(1).
   *
   * @throws TypeError, RangeError (Node's codes) for an object that is not a task, or a delay that
   * is not finite.
   * @throws PurgatoryError ERR_PURGATORY_CLOSED, ERR_PURGATORY_FULL, ERR_PURGATORY_ALREADY_PENDING
   * (in another timer, or parked). What the clock throws. The task is as it was.
   */
  add(task: TimerTask): void {
    const delayMs = checkAddable(task, this);
    const tasks = this.#tasks;
    const isMoved = task.$keeper !== undefined;
    if (this.#isClosed || (!isMoved && tasks.size >= this.#maxPending)) throw this.#refusal();
    this.#read();
    const nowMs = this.#nowMs;
    const nowTick = tickAt(nowMs, this.#tickMs);
    // Without delay it is due at once, and runs in the next pass.
    const tick = delayMs === 0 ? nowTick : tickFrom(nowMs + delayMs, this.#tickMs);
    if (nowTick > tasks.horizon) tasks.catchUp(nowTick);
    // Before the task is in, as a clock may refuse. A pass looks on at its end. A fake may have
    // forgotten its timers, as by `jest.clearAllTimers()`, and nothing tells.
    if (!this.#isRunning) {
      if (tick < this.#wakeUpTick) this.#holdWakeUp(tick);
      else if (this.clock.isStepped) this.#arm(this.#wakeUpTick);
      else if (tasks.size === 0) this.#refWakeUp();
    }
    const oldSlot = task.$slot;
    task.$slot = tasks.add(task, tick);
    if (isMoved) tasks.release(oldSlot);
    else task.$keeper = this;
  }

  /**
   * Adds a task that runs `callback`. Returns the task, for `cancel()`.
   * @throws as `add`, and TypeError when `callback` is no function.
   */
  schedule(callback: () => void, delayMs: number): TimerTask {
    requiredFunction('callback', callback);
    const task = new CallbackTask(callback, delayMs);
    this.add(task);
    return task;
  }

  /** Stops `task`: takes it out. True iff it was pending here. O(1). */
  remove(task: TimerTask): boolean {
    const slot = task?.$slot;
    if (slot === undefined) throw invalidArgType('task', 'an instance of TimerTask', task);
    const tasks = this.#tasks;
    if (!tasks.holds(task, slot)) return false;
    const keptBy = task.$keeper;
    if (keptBy !== this && keptBy !== undefined) return keptBy.remove(task);
    task.$keeper = undefined;
    task.$slot = NONE;
    tasks.release(slot);
    this.afterRemoval();
    return true;
  }

  /** Whether it was closed. Then it has no task and takes none. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /**
   * Runs the tasks that are due now, in the order of the tick of their deadline, then of `add`.
   * Returns how many ran, those that threw included. A call from inside a task does nothing and
   * returns 0: the pass under way runs all that is due.
   */
  advanceClock(): number {
    if (this.#isRunning || this.#isClosed) return 0;
    const nowMs = this.now();
    if (!this.#tasks.hasDue(tickAt(nowMs, this.#tickMs))) return 0;
    try {
      return this.#runUpTo(nowMs, Number.POSITIVE_INFINITY);
    } finally {
      this.#endPass();
    }
  }

  /**
   * Ends the timer for good. Returns the tasks that never ran, by deadline, without waits. A second
   * call returns [].
   */
  close(): TimerTask[] {
    if (this.#isClosed) return [];
    this.#isClosed = true;
    const neverRan = this.#tasks.takeAll().filter((task) => {
      task.$slot = NONE;
      const keptBy = task.$keeper;
      if (keptBy !== this) return keptBy === undefined || keptBy.remove(task);
      task.$keeper = undefined;
      return true;
    });
    this.afterRemoval();
    return neverRan;
  }

  /** Pending tasks keep the process alive (the default). */
  ref(): this {
    this.#isRef = true;
    if (this.size > 0) this.#refWakeUp();
    return this;
  }

  /** Pending tasks let the process end. */
  unref(): this {
    this.#isRef = false;
    if (this.size > 0) this.#refWakeUp();
    return this;
  }

  /** Whether pending tasks keep the process alive: the setting, also when none is pending. */
  hasRef(): boolean {
    return this.#isRef;
  }

  /** How the timer is doing, as plain JSON: of a SystemTimer. */
  snapshot?(): TimerSnapshot;

  [Symbol.dispose](): void {
    this.close();
  }

  static {
    nameDispose(Timer, DISPOSE);
  }

  /** The time by its clock in ms, never less than before. Reads the clock once. */
  now(): number {
    this.#read();
    return this.#nowMs;
  }

  /** Returns nothing: a double that a function returns is boxed, unless the function is inlined. */
  #read(): void {
    const nowMs = this.clock.now() + this.#offsetMs;
    if (nowMs > this.#nowMs && this.#offsetMs === 0) this.#nowMs = nowMs;
    else if (nowMs !== this.#nowMs) this.#readSeam(nowMs);
  }

  /** The clock has gone back, or had before. */
  #readSeam(nowMs: number): void {
    const clockMs = nowMs - this.#offsetMs;
    if (this.#offsetMs !== 0 && clockMs >= this.#nowMs) this.#shift(nowMs, clockMs);
    else if (nowMs > this.#nowMs) this.#nowMs = nowMs;
    else if (nowMs < this.#nowMs - MOMENT_MS) this.#shift(nowMs, this.#nowMs);
  }

  /** The clock has gone far back, or has come back from there: `nowMs` by it is `toMs` from now on. */
  #shift(nowMs: number, toMs: number): void {
    this.#offsetMs += Math.ceil(toMs - nowMs); // whole ms: an edge of a tick stays one
    this.#nowMs = toMs;
    if (this.size === 0) this.#disarm();
    else if (this.#wakeUp !== undefined) this.#arm(this.#wakeUpTick);
  }

  /** The last reading of the clock, in ms. Each `add` reads it, and so does the reaper. */
  get lastReadingMs(): number {
    return this.#nowMs;
  }

  /**
   * The reading of the clock, in ms, that the pass under way is for. What falls due after it waits
   * for the next pass, before which the host reads its sockets.
   *
   * @internal
   */
  get dueMs(): number {
    return this.#dueMs;
  }

  /**
   * Takes out a task if it is pending here, in `slot`, and leaves its $keeper and the memory as
   * they are. `afterRemoval` must follow, once for all that are released in a row. O(1).
   *
   * @internal
   */
  release(task: TimerTask, slot: number): void {
    const tasks = this.#tasks;
    if (!tasks.holds(task, slot)) return;
    tasks.release(slot);
    task.$slot = NONE;
  }

  /**
   * Has a task that a pass has taken run once more, `delayMs` after the last reading. It stays
   * pending for its keeper. For the pass under way: its end looks for a wake-up.
   *
   * @internal
   */
  postpone(task: TimerTask, delayMs: number): void {
    task.$slot = this.#tasks.add(task, tickFrom(this.#nowMs + delayMs, this.#tickMs));
  }

  /**
   * @internal Throws what `add` of a new task would, when the timer is closed or full. One whose delay
   * is Infinity waits for no deadline, and needs no place.
   */
  checkRoom(delayMs: number): void {
    const isFull = delayMs !== Number.POSITIVE_INFINITY && this.#tasks.size >= this.#maxPending;
    if (this.#isClosed || isFull) throw this.#refusal();
  }

  #refusal(): Error {
    const type = `The ${className(this)}`;
    return this.#isClosed ? closed(type) : full(type, 'maxPending', this.#maxPending);
  }

  readonly #wake = (dueMs?: number): void => {
    const wakeUpMs = this.#wakeUpTick * this.#tickMs;
    this.#wakeUp = undefined;
    this.#wakeUpTick = Number.POSITIVE_INFINITY;
    if (this.#isRunning || this.size === 0) return;
    const nowMs = this.now(); // first: it may find a fake
    const { isStill } = this.clock;
    if (typeof dueMs === 'number' && !isStill) {
      // What falls due after that reading may have been answered meanwhile, on a socket that the
      // host has not read. (A clock with an offset may pass on the reading of the clock inside it.)
      // And from now on, what is added waits for the next pass.
      if (!this.#tasks.isPassOpen)
        this.#openPass(Math.min(nowMs, Math.max(wakeUpMs, dueMs + this.#offsetMs)));
      this.#job.wake();
      return;
    }
    try {
      // Where time stands still, to go on in the next turn would take a millisecond of it.
      this.#ran = this.#runUpTo(nowMs, isStill ? Number.POSITIVE_INFINITY : nowMs + this.#sliceMs);
      this.#didYield();
    } finally {
      this.#endPass();
    }
  };

  #runBatch(job: Job): boolean {
    try {
      this.#ran += this.#runTasks(job, job.endMs);
    } finally {
      if (!this.#tasks.isPassOpen) {
        this.#ran = 0;
        // A start between two batches has armed it, perhaps by a reading after the reads of this turn.
        this.#disarm();
        this.#endPass();
      }
    }
    return this.#tasks.isPassOpen;
  }

  #didYield(): void {
    if (this.#tasks.isPassOpen) this.#observer?.didYield(this.#ran, this.#tasks.size);
    this.#ran = 0;
  }

  /** Ends the pass that a slice has left: what that adds waits. Then runs one up to `dueMs`. */
  #runUpTo(dueMs: number, endMs: number): number {
    const tasks = this.#tasks;
    const ran = tasks.isPassOpen ? this.#runTasks(undefined, endMs) : 0;
    if (tasks.isPassOpen) return ran;
    this.#openPass(dueMs);
    return ran + this.#runTasks(undefined, endMs);
  }

  #openPass(dueMs: number): void {
    this.#dueMs = dueMs;
    this.#tasks.openPass(tickAt(dueMs, this.#tickMs));
  }

  /**
   * Runs tasks of the open pass, one at least, until the batch of `job` is full or the clock reads
   * `endMs`. Returns how many. To read the clock less often while tasks are short was tried: one
   * long task after many short ones then blocked the loop for several slices.
   */
  #runTasks(job: Job | undefined, endMs: number): number {
    const tasks = this.#tasks;
    let ran = 0;
    this.#isRunning = true;
    try {
      do {
        const task = tasks.take();
        if (task === undefined) continue;
        inOwnScope(run, this, task);
        ran++;
        job?.count(1, 1);
      } while (
        tasks.isPassOpen &&
        !(job !== undefined && job.stepsLeft <= 0) &&
        (endMs === Number.POSITIVE_INFINITY || this.now() < endMs)
      );
    } finally {
      this.#isRunning = false;
    }
    return ran;
  }

  /** @internal */
  runTask(task: TimerTask): void {
    try {
      task.$slot = NONE;
      if (task.$keeper === this) task.$keeper = undefined;
      const latenessMs = this.#nowMs - this.#tasks.takenTick * this.#tickMs;
      if (this.#observer?.willRun(task, latenessMs) === false) return;
      const result: unknown = task.run();
      if (result !== undefined) onRejection(result, (error) => this.report(error, task));
    } catch (error) {
      this.report(error, task);
    }
  }

  /** @internal */
  report(error: unknown, task: TimerTask): void {
    this.#observer?.threw(error, task);
    reportError(error, task, this.#onError);
  }

  /** @internal Runs the next task of an open pass. False when there is none, and in a task. */
  runNext(): boolean {
    if (this.#isRunning || !this.#tasks.isPassOpen) return false;
    return this.#runTasks(undefined, Number.NEGATIVE_INFINITY) > 0;
  }

  #endPass(): void {
    this.afterRemoval();
    if (this.#tasks.size === 0) return;
    this.#read(); // what is overdue by now is so by the pass, and not by the host
    this.#holdWakeUp();
  }

  /**
   * @internal To be called after tasks were taken out. Lets the wake-up rest if none is left, and
   * gives memory back in a turn of its own if few are. Does nothing while a pass runs tasks: its end
   * does it. O(1), but O(tasks of a bucket) on a fake host.
   */
  afterRemoval(): void {
    if (this.#isRunning) return;
    const tasks = this.#tasks;
    if (tasks.size === 0) {
      tasks.endPass();
      if (this.#wakeUp !== undefined) this.#rest(this.#wakeUp);
    } else if (this.clock.isStepped) {
      this.#holdWakeUp();
    }
    if (tasks.isSparse) this.#compaction.wakeNextTurn();
  }

  /**
   * Holds a wake-up for what is pending, and for a task that is to be added for `tick`.
   * @throws what the clock throws.
   */
  #holdWakeUp(tick = Number.POSITIVE_INFINITY): void {
    if (!this.#hasReaper) return;
    const tasks = this.#tasks;
    const { isStepped } = this.clock;
    const first = Math.min(tasks.nextTick(isStepped), isStepped ? tick : tasks.lookFor(tick));
    if (isStepped ? first !== this.#wakeUpTick : first < this.#wakeUpTick) this.#arm(first);
  }

  #arm(tick: number): void {
    // Before the other one is given up: a clock may throw.
    const wakeUp = this.clock.wakeAt(tick * this.#tickMs - this.#offsetMs, this.#wake);
    this.#disarm();
    this.#wakeUp = wakeUp;
    this.#wakeUpTick = tick;
    if (!this.#isRef) wakeUp.unref?.();
  }

  /** By the setting. Ends its rest. */
  #refWakeUp(): void {
    if (this.#isRef) this.#wakeUp?.ref?.();
    else this.#wakeUp?.unref?.();
  }

  /** Nothing is pending: as few host timers as starts that come one after the other can do with. */
  #rest(wakeUp: WakeUp): void {
    const isNear = this.#wakeUpTick * this.#tickMs - this.#nowMs <= KEPT_MS;
    if (this.#isClosed || !isNear || wakeUp.rest?.() !== true) this.#disarm();
  }

  #disarm(): void {
    const wakeUp = this.#wakeUp;
    if (wakeUp === undefined) return;
    this.#wakeUp = undefined;
    this.#wakeUpTick = Number.POSITIVE_INFINITY;
    try {
      wakeUp.cancel();
    } catch (error) {
      throwLater(error); // whoever has ended something goes on
    }
  }

  /** What the invariants of a timer are about. Without a reaper, it has no tick. @internal */
  get $internals(): { tasks: PendingTasks; wakeUpTick: number | undefined; isRunning: boolean } {
    return {
      tasks: this.#tasks,
      wakeUpTick: this.#hasReaper ? this.#wakeUpTick : undefined,
      isRunning: this.#isRunning || this.#job.isUnderWay,
    };
  }
}

function run(timer: Timer, task: TimerTask): void {
  timer.runTask(task);
}
