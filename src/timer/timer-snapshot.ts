// What the snapshot of a timer says.
import type { DurationSnapshot } from '../base/duration-histogram.ts';

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
  delayQueue: {
    /**
     * How many buckets are queued. A bucket that has lost its tasks stays queued until it is the
     * head.
     */
    size: number;
    /** The bucket that expires first. */
    head: { level: number; bucket: number; expirationMs: number } | null;
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
}
