// What a timer drives: the pending tasks of one timer in the order of their ticks, however they are
// kept.
//
// Ground rules. They own `task.$slot` of the tasks they hold. They know no milliseconds, read no
// clock and run no task: ticks come as arguments, from their timer alone. A pass takes what is due
// up to a tick, task by task, and can be left and gone on with later; what is filed while a pass is
// open for a tick that is not ahead waits for the next pass. Whatever is called, the slot of any
// task that is held may be another afterwards.
import type { TimerTask } from './timer-task.ts';

/**
 * What `add` returns when the timer looks early enough for the task if it looks at `nextTick`.
 * Below Infinity, so that a timer that is armed for nothing at all (its clock has refused) arms
 * again.
 */
export const NO_EARLIER_LOOK: number = Number.MAX_VALUE;

export interface PendingTasks {
  readonly size: number;
  /** The tick that they stand at. */
  readonly cursor: number;
  /** Whether `task`, which says that it is in `slot`, is held here. */
  holds(task: TimerTask, slot: number): boolean;
  /**
   * Adds a task that is in no timer. Returns the tick at which the timer must look for it, or
   * NO_EARLIER_LOOK.
   */
  add(task: TimerTask, tick: number): number;
  /** Takes out a task that is held here, in `slot`. */
  release(task: TimerTask, slot: number): void;
  /**
   * Moves on to `tick`, which is ahead of the cursor, as far as that can be done without running
   * anything.
   */
  catchUp(tick: number): void;
  /** Whether a pass up to `tick` may find anything to do. */
  hasDue(tick: number): boolean;
  /** True from `openPass` until there is nothing left to take. */
  readonly isPassOpen: boolean;
  /** Begins a pass over all up to `tick`; none may be open. */
  openPass(tick: number): void;
  /**
   * Takes out the next task of the pass. Undefined when there is none at hand: then the pass is at
   * its end, or, while `isPassOpen`, it is time to ask whether to go on.
   */
  take(): TimerTask | undefined;
  /** The tick at which to look next: no task is due before; Infinity when none is pending. */
  nextTick(): number;
  /** The tick at which the first task is due, as far as that can be told; Infinity when none is pending. O(tasks of a bucket). */
  firstTick(): number;
  /** Takes out every task, in order. */
  takeAll(): TimerTask[];
  /**
   * Gives memory back after a burst. Called where no slot is held in a local variable. O(1),
   * amortised.
   */
  shrink(): void;
  /** With no task pending: ends a pass that was left open, and gives memory back. */
  rest(): void;
  /**
   * Throws unless they are sound; returns the tick by which somebody must look. For tests: O(tasks
   * + buckets).
   */
  check(): number;
}

/** Who is told what a timer runs. */
export interface PassObserver {
  /**
   * `task`, which is pending no more, is about to run; `nowMs` is the last reading of the clock.
   */
  willRun(task: TimerTask, nowMs: number): void;
  threw(error: unknown, task: TimerTask): void;
  /** The reaper yields after `ran` tasks, with `pending` left, some of them due. */
  didYield(ran: number, pending: number): void;
}
