// The interface of every timer. A timer from outside the library can have it too
// (timer-protocol.ts).
import type { TimerSnapshot } from './telemetry/timer-state.ts';
import type { TimerTask } from './timer-task.ts';

/**
 * Runs tasks when their delay has passed. Never early by its clock, and late by one tick at most,
 * plus the host's own lateness.
 */
export interface Timer {
  /**
   * Starts `task`: it will run `task.delayMs` from now, never inside this call. A task that is
   * pending here already is moved.
   *
   * @throws TypeError, RangeError (Node's codes) for an object that is not a task, or a delay that
   * is not finite.
   * @throws PurgatoryError ERR_PURGATORY_CLOSED, ERR_PURGATORY_FULL, ERR_PURGATORY_ALREADY_PENDING
   * (in another timer).
   */
  add(task: TimerTask): void;
  /** Stops `task`: takes it out. True iff it was pending here. */
  remove(task: TimerTask): boolean;
  /**
   * Runs the tasks that are due now, in the order of the tick of their deadline, then of `add`.
   * Returns how many ran, those that threw included. A call from inside a task does nothing and
   * returns 0: the pass under way runs all that is due.
   */
  advanceClock(): number;
  /** How many tasks are pending. */
  readonly size: number;
  /**
   * The time by the timer's clock in ms, never less than before. Optional: without it, a purgatory
   * measures ages by the system's clock.
   */
  now?(): number;
  /** The last reading of the clock, in ms. Each `add` reads it. Optional, as `now`. */
  readonly lastReadingMs?: number | undefined;
  /**
   * How the timer is doing, as plain JSON, for metrics, the inspector and people. Optional: a
   * SystemTimer and the timers of `purgatory/schemes` have it.
   */
  snapshot?(): TimerSnapshot;
  /**
   * Ends the timer for good. Returns the tasks that never ran, by deadline. A second call returns
   * [].
   */
  close(): TimerTask[];
}
