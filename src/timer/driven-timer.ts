// What all timers of the library have around their pending tasks: start, stop and close,
// milliseconds, a clock, a reaper and passes.
//
// Ground rules. It alone calls its pending tasks (PendingTasks), its reaper and its runner. A start
// reads the clock once. A deadline is rounded UP to a tick, and a reading DOWN. So no task is early
// by `clock.now()`, and none is late by more than a tick, plus the host's own lateness. (Kafka
// rounds the deadline down and can fire a tick early.) A task without delay belongs to the tick
// that now is in: it is due at once, and runs in the next pass.
//
// V8 inlines up to a limit of size. So code that most starts and stops do not need is in separate
// methods. A field that holds a number begins as one: else V8 gives it no number representation.
import { requiredFunction } from '../base/checks.ts';
import { timerClosed, timerFull } from '../base/errors.ts';
import { invalidArgType } from '../base/node-errors.ts';
import type { Clock } from '../clock/clock.ts';
import { systemClock } from '../clock/system-clock.ts';
import { CallbackTask } from './callback-task.ts';
import { PassesInTurns } from './passes-in-turns.ts';
import type { PassObserver, PendingTasks } from './pending-tasks.ts';
import { Reaper } from './reaper.ts';
import type { CheckedTimerOptions } from './system-timer-options.ts';
import { TaskRunner } from './task-runner.ts';
import { tickAt, tickFrom } from './tick.ts';
import type { Timer } from './timer.ts';
import { checkAddable } from './timer-protocol.ts';
import { NOT_HELD, type TaskKeeper, type TimerTask } from './timer-task.ts';

/** More tasks than any memory holds, and an int32, which is compared without a double. */
const MAX_INT32 = 2 ** 31 - 1;

/** Tasks that are moved in memory at a time: a millisecond or two. */
const VISITS = 16_384;

/** A {@link Timer} by a clock. A pending task keeps the process alive unless `unref()`. */
export abstract class DrivenTimer implements Timer, TaskKeeper {
  readonly #tickMs: number = 0;
  readonly #maxPending: number = 0;
  /** Its source of time. */
  readonly clock: Clock;
  readonly #tasks: PendingTasks;
  readonly #runner: TaskRunner;
  readonly #reaper: Reaper;
  readonly #turns: PassesInTurns | undefined;
  /** The highest reading so far: a clock that goes back stands still. */
  #nowMs = Number.NEGATIVE_INFINITY;
  #isClosed = false;

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
    const { tickMs, clock, maxPending } = options;
    this.#tickMs = tickMs;
    this.#maxPending = Math.min(maxPending, MAX_INT32);
    this.clock = clock;
    this.#tasks = tasks;
    this.#runner = new TaskRunner(this, tasks, options, observer);
    this.#reaper = new Reaper(options, tasks, () => this.#wake());
    if (options.reaper && clock === systemClock) {
      const endPass = (): void => this.#endPass();
      this.#turns = new PassesInTurns(this, options.sliceMs, this.#runner, endPass);
    }
    this.#nowMs = nowMs;
  }

  get size(): number {
    return this.#tasks.size;
  }

  /**
   * When the reaper looks next, in ms of the clock. No pending task is due before. The first may be
   * due later (a cascade). Undefined when none is pending.
   */
  get nextExpirationMs(): number | undefined {
    const tick = this.#tasks.nextTick();
    return tick === Number.POSITIVE_INFINITY ? undefined : tick * this.#tickMs;
  }

  add(task: TimerTask): void {
    const delayMs = checkAddable(task, this);
    const tasks = this.#tasks;
    // By $keeper, not by $slot: a careless timer from outside may have left the number of one of
    // our cells.
    const isMoved = task.$keeper !== undefined;
    if (this.#isClosed || (!isMoved && tasks.size >= this.#maxPending)) throw this.#refusal();
    this.#read();
    const nowMs = this.#nowMs;
    const nowTick = tickAt(nowMs, this.#tickMs);
    const tick = delayMs === 0 ? nowTick : tickFrom(nowMs + delayMs, this.#tickMs);
    if (nowTick > tasks.cursor) tasks.catchUp(nowTick);
    task.$keeper = this; // first: it throws for a frozen task
    try {
      if (isMoved) tasks.release(task, task.$slot); // after catchUp, which may change it
      tasks.add(task, tick);
      // A pass looks on at its end.
      if (tick < this.#reaper.armedTick && !this.#runner.isRunning) this.#reaper.started(tick);
    } catch (error) {
      // No wake-up would come for the task, so it must not stay pending. At the end of the stack
      // there may be no room to compile a method: so only such as have run before are called here.
      if (task.$slot !== NOT_HELD) tasks.release(task, task.$slot);
      task.$keeper = undefined;
      throw error;
    }
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

  /** Whether it was closed. Then it has no task and takes none. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  advanceClock(): number {
    if (this.#runner.isRunning || this.#isClosed) return 0;
    const tick = tickAt(this.now(), this.#tickMs);
    if (!this.#tasks.hasDue(tick)) return 0;
    try {
      return this.#runner.runAll(tick);
    } finally {
      this.#endPass();
    }
  }

  close(): TimerTask[] {
    if (this.#isClosed) return [];
    this.#isClosed = true;
    const neverRan: TimerTask[] = [];
    for (const task of this.#tasks.takeAll()) {
      try {
        const keptBy = task.$keeper;
        if (keptBy === this) task.$keeper = undefined;
        else if (keptBy?.remove(task) === false) continue;
      } catch (error) {
        if (!Object.isFrozen(task)) throw error;
        this.#runner.report(error, task); // it is out, and so must be the others
      }
      neverRan.push(task);
    }
    this.settle();
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

  /** Whether pending tasks keep the process alive: the setting, also when none is pending. */
  hasRef(): boolean {
    return this.#reaper.isRef;
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** The time by its clock in ms, never less than before. Reads the clock once. */
  now(): number {
    this.#read();
    return this.#nowMs;
  }

  /** Returns nothing: a double that a function returns is boxed, unless the function is inlined. */
  #read(): void {
    const nowMs = this.clock.now();
    if (nowMs > this.#nowMs) this.#nowMs = nowMs;
  }

  /** The last reading of the clock, in ms. Each `add` reads it, and so does the reaper. */
  get lastReadingMs(): number {
    return this.#nowMs;
  }

  /** @internal Throws what `add` of a new task would, when the timer is full or closed. */
  checkRoom(): void {
    if (this.#isClosed || this.#tasks.size >= this.#maxPending) throw this.#refusal();
  }

  #refusal(): Error {
    return this.#isClosed ? timerClosed() : timerFull(this.#maxPending);
  }

  /**
   * @internal To be called after tasks were taken out. Gives the wake-up back when no task is left.
   * Does nothing while a pass runs tasks: its end does it.
   */
  settleWakeUp(): void {
    if (this.#runner.isRunning) return;
    const reaper = this.#reaper;
    if (this.#tasks.size === 0) reaper.disarm();
    else if (reaper.armedTick === Number.POSITIVE_INFINITY) reaper.stopped();
  }

  /**
   * @internal To be called after tasks were taken out, and at the end of a pass. Gives the wake-up
   * back, and memory. Does nothing while a pass runs tasks. In one call, about `visits` tasks are
   * moved in memory. Returns whether nothing is left to give back.
   */
  settle(visits: number = VISITS): boolean {
    if (this.#runner.isRunning) return !this.#tasks.isSparse;
    this.settleWakeUp();
    try {
      this.#tasks.shrink(visits);
    } catch (error) {
      // The stack or the memory is at its end, and an operation that completes must get its answer.
      // What is to be given back is given back the next time.
      if (!(error instanceof RangeError)) throw error;
    }
    return !this.#tasks.isSparse;
  }

  /** @internal Runs the next task of an open pass. False: there is none, and the wake-up goes on. */
  runNext(): boolean {
    return this.#runner.runNext();
  }

  #wake(): void {
    if (this.#runner.isRunning) return;
    const nowMs = this.now(); // first: it may find a fake
    const { isExact } = this.#reaper;
    const tick = tickAt(nowMs, this.#tickMs);
    if (this.#turns !== undefined && !isExact) {
      this.#turns.begin(tick);
      return;
    }
    try {
      // On a fake host, to go on in the next turn would take a fake millisecond.
      if (isExact) this.#runner.runAll(tick);
      else this.#runner.runSlice(tick, nowMs);
    } finally {
      this.#endPass();
    }
  }

  #endPass(): void {
    this.settle();
    this.#reaper.lookOn();
  }

  /** @internal */
  static check(timer: DrivenTimer): void {
    const earliest = timer.#tasks.check();
    const isInPass = timer.#runner.isRunning || timer.#turns?.isUnderWay === true;
    if (!isInPass) timer.#reaper.check(earliest);
  }
}

/** Throws unless the invariants of the timer's structures hold. For tests: O(tasks + buckets). */
export function checkTimerInvariants(timer: DrivenTimer): void {
  DrivenTimer.check(timer);
}
