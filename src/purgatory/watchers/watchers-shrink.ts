// How a Watchers gives memory back after a burst: places, slots and ids are given anew.
//
// Ground rules. Keys, watch lists and parked operations refer to each other by places, slots and
// ids. Whatever is given anew is rewritten here wherever it stands, before anything else runs. No
// pass may be under way: it holds slots.
//
// Costs. O(1), amortised: each is done when under a quarter of its memory is in use (of ids, under
// a sixteenth).
import { idOf, isLone, isOwnKey, loneHead, ownKey, placeOf } from './lone-watcher.ts';
import type { ParkedOperations } from './parked-operations.ts';
import type { WatchKeys } from './watch-keys.ts';
import type { WatchLists } from './watch-lists.ts';

/**
 * Compacting the lists visits every parked operation, lone watchers too. That is done only if it
 * takes at most this many visits for each cell of the lists.
 */
const MAX_VISITS_PER_CELL = 4;

/** Gives memory back where there is enough to be worth it. */
export function shrinkWatchers<K>(keys: WatchKeys<K>, lists: WatchLists, parked: ParkedOperations): void {
  if (parked.isSparse) compactParked(keys, lists, parked);
  if (lists.isSparse && MAX_VISITS_PER_CELL * lists.capacity >= parked.size) {
    compactLists(keys, lists, parked);
  }
  if (keys.isSparse) renumberKeys(keys, lists, parked);
}

function compactParked<K>(keys: WatchKeys<K>, lists: WatchLists, parked: ParkedOperations): void {
  parked.compact((from, to) => {
    const first = parked.first(to);
    if (isOwnKey(first)) keys.setHead(idOf(first), loneHead(to));
    else lists.movePlace(first, from, to);
  });
}

function compactLists<K>(keys: WatchKeys<K>, lists: WatchLists, parked: ParkedOperations): void {
  const moved = lists.compact();
  keys.forEach((id, head) => {
    if (!isLone(head)) keys.setHead(id, moved(head));
  });
  parked.forEachPlace((place) => {
    const first = parked.first(place);
    if (!isOwnKey(first)) parked.setFirst(place, lists.follow(moved, first, place));
  });
}

function renumberKeys<K>(keys: WatchKeys<K>, lists: WatchLists, parked: ParkedOperations): void {
  keys.renumber((id, head) => {
    if (isLone(head)) parked.setFirst(placeOf(head), ownKey(id));
    else lists.setId(head, id);
  });
}
