// What holds in a timer between any two calls: its tasks are where they say, and it wakes in time.
import { SystemClock } from '../../../src/clock/system-clock.ts';
import type { Slab } from '../../../src/slab/slab.ts';
import type { PendingTasks } from '../../../src/timer/pending-tasks.ts';
import type { Timer } from '../../../src/timer/timer.ts';
import type { TimerTask } from '../../../src/timer/timer-task.ts';
import { WheelScheme } from '../../../src/timer/wheels/wheel-scheme.ts';
import type { TickingScheme } from '../../../src/waits/schemes/scheme.ts';
import { mustHold } from './must-hold.ts';
import { checkTickingScheme, type Looked } from './schemes.ts';
import { ringOf } from './slab.ts';

/** Throws unless the invariants of the timer's structures hold. O(tasks + buckets). */
export function checkTimerInvariants(timer: Timer): void {
  const { tasks, wakeUpTick, isRunning } = timer.$internals;
  const lookTick = checkTasks(tasks);
  if (isRunning || wakeUpTick === undefined) return;
  mustHold(wakeUpTick <= lookTick, `wakes at ${wakeUpTick}, though ${lookTick} is due`);
  const isIdle = tasks.size === 0;
  const canRest = timer.clock instanceof SystemClock;
  mustHold(
    !isIdle || canRest || wakeUpTick === Number.POSITIVE_INFINITY,
    'holds a wake-up with nothing pending',
  );
}

/** Returns the tick by which the timer must look. */
export function checkTasks(tasks: PendingTasks): number {
  const { slab, scheme, size } = tasks;
  mustHold(scheme.cursor <= tasks.horizon, 'the cursor is ahead of the horizon');
  const { lookTick, lists } =
    scheme instanceof WheelScheme ? checkWheels(scheme, slab) : checkTickingScheme(scheme as TickingScheme);
  const slots = [...ringOf(slab, tasks.due), ...ringOf(slab, tasks.nextDue)];
  scheme.forEach((slot) => void slots.push(slot));
  for (const slot of slots) mustHold(slab.value(slot)?.$slot === slot, 'a task does not know its slot');
  mustHold(new Set(slots).size === slots.length, 'a task is linked twice');
  mustHold(slots.length === size, `${slots.length} tasks are held, size says ${size}`);
  mustHold(slab.inUse === size + lists + 2, 'cells have leaked');
  return tasks.isPassOpen || !slab.isEmpty(tasks.nextDue) ? scheme.cursor : lookTick;
}

function checkWheels({ lowest, queue, cursor }: WheelScheme, slab: Slab<TimerTask>): Looked {
  const queued = new Set(queue.toArray());
  mustHold(queued.size === queue.size, 'a bucket is queued twice');
  let lookTick = Number.POSITIVE_INFINITY;
  let lists = 0;
  for (const wheel of lowest.levels()) {
    for (const bucket of wheel.buckets) {
      if (bucket === undefined) continue;
      const { expiration, isQueued } = bucket;
      const slots = ringOf(slab, bucket.list);
      mustHold(queued.has(bucket) === isQueued, 'a bucket disagrees with the queue');
      mustHold(slots.length === 0 || isQueued, 'a bucket with tasks is not queued');
      mustHold(!isQueued || expiration > cursor, 'the cursor has passed a queued bucket');
      mustHold(!isQueued || expiration >= queue.headExpiration, 'the head is not the earliest');
      for (const slot of slots) {
        mustHold(wheel.startOf(slab.tick(slot)) === expiration, 'a task is misfiled');
      }
      if (slots.length > 0) lookTick = Math.min(lookTick, expiration);
      lists++;
    }
  }
  return { lookTick, lists };
}
