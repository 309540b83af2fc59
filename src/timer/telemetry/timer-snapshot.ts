// A picture of a timer at one moment, as plain JSON. The wheels bound its size, and MAX_STEPS its
// cost.
//
// Ground rules. It changes nothing that a user can see. (Empty buckets leave the head of the
// DelayQueue, as for `nextExpirationMs`.) It reads the clock once. To count a bucket, it goes
// through the bucket's list. So it counts up to a limit, which is lower when more buckets are
// queued.

import type { DurationSnapshot } from '../../duration-histogram.ts';
import { NONE, type Slot } from '../../slab/slab.ts';
import type { DrivenTimer } from '../driven-timer.ts';
import { tickAt } from '../tick.ts';
import type { WheelTasks } from '../wheels/wheel-tasks.ts';
import type { TimerMeter } from './timer-meter.ts';

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

/** About how many steps the counting may take: some hundred microseconds with cold caches. */
const MAX_STEPS = 32_768;
/** The lowest limit of a count. */
const MIN_PER_BUCKET = 16;

export function timerSnapshot(
  timer: DrivenTimer,
  tickMs: number,
  tasks: WheelTasks,
  meter: TimerMeter,
): TimerSnapshot {
  const nowMs = timer.now();
  const tick = tickAt(nowMs, tickMs);
  const nextExpirationMs = timer.nextExpirationMs ?? null; // makes the head one that has tasks
  const wheels = tasks.wheels;
  const { lowest } = wheels;
  const { head, size } = wheels.queue;
  const maxPerBucket = Math.max(MIN_PER_BUCKET, Math.floor(MAX_STEPS / Math.max(size, 1)));
  return {
    tickMs,
    wheelSize: lowest.lists.length,
    nowMs,
    pending: tasks.size,
    nextExpirationMs,
    isRef: timer.hasRef(),
    levels: Array.from(lowest.levels(), (wheel) => ({
      tickMs: wheel.span * tickMs,
      position: wheel.indexAt(tick),
      buckets: Array.from(wheel.lists, (list) =>
        list === NONE ? 0 : wheels.count(list as Slot, maxPerBucket),
      ),
    })),
    maxPerBucket,
    delayQueue: {
      size,
      head: head && {
        level: lowest.levelOf(head),
        bucket: head.index,
        expirationMs: head.expiration * tickMs,
        tasks: wheels.count(head.list, maxPerBucket),
      },
    },
    lateness: meter.lateness.snapshot(),
    totals: {
      ran: meter.lateness.count,
      failed: meter.failed,
      cascaded: meter.cascaded,
      slices: meter.slices,
    },
  };
}
