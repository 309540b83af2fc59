// The face that every timer of the library has, and that a timer from outside can have too (see timer-protocol.ts).
import type { TimerTask } from './timer-task.ts';

/** Runs tasks once their delay has passed. Never early by its clock, late by at most one tick plus the host's lateness. */
export interface Timer {
  /**
   * START_TIMER: `task` will run `task.delayMs` from now, never inside this call. A task pending here already is moved.
   *
   * @throws TypeError, RangeError (Node's codes) for what is no task, or a delay that is not finite.
   * @throws PurgatoryError ERR_PURGATORY_CLOSED, ERR_PURGATORY_FULL, ERR_PURGATORY_ALREADY_PENDING (in another timer).
   */
  add(task: TimerTask): void;
  /** STOP_TIMER: takes `task` out. True iff it was pending here. */
  remove(task: TimerTask): boolean;
  /**
   * Runs all that is due now, in order of the tick of the deadline, then of `add`; returns how many ran, one that threw
   * included. Called from inside a task it does nothing and returns 0: the pass under way gets to all that is due.
   */
  advanceClock(): number;
  /** How many tasks are pending. */
  readonly size: number;
  /** The time by the timer's clock in ms, never less than before. Optional: for a timer without it, a purgatory tells ages by the system's. */
  now?(): number;
  /** What `now()` would have said when the clock was last read, in `add` at the latest. Optional, as `now`. */
  readonly lastReadingMs?: number;
  /** Ends the timer for good; returns the tasks that never ran, by deadline. A second call returns []. */
  close(): TimerTask[];
}
