// What must hold between the keys, the watch lists and the parked operations of a Watchers, however they came to be as they are.
import { mustHold } from '../must-hold.ts';
import { belowNone, NONE, type Slab, type Slot } from '../slab/slab.ts';
import type { DelayedOperation } from './delayed-operation.ts';
import type { WatchKeys } from './watch-keys.ts';
import type { WatchLists } from './watch-lists.ts';

/** Throws unless they agree, and `pairs` is how many pairs of an operation and a key there are. For tests: O(pairs). */
export function checkWatchers<K, Op extends DelayedOperation>(
  keys: WatchKeys<K>,
  lists: WatchLists<Op>,
  parked: Slab<Op>,
  all: Slot,
  pairs: number,
): void {
  keys.check();
  const watched = checkKeys(keys, lists, parked);
  const slots = parked.check(all);
  mustHold(
    slots.length === parked.inUse - 1,
    `${slots.length} operations are linked, ${parked.inUse - 1} in use`,
  );
  let linked = 0;
  for (const slot of slots) {
    mustHold(parked.value(slot)?.$place === slot, 'an operation does not know its place');
    const first = parked.a(slot);
    let watches = first < NONE ? 1 : 0;
    for (let watch = first; watch >= 0; watch = lists.b(watch as Slot)) watches++;
    mustHold(watches !== 0, 'an operation watches nothing');
    mustHold(watches === watched.get(slot), 'an operation and the lists disagree');
    linked += watches;
  }
  mustHold(linked === pairs, `${linked} pairs are linked, ${pairs} are counted`);
}

/** Checks the list of each key, or its lone watcher; returns how many keys each place watches. */
function checkKeys<K, Op extends DelayedOperation>(
  keys: WatchKeys<K>,
  lists: WatchLists<Op>,
  parked: Slab<Op>,
): Map<Slot, number> {
  const watched = new Map<Slot, number>();
  let linked = 0;
  let rosters = 0;
  keys.forEach((id, head) => {
    const isLone = head < NONE;
    const places = isLone ? [belowNone(head) as Slot] : lists.placesOn(head as Slot);
    const knows = isLone ? belowNone(parked.a(places[0])) : lists.a(head as Slot);
    mustHold(knows === id, `the watchers of key ${id} do not know it`);
    mustHold(new Set(places).size === places.length, `an operation watches key ${id} twice`);
    for (const place of places) watched.set(place, (watched.get(place) ?? 0) + 1);
    if (isLone) return;
    linked++;
    if (lists.hasRoster(head as Slot)) rosters++;
  });
  mustHold(linked === lists.lists, `${linked} keys have a list, ${lists.lists} are counted`);
  mustHold(rosters === lists.rosters, `${rosters} lists have a roster, ${lists.rosters} are counted`);
  return watched;
}
