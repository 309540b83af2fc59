// The invariants of the timing wheels, for tests.
import { mustHold } from '../must-hold.ts';
import type { Slab, Slot } from '../slab/slab.ts';
import type { DelayQueue } from './delay-queue.ts';
import type { TimerTask } from './timer-task.ts';
import type { TimerTaskList } from './timer-task-list.ts';
import type { TimingWheel } from './timing-wheel.ts';

/** What TimingWheels has. */
interface Parts {
  readonly slab: Slab<TimerTask>;
  readonly buckets: readonly TimerTaskList[];
  readonly lowest: TimingWheel;
  readonly queue: DelayQueue;
  readonly cursor: number;
  /** The lists that are not of a bucket. */
  readonly others: readonly Slot[];
  isQueued(bucket: TimerTaskList): boolean;
}

/** Throws unless the lists are sound. Returns how many tasks are in them. O(tasks + buckets). */
export function checkTimingWheels(parts: Parts): number {
  const { slab, buckets, lowest, queue, cursor, others } = parts;
  const queued = new Set(queue.toArray());
  mustHold(queued.size === queue.size, 'a bucket is queued twice');
  const found = others.flatMap((list) => slab.check(list));
  const wheels = [...lowest.levels()];
  for (const bucket of buckets) {
    const isQueued = queued.has(bucket);
    const { lists } = wheels[lowest.levelOf(bucket)];
    mustHold(lists[bucket.index] === bucket.list, 'a wheel does not know the list of its bucket');
    const members = slab.check(bucket.list);
    mustHold(parts.isQueued(bucket) === isQueued, 'a sentinel disagrees with the queue');
    mustHold(members.length === 0 || isQueued, 'a bucket with tasks is not queued');
    if (isQueued) {
      mustHold(bucket.expiration > cursor, 'the cursor has passed a queued bucket');
      mustHold(bucket.expiration >= queue.headExpiration, 'the head is not the earliest');
    }
    for (const slot of members) {
      const start = bucket.startOf(slab.b(slot), slab.a(slot));
      mustHold(start === bucket.expiration, 'a task is misfiled');
    }
    found.push(...members);
  }
  for (const slot of found) {
    const task = slab.value(slot);
    mustHold(task?.$slot === slot || Object.isFrozen(task), 'a task does not know its slot');
  }
  mustHold(slab.inUse === found.length + buckets.length + others.length, 'cells have leaked');
  return found.length;
}
