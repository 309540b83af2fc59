// The pending tasks of one timer, in the order of their ticks: what a timer asks of the structure
// that keeps them.
//
// Ground rules. The structure owns `task.$slot` of its tasks. It knows no milliseconds, reads no
// clock and runs no task: ticks come as arguments, and only its timer calls it. A pass takes what
// is due up to a tick, task by task. The timer can leave a pass and go on with it later. A task
// that is added during a pass, for a tick that is not ahead, waits for the next pass. Any call may
// change the slot of any task.
import type { TimerTask } from './timer-task.ts';

export interface PendingTasks {
  readonly size: number;
  /** The present tick of the structure. */
  readonly cursor: number;
  /** Whether it has `task`, whose slot is `slot`. */
  holds(task: TimerTask, slot: number): boolean;
  /** Adds a task that is in no timer. */
  add(task: TimerTask, tick: number): void;
  /** Takes out a task that it has, in `slot`. */
  release(task: TimerTask, slot: number): void;
  /** Moves the cursor towards `tick`, as far as nothing has to run. */
  catchUp(tick: number): void;
  /** Whether a pass up to `tick` may find anything to do. */
  hasDue(tick: number): boolean;
  /** True from `openPass` until there is nothing left to take. */
  readonly isPassOpen: boolean;
  /** Begins a pass over all tasks up to `tick`. No other may be open. */
  openPass(tick: number): void;
  /**
   * Takes out the next task of the pass. Undefined at the end of the pass, and also, with
   * `isPassOpen` true, after a long step without a task: then the timer looks whether its slice is
   * spent.
   */
  take(): TimerTask | undefined;
  /** When to look for a task that was added for `tick`, if it is the first: at `tick` or before. */
  lookFor(tick: number): number;
  /** The tick at which to look next: no task is due before it. Infinity when none is pending. */
  nextTick(): number;
  /**
   * The tick of the first task; some schemes only know `nextTick`. Infinity when none is pending.
   * O(tasks of a bucket).
   */
  firstTick(): number;
  /** Takes out every task, in order. */
  takeAll(): TimerTask[];
  /** Whether there is memory for `shrink` to give back. */
  readonly isSparse: boolean;
  /**
   * Gives memory back after a burst, but not while a pass is open: the tasks that would be moved
   * are about to run. With no task pending, it ends an open pass. It may change every slot, and
   * moves about `visits` tasks, the rest in later steps. O(1), amortised.
   */
  shrink(visits: number): void;
  /** Throws unless it is sound. Returns the tick by which the timer must look. For tests. */
  check(): number;
}

/** Is called for what a timer runs. */
export interface PassObserver {
  /** `task` is about to run. It is not pending any more. `nowMs`: the last reading of the clock. */
  willRun(task: TimerTask, nowMs: number): void;
  threw(error: unknown, task: TimerTask): void;
  /** The reaper yields after `ran` tasks, with `pending` left, some of them due. */
  didYield(ran: number, pending: number): void;
}
