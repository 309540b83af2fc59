// An event on a key: a pass over the operations that watch it.
//
// Ground rules. Each operation that watched when the pass began, and still does when its turn comes, is tried once, in the order of parking.
// A try is user code and may change anything: a pass over a linked list is told of who leaves (watch-lists.ts), one over a roster
// meets holes (rosters.ts). What a try throws is reported, and the pass goes on.
//
// Costs. O(operations that watch the key): `npm run bench -- scan`.
import type { DelayedOperation } from './delayed-operation.ts';
import type { Parking } from './parking.ts';
import type { Page } from './rosters.ts';
import type { Watchers } from './watchers.ts';

type KeyParking<K> = Parking<K, Watchers<K, DelayedOperation>>;

/** Tries all that watch `key`; how many that completed. */
export function tryWatchers<K>(parking: KeyParking<K>, key: K): number {
  const { watchers, meter } = parking;
  const head = watchers.headOf(key);
  if (head === undefined) return 0;
  const only = watchers.loneWatcher(head);
  if (only !== undefined) {
    if (meter.tellsTries) meter.willTry(only, key);
    return parking.tries(only) ? 1 : 0;
  }
  const pages = watchers.pagesToTry(head);
  return pages === undefined ? tryList(parking, head, key) : tryPages(parking, pages, key);
}

function tryList<K>(parking: KeyParking<K>, head: number, key: K): number {
  const { watchers, meter } = parking;
  const { tellsTries } = meter;
  const pass = watchers.beginPass(head);
  const outer = parking.beginPass();
  let completed = 0;
  let inVain = 0;
  try {
    while (pass.next >= 0) {
      const operation = watchers.step(pass);
      if (tellsTries) meter.willTry(operation, key);
      if (parking.tries(operation)) completed++;
      else inVain++;
    }
  } finally {
    watchers.endPass(pass);
    parking.endPass(outer);
  }
  if (outer === 0) watchers.didPass(key, inVain);
  return completed;
}

function tryPages<K>(parking: KeyParking<K>, pages: readonly Page<DelayedOperation>[], key: K): number {
  const last = pages.length - 1;
  const lastEnd = pages[last].operations.length;
  const outer = parking.beginPass();
  let completed = 0;
  try {
    for (let i = 0; i < last; i++) completed += tryPage(parking, pages[i], pages[i].operations.length, key);
    completed += tryPage(parking, pages[last], lastEnd, key);
  } finally {
    parking.endPass(outer);
  }
  return completed;
}

function tryPage<K>(parking: KeyParking<K>, page: Page<DelayedOperation>, end: number, key: K): number {
  const { meter } = parking;
  const { tellsTries } = meter;
  const { operations } = page;
  let completed = 0;
  let operation: DelayedOperation | undefined;
  for (let index = page.first; index < end; index++) {
    // Around the loop, where each step through `parking.tries` would pay for it.
    try {
      for (; index < end; index++) {
        operation = operations[index];
        if (operation === undefined) continue;
        if (tellsTries) meter.willTry(operation, key);
        if (operation.tryComplete()) completed++;
      }
    } catch (error) {
      if (parking.failed(error, operation as DelayedOperation)) completed++;
    }
  }
  return completed;
}
