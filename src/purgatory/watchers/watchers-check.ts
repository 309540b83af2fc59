// What must hold between the keys, the watch lists and the parked operations of a Watchers,
// whatever was done before.
import { mustHold } from '../../base/must-hold.ts';
import { NONE, type Slot } from '../../slab/slab.ts';
import { idOf, isLone, isOwnKey, placeOf } from './lone-watcher.ts';
import type { ParkedOperations } from './parked-operations.ts';
import type { WatchKeys } from './watch-keys.ts';
import type { WatchLists } from './watch-lists.ts';

/**
 * Throws unless they agree, and `pairs` is how many pairs of an operation and a key there are. For
 * tests: O(pairs).
 */
export function checkWatchers<K>(
  keys: WatchKeys<K>,
  lists: WatchLists,
  parked: ParkedOperations,
  pairs: number,
): void {
  keys.check();
  const watched = checkKeys(keys, lists, parked);
  let linked = 0;
  for (const place of parked.check()) {
    const first = parked.first(place);
    let watches = 0;
    if (isOwnKey(first)) watches = 1;
    else for (let watch = first; watch !== NONE; watch = lists.nextOf(watch)) watches++;
    mustHold(watches !== 0, 'an operation watches nothing');
    mustHold(watches === watched.get(place), 'an operation and the lists disagree');
    linked += watches;
  }
  mustHold(linked === pairs, `${linked} pairs are linked, ${pairs} are counted`);
}

/** Checks the list of each key, or its lone watcher; returns how many keys each place watches. */
function checkKeys<K>(keys: WatchKeys<K>, lists: WatchLists, parked: ParkedOperations): Map<Slot, number> {
  const watched = new Map<Slot, number>();
  let linked = 0;
  keys.forEach((id, head) => {
    const places = isLone(head) ? [placeOf(head)] : lists.placesOn(head);
    const first = parked.first(places[0]);
    const known = isLone(head) ? isOwnKey(first) && idOf(first) : lists.idOf(head);
    mustHold(known === id, `the watchers of key ${id} do not know it`);
    mustHold(new Set(places).size === places.length, `an operation watches key ${id} twice`);
    for (const place of places) watched.set(place, (watched.get(place) ?? 0) + 1);
    if (!isLone(head)) linked++;
  });
  mustHold(linked === lists.lists, `${linked} keys have a list, ${lists.lists} are counted`);
  return watched;
}
