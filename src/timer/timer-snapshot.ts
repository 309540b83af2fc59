// What a timer tells of itself at one moment: plain JSON, whose size the wheels bound and whose cost MAX_STEPS bounds.
//
// Ground rules. It reads and changes nothing that shows: tasks that are young are filed, and empty buckets leave the head of the DelayQueue,
// as with `nextExpirationMs`. It takes one clock reading. Counting a bucket means walking its list, so a bucket is counted up to a
// limit, which is the lower, the more buckets are queued.

import type { DurationSnapshot } from '../duration-histogram.ts';
import { NONE, type Slot } from '../slab/slab.ts';
import type { DrivenTimer } from './driven-timer.ts';
import { tickAt } from './tick.ts';
import type { TimerMeter } from './timer-meter.ts';
import type { WheelTasks } from './wheel-tasks.ts';

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
  /** Where the counting of a bucket ends: a count of this much means that much or more. */
  maxPerBucket: number;
  delayQueue: {
    /** Buckets queued. One that has lost its tasks stays queued until it is the earliest. */
    size: number;
    /** The bucket that expires first; of one that has expired and still holds tasks, those that are left. */
    head: { level: number; bucket: number; expirationMs: number; tasks: number } | null;
  };
  /** How long after the tick of its deadline each task ran, since the timer was made. */
  lateness: DurationSnapshot;
  /** Counted since the timer was made. */
  totals: {
    /** Tasks that ran, those that threw included. */
    ran: number;
    /** Tasks that threw; parked operations are their purgatory's to count. */
    failed: number;
    /** Tasks re-added to a finer wheel, each time counted. */
    cascaded: number;
    /** How often the reaper yielded to the event loop with more to run. */
    slices: number;
  };
}

/** One wheel. */
export interface LevelSnapshot {
  /** What a bucket spans. */
  tickMs: number;
  /** The bucket that stands for the present time. */
  position: number;
  /** Tasks per bucket, each counted up to `maxPerBucket`. */
  buckets: number[];
}

/** Steps that counting may take in all, about: a few hundred microseconds with cold caches. */
const MAX_STEPS = 32_768;
/** The least limit of a count, whatever is queued. */
const MIN_PER_BUCKET = 16;

export function timerSnapshot(
  timer: DrivenTimer,
  tickMs: number,
  tasks: WheelTasks,
  meter: TimerMeter,
): TimerSnapshot {
  const nowMs = timer.now();
  const tick = tickAt(nowMs, tickMs);
  const nextExpirationMs = timer.nextExpirationMs ?? null; // leaves a head that has tasks
  const wheels = tasks.filed();
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
