// An event on a key: a pass over the operations that watch it.
//
// Ground rules. Each operation that watched when the pass began, and still does when its turn
// comes, is tried once, in park order. A try is user code and may change anything: the lists move
// the pass along when somebody leaves (watch-lists.ts). What a try throws is reported, and the pass
// goes on. A try may cause further events, within limits (nested-tries.ts).
//
// Costs. O(operations that watch the key): `npm run bench -- scan`.
import type { DelayedOperation } from './delayed-operation.ts';
import { MAX_DEPTH } from './nested-tries.ts';
import type { Parking } from './parking.ts';
import type { Watchers } from './watchers.ts';

type KeyParking<K> = Parking<K, Watchers<K>>;

/** Tries all that watch `key`; how many that completed. */
export function tryWatchers<K>(parking: KeyParking<K>, key: K): number {
  const { lists, meter, nested } = parking;
  const head = lists.headOf(key);
  if (head === undefined || nested.isUnwinding) return 0;
  const only = lists.loneWatcher(head);
  const { tellsTries } = meter;
  const outer = parking.bulks.begin();
  let completed = 0;
  if (only !== undefined) {
    try {
      if (tellsTries) meter.willTry(only, key);
      if (tryFor(parking, only, outer)) completed++;
    } finally {
      endEvent(parking, outer);
    }
    return completed;
  }
  const pass = lists.beginPass(head);
  try {
    while (pass.next >= 0) {
      const operation = lists.step(pass);
      if (tellsTries) meter.willTry(operation, key);
      if (tryFor(parking, operation, outer)) completed++;
    }
  } finally {
    lists.endPass(pass);
    endEvent(parking, outer);
  }
  return completed;
}

/** Tries an operation for an event inside `depth` others. */
function tryFor<K>(parking: KeyParking<K>, operation: DelayedOperation, depth: number): boolean {
  if (depth < MAX_DEPTH) return parking.tries(operation);
  const { nested, lists } = parking;
  if (nested.isUnderWay(operation)) {
    lists.endInnerPasses();
    nested.refuse(operation);
  }
  const tries = nested.begin(operation);
  try {
    return parking.tries(operation);
  } finally {
    nested.end(tries);
  }
}

function endEvent<K>(parking: KeyParking<K>, outer: number): void {
  if (outer <= 1) parking.nested.isUnwinding = false;
  parking.bulks.end(outer);
}
