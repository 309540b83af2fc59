// An event on a key: a pass over the operations that watch it.
//
// Ground rules. Each operation that watched when the pass began, and still does when its turn comes, is tried once, in
// park order. A try is user code and may change anything: the lists move the pass along when somebody leaves
// (watch-lists.ts). What a try throws is reported, and the pass goes on.
//
// Costs. O(operations that watch the key): `npm run bench -- scan`.
import type { Parking } from './parking.ts';
import type { Watchers } from './watchers.ts';

/** Tries all that watch `key`; how many that completed. */
export function tryWatchers<K>(parking: Parking<K, Watchers<K>>, key: K): number {
  const { lists, meter } = parking;
  const head = lists.headOf(key);
  if (head === undefined) return 0;
  const only = lists.loneWatcher(head);
  if (only !== undefined) {
    if (meter.tellsTries) meter.willTry(only, key);
    return parking.tries(only) ? 1 : 0;
  }
  const { tellsTries } = meter;
  const outer = parking.beginBulk();
  const pass = lists.beginPass(head);
  let completed = 0;
  try {
    while (pass.next >= 0) {
      const operation = lists.step(pass);
      if (tellsTries) meter.willTry(operation, key);
      if (parking.tries(operation)) completed++;
    }
  } finally {
    lists.endPass(pass);
    parking.endBulk(outer);
  }
  return completed;
}
