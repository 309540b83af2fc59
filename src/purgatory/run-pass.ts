// Events on keys: each tries the operations that watch its key.
//
// Invariants. Each operation that watched when the event began, and still does when the pass comes
// to it, is tried once, in park order. A try is user code and may change anything: the lists move
// the pass along when an operation is removed. A lone watcher is tried without a pass.
//
// Costs. O(operations that watch the key): `npm run bench -- scan`.
import type { Job } from '../turns/scheduler.ts';
import { ALL } from './event-limit.ts';
import type { Parking } from './parking.ts';
import { Pass } from './pass.ts';
import { reportedTry } from './tries.ts';
import type { Watchers } from './watchers.ts';

type Watched<K> = Parking<K, Watchers<K>>;

/** Tries all that watch `key`, in the call, until `limit` have completed; how many did. */
export function runPass<K>(parking: Watched<K>, key: K, limit: number): number {
  const { lists } = parking;
  const slot = lists.find(key);
  if (slot === undefined) return 0;
  const only = lists.loneWatcher(slot);
  if (only !== undefined) return parking.tryParked(only, key) ? 1 : 0;
  const pass = new Pass(key, limit);
  lists.begin(pass, slot);
  return walk(parking, pass, ALL, ALL);
}

/** Goes on with a pass, as far as the batch of `job` allows. */
export function runPassPart<K>(parking: Watched<K>, pass: Pass<K>, job: Job): void {
  const before = pass.tried;
  const completed = walk(parking, pass, job.answersLeft, job.left);
  countSteps(parking, job, pass.tried - before, completed);
}

/** Counts steps of a batch of `job`. Tries that have returned a promise go on in microtasks. */
export function countSteps<K>({ meter }: Watched<K>, job: Job, tried: number, completed: number): void {
  job.count(tried, completed);
  if (meter.openTries.size > 0) job.needsMicrotasks = true;
}

/** Tries the next `steps` of `pass` until `most` have completed; how many did. */
function walk<K>(parking: Watched<K>, pass: Pass<K>, most: number, steps: number): number {
  const { lists, meter } = parking;
  const { key } = pass;
  const { hasTryListener } = meter; // asked once: a pass tries many
  let completed = 0;
  let tried = 0;
  lists.nested.push(pass);
  parking.beginEvent(key);
  try {
    while (pass.nextSlot >= 0 && tried < steps) {
      tried++;
      const operation = lists.nextOf(pass);
      if (hasTryListener) meter.willTry(operation, key);
      if (!reportedTry(operation, parking, key)) continue;
      pass.countCompletion();
      if (++completed >= most) break;
    }
    return completed;
  } finally {
    pass.tried += tried;
    lists.nested.pop();
    parking.endEvent();
  }
}
