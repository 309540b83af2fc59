// The interface of every timer, and what its snapshot says. A timer from outside the library can
// have it too (timer-protocol.ts).
import type { DurationSnapshot } from '../base/duration-histogram.ts';
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
   * Whether a pending task keeps the process alive: after `ref` it does, after `unref` it does not.
   * Optional: the timers of this library have both.
   */
  ref?(): unknown;
  unref?(): unknown;
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

/** A {@link SystemTimer} at one moment. Times are in ms by the timer's clock. */
export interface TimerSnapshot {
  tickMs: number;
  /** Buckets per wheel: the option, rounded up to a power of two. */
  wheelSize: number;
  nowMs: number;
  /** Tasks pending. */
  pending: number;
  /** When the reaper looks next; null when nothing is pending. */
  nextExpirationMs: number | null;
  /** Whether pending tasks keep the process alive. */
  isRef: boolean;
  /** The wheels made so far, the finest first. */
  levels: LevelSnapshot[];
  /** The limit of the count of a bucket: a count of this means this or more. */
  maxPerBucket: number;
  delayQueue: {
    /**
     * How many buckets are queued. A bucket that has lost its tasks stays queued until it is the
     * head.
     */
    size: number;
    /** The bucket that expires first. A large one that is expiring has the tasks that are left. */
    head: { level: number; bucket: number; expirationMs: number; tasks: number } | null;
  };
  /** How long after the tick of its deadline each task ran. */
  lateness: DurationSnapshot;
  /** Counted since the timer was made. */
  totals: {
    /** Tasks that ran, those that threw included. */
    ran: number;
    /** Tasks that threw. (A purgatory counts its own operations.) */
    failed: number;
    /** How often a task moved to a finer wheel. */
    cascaded: number;
    /** How often the reaper yielded to the event loop with more to run. */
    slices: number;
  };
}

/** One wheel. */
export interface LevelSnapshot {
  /** The span of a bucket, in ms. */
  tickMs: number;
  /** The bucket of the present time. */
  position: number;
  /** The tasks of each bucket, counted up to `maxPerBucket`. */
  buckets: number[];
}
