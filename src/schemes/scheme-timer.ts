// What the seven timers have in common: milliseconds, a clock, a reaper and user code around a scheme.
//
// Ground rules. As in SystemTimer: it alone drives its tasks (SchemeTasks) and the reaper, reads the clock once a start, and
// runs user code from `#run` alone, where nothing that the code does upsets the pass. A deadline is rounded UP to a tick and a
// reading DOWN; a task without delay belongs to the tick that now lies in and runs in the next pass.
//
// Two things differ. A start first lets the ticks that have passed do their bookkeeping, so a scheme always stands at the
// present tick when it files. And a pass gathers all that is due before it runs the first task, then runs it in slices.
//
// The reaper sleeps till the next tick that the scheme has something to do at, instead of being woken every tick as the
// hardware clock of the paper does: a scheme steps through its empty buckets in a loop, which costs the ledger's
// PER_TICK_BOOKKEEPING and no host timer.

import type { Clock } from '../clock/clock.ts';
import { invalidArgType } from '../errors.ts';
import { mustHold } from '../must-hold.ts';
import { CallbackTask } from '../timer/callback-task.ts';
import { Reaper } from '../timer/reaper.ts';
import { reportError, timerClosed, timerFull } from '../timer/refusals.ts';
import { Slice } from '../timer/slice.ts';
import { checkedTimerOptions, type SystemTimerOptions } from '../timer/system-timer-options.ts';
import { tickAt, tickFrom } from '../timer/tick.ts';
import type { Timer } from '../timer/timer.ts';
import { checkAddable, type TaskKeeper } from '../timer/timer-protocol.ts';
import type { TimerTask } from '../timer/timer-task.ts';
import type { MakeScheme } from './scheme.ts';
import { SchemeTasks } from './scheme-tasks.ts';

/** The options that every scheme has: those of a SystemTimer, but for its wheels. */
export type SchemeTimerOptions = Omit<SystemTimerOptions, 'wheelSize'>;

/** A {@link Timer} that keeps its tasks by one of the schemes; with the face of a SystemTimer, but for periodic tasks. */
export abstract class SchemeTimer implements Timer, TaskKeeper {
  /** The tick in ms. */
  readonly tickMs: number;
  readonly #maxPending: number;
  readonly #onError: ((error: unknown, task: TimerTask) => void) | undefined;
  readonly #clock: Clock;
  readonly #tasks: SchemeTasks;
  readonly #reaper: Reaper;
  readonly #hasReaper: boolean;
  readonly #slice: Slice;
  /** What a start must fall below to bother the reaper: -Infinity where the pass under way will send it on, or nothing may. */
  #armedTick: number;
  /** The highest reading so far: a clock that goes back stands still. */
  #nowMs = Number.NEGATIVE_INFINITY;
  #isRunning = false;
  #isClosed = false;

  /** @throws TypeError, RangeError (Node's codes) for an option of the wrong type or out of its range. */
  protected constructor(makeScheme: MakeScheme, options: SchemeTimerOptions | undefined) {
    const { tickMs, clock, reaper, sliceMs, maxPending, onError } = checkedTimerOptions(options);
    this.tickMs = tickMs;
    this.#maxPending = maxPending;
    this.#onError = onError;
    this.#clock = clock;
    this.#hasReaper = reaper;
    this.#reaper = new Reaper(clock, () => this.#wake());
    this.#armedTick = reaper ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
    this.#slice = new Slice(clock, sliceMs);
    this.#tasks = new SchemeTasks(makeScheme, tickAt(this.#now(), tickMs));
  }

  get size(): number {
    return this.#tasks.size;
  }

  /** When the reaper looks next, in ms of the clock: no pending task is due before. Undefined when none is pending. */
  get nextExpirationMs(): number | undefined {
    const tick = this.#tasks.nextTick();
    return tick === Number.POSITIVE_INFINITY ? undefined : tick * this.tickMs;
  }

  add(task: TimerTask): void {
    const delayMs = checkAddable(task, this);
    if (this.#isClosed) throw timerClosed();
    const tasks = this.#tasks;
    const isNew = task.$keeper === undefined;
    if (isNew && tasks.size >= this.#maxPending) throw timerFull(this.#maxPending);
    const nowMs = this.#now();
    const nowTick = tickAt(nowMs, this.tickMs);
    const tick = delayMs === 0 ? nowTick : tickFrom(nowMs + delayMs, this.tickMs);
    tasks.catchUp(nowTick);
    if (isNew) tasks.add(task, tick);
    else tasks.move(task, tick);
    task.$keeper = this;
    if (tick < this.#armedTick) this.#arm(tick);
  }

  /** As `add` of a task that runs `callback`, which is returned for `cancel()`. @throws as `add`, and for no function. */
  schedule(callback: () => void, delayMs: number): TimerTask {
    if (typeof callback !== 'function') throw invalidArgType('callback', 'of type function', callback);
    const task = new CallbackTask(callback, delayMs);
    this.add(task);
    return task;
  }

  remove(task: TimerTask): boolean {
    if (task?.$slot === undefined) throw invalidArgType('task', 'an instance of TimerTask', task);
    const tasks = this.#tasks;
    if (!tasks.holds(task)) return false;
    const keptBy = task.$keeper;
    if (keptBy !== this) {
      if (keptBy !== undefined) return keptBy.remove(task);
    } else {
      task.$keeper = undefined;
    }
    tasks.remove(task);
    if (!this.#isRunning) {
      tasks.shrink();
      if (tasks.size === 0) this.#rest();
    }
    return true;
  }

  advanceClock(): number {
    return this.#advance(undefined);
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
    this.#tasks.shrink();
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

  #now(): number {
    const nowMs = this.#clock.now();
    if (nowMs > this.#nowMs) this.#nowMs = nowMs;
    return this.#nowMs;
  }

  #wake(): void {
    this.#armedTick = Number.NEGATIVE_INFINITY;
    this.#advance(this.#slice);
  }

  #advance(slice: Slice | undefined): number {
    if (this.#isRunning || this.#isClosed) return 0;
    const tasks = this.#tasks;
    const nowMs = this.#now();
    slice?.begin(nowMs);
    this.#isRunning = true;
    let ran = 0;
    // A pass that the last slice left open ends first: what its tasks add without delay must wait for the next.
    if (tasks.isPassOpen) ran = this.#runPass(slice);
    if (!tasks.isPassOpen) {
      tasks.openPass(tickAt(nowMs, this.tickMs));
      ran += this.#runPass(slice);
    }
    this.#isRunning = false;
    this.#settle();
    return ran;
  }

  #runPass(slice: Slice | undefined): number {
    const tasks = this.#tasks;
    let ran = 0;
    for (let task = tasks.take(); task !== undefined; task = tasks.take()) {
      this.#run(task);
      ran++;
      if (slice?.isSpent()) break;
    }
    return ran;
  }

  #run(task: TimerTask): void {
    if (task.$keeper === this) task.$keeper = undefined;
    try {
      task.run();
    } catch (error) {
      reportError(error, task, this.#onError);
    }
  }

  /** After a pass: gives memory back, and sends the reaper to what is next, unless it is on its way to that or before. */
  #settle(): void {
    this.#tasks.shrink();
    if (this.#tasks.size === 0) this.#rest();
    else if (this.#hasReaper && this.#armedTick === Number.NEGATIVE_INFINITY)
      this.#arm(this.#tasks.nextTick());
  }

  /** With nothing pending there is nothing to wake up for. */
  #rest(): void {
    if (!this.#hasReaper) return;
    this.#armedTick = Number.POSITIVE_INFINITY;
    this.#reaper.disarm();
  }

  #arm(tick: number): void {
    this.#armedTick = tick;
    this.#reaper.arm(tick * this.tickMs);
  }

  /** Throws unless the timer is sound. For tests. */
  static check(timer: SchemeTimer): void {
    const earliest = timer.#tasks.check();
    if (!timer.#hasReaper || timer.#isRunning) return;
    mustHold(timer.#armedTick <= earliest, `armed for ${timer.#armedTick}, though ${earliest} is due`);
    const isResting = timer.#armedTick === Number.POSITIVE_INFINITY;
    mustHold(
      isResting === (timer.#tasks.size === 0),
      `${timer.#tasks.size} pending, armed for ${timer.#armedTick}`,
    );
  }
}

/** Throws unless the invariants of the timer's structures hold. For tests: O(tasks + buckets). */
export function checkSchemeInvariants(timer: SchemeTimer): void {
  SchemeTimer.check(timer);
}
