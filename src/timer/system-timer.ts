// The timer of the library: milliseconds, a clock and user code around the wheels.
//
// Ground rules. It alone drives the wheels (TimingWheels) and the reaper, reads the clock and runs tasks. A start reads the
// clock once; a deadline is rounded UP to a tick and a reading DOWN, so no task is early by `clock.now()`, and one is late by a
// tick at most besides the host's lateness. (Kafka rounds the deadline down and can fire up to a tick early.) A task without delay
// belongs to the tick that now lies in: it is due at once, and runs in the next pass.
//
// A pass runs what was due when it began, bucket by bucket; `advanceClock` runs it to its end, the reaper in slices. User
// code is called from `#run` alone, and nothing it does (add, cancel, close, throw, advanceClock) upsets the pass: no slot
// and no bucket is kept across a call.
import type { Clock } from '../clock/clock.ts';
import { invalidArgType } from '../errors.ts';
import { mustHold } from '../must-hold.ts';
import { CallbackTask } from './callback-task.ts';
import {
  type FixedDelayOptions,
  FixedDelayTask,
  type FixedRateOptions,
  FixedRateTask,
} from './periodic-task.ts';
import { Reaper } from './reaper.ts';
import { reportError, timerClosed, timerFull } from './refusals.ts';
import { Slice } from './slice.ts';
import { checkedTimerOptions, type SystemTimerOptions } from './system-timer-options.ts';
import { tickAt, tickFrom } from './tick.ts';
import type { Timer } from './timer.ts';
import { TimerMeter } from './timer-meter.ts';
import { checkAddable, checkedDelay, type KeeperTimer, NOT_HELD, type TaskKeeper } from './timer-protocol.ts';
import { type TimerSnapshot, timerSnapshot } from './timer-snapshot.ts';
import type { TimerTask } from './timer-task.ts';
import { TimingWheels } from './timing-wheels.ts';

// Fields that hold a number start as one: V8 gives a field that was undefined first no number representation, and each read costs a check.
/** More than any memory holds, and small enough to be compared without a double. */
const MAX_INT32 = 2 ** 31 - 1;

/**
 * A {@link Timer} on hierarchical timing wheels. START_TIMER and STOP_TIMER are O(1), whatever is pending; the clock jumps
 * from non-empty bucket to non-empty bucket. A pending task keeps the process alive unless `unref()`.
 */
export class SystemTimer implements KeeperTimer, TaskKeeper {
  readonly #tickMs: number = 0;
  readonly #maxPending: number = 0;
  readonly #onError: ((error: unknown, task: TimerTask) => void) | undefined;
  readonly #clock: Clock;
  readonly #wheels: TimingWheels;
  readonly #reaper: Reaper;
  /** What a start must fall below to bother the reaper: -Infinity where a pass will arm it, or nothing may. */
  #armedTick: number = Number.NEGATIVE_INFINITY;
  readonly #hasReaper: boolean;
  readonly #slice: Slice;
  readonly #meter: TimerMeter = new TimerMeter(this);
  /** The highest reading so far: a clock that goes back stands still. */
  #nowMs = Number.NEGATIVE_INFINITY;
  #isRunning = false;
  #isClosed = false;

  /** @throws TypeError, RangeError (Node's codes) for an option of the wrong type or out of its range. */
  constructor(options?: SystemTimerOptions) {
    const { tickMs, wheelSize, clock, reaper, sliceMs, maxPending, onError } = checkedTimerOptions(options);
    this.#tickMs = tickMs;
    this.#maxPending = Math.min(maxPending, MAX_INT32);
    this.#onError = onError;
    this.#clock = clock;
    this.#hasReaper = reaper;
    this.#reaper = new Reaper(clock, () => this.#wake());
    if (reaper) this.#armedTick = Number.POSITIVE_INFINITY;
    this.#slice = new Slice(this, sliceMs);
    const bits = 32 - Math.clz32(wheelSize - 1);
    this.#wheels = new TimingWheels(bits, tickAt(this.#now(), tickMs), this.#meter);
  }

  get size(): number {
    return this.#wheels.size;
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
    const tick = this.#wheels.nextTick();
    return tick === Number.POSITIVE_INFINITY ? undefined : tick * this.#tickMs;
  }

  add(task: TimerTask): void {
    this.#file(task, checkAddable(task, this), task.$slot, this);
  }

  /** The short way in for keepers: see the timer protocol. */
  addFor(keeper: TaskKeeper, task: TimerTask, delayMs: number): void {
    this.#file(task, checkedDelay(delayMs), NOT_HELD, keeper);
  }

  /** As `add` of a task that runs `callback`, which is returned for `cancel()`. @throws as `add`, and for no function. */
  schedule(callback: () => void, delayMs: number): TimerTask {
    if (typeof callback !== 'function') throw invalidArgType('callback', 'of type function', callback);
    const task = new CallbackTask(callback, delayMs);
    this.add(task);
    return task;
  }

  /**
   * Runs `callback` every `periodMs` (>= 1), first after `options.initialDelayMs` (default `periodMs`); drift-free. What it throws is
   * reported and the series goes on. The task returned is the series: pending until `cancel()`.
   *
   * @throws as `add`; TypeError, RangeError (Node's codes) for a bad argument.
   */
  scheduleAtFixedRate(callback: () => void, periodMs: number, options?: FixedRateOptions): TimerTask {
    const task = new FixedRateTask(this, this.#clock, callback, periodMs, options);
    this.add(task);
    return task;
  }

  /** As `scheduleAtFixedRate`, with `delayMs` (>= 0) between the end of a run and the next. @throws as that. */
  scheduleWithFixedDelay(callback: () => void, delayMs: number, options?: FixedDelayOptions): TimerTask {
    const task = new FixedDelayTask(this, callback, delayMs, options);
    this.add(task);
    return task;
  }

  remove(task: TimerTask): boolean {
    const slot = task?.$slot;
    if (slot === undefined) throw invalidArgType('task', 'an instance of TimerTask', task);
    if (!this.#wheels.holds(task, slot)) return false;
    const keptBy = task.$keeper;
    if (keptBy !== this) {
      if (keptBy !== undefined) return keptBy.remove(task);
    } else {
      task.$keeper = undefined;
    }
    this.#wheels.release(task, slot);
    this.settle();
    return true;
  }

  /** The short way out for keepers: see the timer protocol. */
  release(task: TimerTask, slot: number): void {
    this.#wheels.release(task, slot);
  }

  /** To be called after `release`: see the timer protocol. */
  settle(): void {
    if (this.#isRunning) return;
    if (this.#wheels.size === 0) this.#rest();
    else this.#wheels.shrink();
  }

  advanceClock(): number {
    if (this.#isRunning || this.#isClosed) return 0;
    const nowMs = this.#now();
    return this.#wheels.hasDue(tickAt(nowMs, this.#tickMs)) ? this.#advance(nowMs, undefined) : 0;
  }

  close(): TimerTask[] {
    if (this.#isClosed) return [];
    this.#isClosed = true;
    const neverRan: TimerTask[] = [];
    for (const task of this.#wheels.takeAll()) {
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
    return this.#now();
  }

  /** What `now()` said last, in ms; every `add` reads the clock, and so does the reaper. */
  get lastReadingMs(): number {
    return this.#nowMs;
  }

  /**
   * What is pending and how the timer is doing, as plain JSON; changes nothing. O(wheels x wheelSize): what is pending adds
   * a bounded number of steps, as `maxPerBucket` tells.
   */
  snapshot(): TimerSnapshot {
    return timerSnapshot(this, this.#tickMs, this.#wheels, this.#meter);
  }

  #now(): number {
    const nowMs = this.#clock.now();
    if (nowMs > this.#nowMs) this.#nowMs = nowMs;
    return this.#nowMs;
  }

  /** Files a task that is in no timer, or anew one that is held here in `slot`. */
  #file(task: TimerTask, delayMs: number, slot: number, keeper: TaskKeeper): void {
    if (this.#isClosed) throw timerClosed();
    const wheels = this.#wheels;
    if (slot === NOT_HELD && wheels.size >= this.#maxPending) throw timerFull(this.#maxPending);
    const nowMs = this.#now();
    const nowTick = tickAt(nowMs, this.#tickMs);
    const tick = delayMs === 0 ? nowTick : tickFrom(nowMs + delayMs, this.#tickMs);
    if (nowTick > wheels.cursor) wheels.catchUp(nowTick);
    if (slot !== NOT_HELD) wheels.release(task, slot);
    const lookAt = wheels.add(task, tick);
    task.$keeper = keeper;
    if (lookAt < this.#armedTick) this.#lookAt(lookAt);
  }

  #wake(): void {
    this.#armedTick = Number.POSITIVE_INFINITY;
    if (this.#isRunning || this.#isClosed) return;
    const nowMs = this.#now();
    this.#slice.begin(nowMs);
    this.#advance(nowMs, this.#slice);
  }

  /** Runs what is due at `nowMs`, until `slice`, if there is one, is spent; returns how many ran. */
  #advance(nowMs: number, slice: Slice | undefined): number {
    const wheels = this.#wheels;
    this.#isRunning = true;
    let ran = 0;
    // A pass that the last slice left open ends first: what its tasks add without delay must wait for the next.
    if (wheels.isPassOpen) ran = this.#runPass(slice);
    if (!wheels.isPassOpen) {
      wheels.openPass(tickAt(nowMs, this.#tickMs));
      ran += this.#runPass(slice);
    }
    this.#isRunning = false;
    if (slice !== undefined && wheels.isPassOpen) this.#meter.didYield(ran, wheels.size);
    this.#endPass();
    return ran;
  }

  #runPass(slice: Slice | undefined): number {
    const wheels = this.#wheels;
    let ran = 0;
    do {
      const task = wheels.take();
      if (task !== undefined) {
        this.#meter.willRun(task, this.#nowMs - wheels.takenTick * this.#tickMs);
        this.#run(task);
        ran++;
      } else if (!wheels.isPassOpen) {
        break;
      }
    } while (!slice?.isSpent());
    return ran;
  }

  #run(task: TimerTask): void {
    if (task.$keeper === this) task.$keeper = undefined;
    try {
      task.run();
    } catch (error) {
      this.#meter.threw(error, task);
      reportError(error, task, this.#onError);
    }
  }

  /** After a pass: gives memory back, and sends the reaper to what is next. */
  #endPass(): void {
    const wheels = this.#wheels;
    if (wheels.size === 0) {
      this.#rest();
      return;
    }
    // Not between two slices: to move what is about to run would block the loop for nothing.
    if (!wheels.isPassOpen) wheels.shrink();
    const tick = wheels.nextTick();
    if (tick < this.#armedTick) this.#lookAt(tick);
  }

  /** With nothing pending there is nothing to wake up for. */
  #rest(): void {
    this.#wheels.rest();
    if (!this.#hasReaper) return;
    this.#armedTick = Number.POSITIVE_INFINITY;
    this.#reaper.disarm();
  }

  /** Sends the reaper to `tick`; a pass under way does so at its end. */
  #lookAt(tick: number): void {
    if (this.#isRunning) return;
    this.#armedTick = tick;
    this.#reaper.arm(tick * this.#tickMs);
  }

  /** Throws unless the timer is sound. For tests. */
  static check(timer: SystemTimer): void {
    const wheels = timer.#wheels;
    wheels.check();
    if (!timer.#hasReaper || timer.#isRunning) return;
    mustHold(timer.#armedTick <= wheels.nextTick(), 'there is something to do before the reaper wakes');
    mustHold(wheels.size > 0 || timer.#armedTick === Number.POSITIVE_INFINITY, 'armed with nothing pending');
  }
}

/** Throws unless the invariants of the timer's structures hold. For tests: O(tasks + buckets). */
export function checkTimerInvariants(timer: SystemTimer): void {
  SystemTimer.check(timer);
}
