// How a Watchers gives memory back after a burst, in steps: places, slots and ids are given anew.
//
// Ground rules. Keys, watch lists and parked operations refer to each other by places, slots and
// ids. Whatever is given anew is rewritten here wherever it stands, in the same step: after each all
// is sound. One structure shrinks at a time, since the walk for the lists goes by the places. An
// operation that is parked meanwhile may take a place behind the walk, on a list that has yet to
// move. If the others leave that list before their turn, nobody moves it: then the walk goes round
// once more. No pass within a call may be under way: it holds slots.
//
// Costs. A step: O(visits), but that the ids are given anew all at once, O(keys that are left), and
// a watch list that moves, O(its watchers). O(1), amortised: each is done when under a quarter of
// its memory is in use (of ids, under a sixteenth).
import { mustHold } from '../../base/must-hold.ts';
import { NONE } from '../../slab/slab.ts';
import { idOf, isLone, isOwnKey, loneHead, ownKey, placeOf } from './lone-watcher.ts';
import type { ParkedOperations } from './parked-operations.ts';
import type { WatchKeys } from './watch-keys.ts';
import type { WatchLists } from './watch-lists.ts';

/**
 * To shrink the lists visits every parked operation, lone watchers too. That is done only if it
 * takes at most this many visits for each cell of the lists.
 */
const MAX_VISITS_PER_CELL = 4;

export class WatchersShrink<K> {
  readonly #lists: WatchLists;
  readonly #parked: ParkedOperations;
  /** While the lists shrink: the index of the next operation whose watches are to move. */
  #index = 0;

  constructor(lists: WatchLists, parked: ParkedOperations) {
    this.#lists = lists;
    this.#parked = parked;
  }

  /**
   * Gives memory back where there is enough to be worth it, with about `visits` visits. True if
   * nothing is left to do.
   */
  step(keys: WatchKeys<K>, visits: number): boolean {
    const lists = this.#lists;
    const parked = this.#parked;
    let left = visits;
    if (parked.isSparse && !lists.isShrinking) left = this.#shrinkParked(keys, left);
    if (parked.isShrinking) return false;
    if (lists.isSparse && this.#isWorthIt) left = this.#shrinkLists(keys, left);
    if (lists.isShrinking || left <= 0) return false;
    if (keys.isSparse) this.#renumber(keys);
    return true;
  }

  get #isWorthIt(): boolean {
    return this.#lists.isShrinking || MAX_VISITS_PER_CELL * this.#lists.capacity >= this.#parked.size;
  }

  #shrinkParked(keys: WatchKeys<K>, visits: number): number {
    const parked = this.#parked;
    return parked.shrink(visits, (from, to) => {
      const first = parked.first(to);
      if (isOwnKey(first)) keys.setHead(idOf(first), loneHead(to));
      else this.#lists.movePlace(first, from, to);
    });
  }

  #shrinkLists(keys: WatchKeys<K>, visits: number): number {
    const lists = this.#lists;
    const parked = this.#parked;
    if (!lists.isShrinking) {
      lists.beginShrink();
      this.#index = 0;
    }
    let left = visits;
    let isWhole = false;
    for (; left > 0 && lists.isShrinking; left--) {
      if (this.#index >= parked.indexes) {
        if (lists.endShrink()) break;
        mustHold(!isWhole, 'a walk over all that is parked has left a list behind');
        isWhole = true;
        this.#index = 0;
      }
      const place = parked.placeAt(this.#index++);
      if (place === NONE) continue;
      const first = parked.first(place);
      if (isOwnKey(first)) continue;
      const moved = lists.moveDown(first, place, (id, list) => keys.setHead(id, list));
      if (moved !== first) parked.setFirst(place, moved);
    }
    return left;
  }

  #renumber(keys: WatchKeys<K>): void {
    keys.renumber((id, head) => {
      if (isLone(head)) this.#parked.setFirst(placeOf(head), ownKey(id));
      else this.#lists.setId(head, id);
    });
  }
}
