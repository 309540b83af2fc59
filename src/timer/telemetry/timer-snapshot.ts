// A picture of a timer at one moment, as plain JSON. The wheels bound its size, and MAX_STEPS its
// cost.
//
// Ground rules. It changes nothing that a user can see. (Empty buckets leave the head of the
// DelayQueue, as for `nextExpirationMs`.) It reads the clock once. To count a bucket, it goes
// through the bucket's list. So it counts up to a limit, which is lower when more buckets are
// queued.

import type { DrivenTimer } from '../driven-timer.ts';
import type { PendingTasks } from '../pending-tasks.ts';
import { tickAt } from '../tick.ts';
import type { TimingWheels } from '../wheels/timing-wheels.ts';
import type { TimerMeter } from './timer-meter.ts';
import type { TimerSnapshot } from './timer-state.ts';

/** About how many steps the counting may take: some hundred microseconds with cold caches. */
const MAX_STEPS = 32_768;
/** The lowest limit of a count. */
const MIN_PER_BUCKET = 16;

export function timerSnapshot(
  timer: DrivenTimer,
  tickMs: number,
  tasks: PendingTasks<TimingWheels>,
  meter: TimerMeter,
): TimerSnapshot {
  const nowMs = timer.now();
  const tick = tickAt(nowMs, tickMs);
  const nextExpirationMs = timer.nextExpirationMs ?? null; // makes the head one that has tasks
  const wheels = tasks.scheme;
  const { lowest } = wheels;
  const { head, size } = wheels.queue;
  const maxPerBucket = Math.max(MIN_PER_BUCKET, Math.floor(MAX_STEPS / Math.max(size, 1)));
  return {
    tickMs,
    wheelSize: lowest.buckets.length,
    nowMs,
    pending: tasks.size,
    nextExpirationMs,
    isRef: timer.hasRef(),
    levels: Array.from(lowest.levels(), (wheel) => ({
      tickMs: wheel.span * tickMs,
      position: wheel.indexAt(tick),
      buckets: wheel.buckets.map((bucket) => wheels.count(bucket, maxPerBucket)),
    })),
    maxPerBucket,
    delayQueue: {
      size,
      head:
        head === undefined
          ? null
          : {
              level: head.wheel.level,
              bucket: head.index,
              expirationMs: head.expiration * tickMs,
              tasks: wheels.count(head, maxPerBucket),
            },
    },
    lateness: meter.lateness.snapshot(),
    totals: { ran: meter.lateness.count, ...meter.counts },
  };
}
