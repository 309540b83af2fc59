// The watch lists: for a key, in the order of parking, which operations watch it.
//
// Ground rules. It belongs to one Watchers and knows no keys: a key is an id, an operation its place, or a value to be found on a roster. A list is
// a sentinel (a: the id of its key) with a cell for each watch (a: the place of the operation that watches, b: the next watch of that operation). So
// leaving needs the watch alone. A list is empty only between `open` and the first `watch`, and between the last `leave` and `close`.
//
// The watches of a list are linked, or else they are on a roster (rosters.ts), which makes a pass cheaper and coming and leaving dearer: then a watch
// has its index (turned negative by `onRoster`) and its page in place of links, and the sentinel the roster. Which it is to be tells the heat of the
// list (b of its sentinel, turned negative by `asHeat`): tries make it rise, those in vain as long as it is linked; who comes makes it fall.
//
// A pass may meet any change under it, since each step runs user code. Over a linked list it keeps the next and the last watch that it will
// step to, and whoever takes a watch out moves both along. Operations that are parked meanwhile come after the last one.
//
// Costs. open, watch, step: O(1). leave: O(1), and O(depth of passes) while passes are under way. pagesToTry: O(pages). To go to a roster, or
// from it: O(watches), once for so many tries in vain, or for so many who come.
import { mustHold } from '../must-hold.ts';
import { belowNone, type Moved, NONE, Slab, type Slot } from '../slab/slab.ts';
import { type Page, Rosters } from './rosters.ts';

/** A walk over the watches of a linked list when it began. Made by {@link WatchLists.beginPass} only. */
export interface Pass {
  /** Below 0 when the pass is over. */
  next: Slot;
  last: Slot;
  /** How many passes are around it. */
  readonly depth: number;
}

/** NONE; but to V8 what is imported is no constant, and a pass over many watchers is bound by its instructions. */
const OVER = -1 as Slot;
/** The heat of a list, as `b` of its sentinel, which tells it from a watch; and undone. */
const asHeat = belowNone;
const COLD = asHeat(0);
/** Who comes to a roster and leaves it again costs so much more as this many tries in vain cost less. */
const TRIES_PER_COMING = 32;
/** A pass over fewer in vain makes no list hot: it is over before a roster would be found. */
export const MIN_HOT = 64;
/** In tries of one pass: so hot a list gets a roster, and no hotter does it become. */
const HOT = 2;
const HOTTEST = 64;
/** It must fit an int32. */
const MAX_HEAT = 2 ** 30;

/** The index of a watch on a roster, in place of a link; and undone. */
const onRoster = belowNone;

export class WatchLists<Op> extends Slab {
  #lists = 0;
  readonly #rosters = new Rosters<Op>();
  /** Lists with a roster that became cold, perhaps hot again or gone since. */
  readonly #cooled: Slot[] = [];
  readonly #passes: Pass[] = [];
  #depth = 0;

  /** How many lists there are. */
  get lists(): number {
    return this.#lists;
  }

  get watches(): number {
    return this.inUse - this.#lists;
  }

  /** Makes the list of a key. */
  open(id: number): Slot {
    const list = this.makeList(id, COLD);
    this.#lists++;
    return list;
  }

  /** Gives an empty list back. */
  close(list: Slot): void {
    if (this.hasRoster(list)) {
      this.#rosters.dissolve(this.prev(list));
      this.setLinks(list, list, list);
    }
    this.remove(list);
    this.#lists--;
  }

  /** Adds a watch of `operation`, which is parked at `place`, as the last on a list; `next` is the next one of the operation. */
  watch(list: Slot, place: Slot, next: Slot, operation: Op): Slot {
    if (this.b(list) !== COLD) this.#cool(list);
    if (!this.hasRoster(list)) return this.push(list, place, next);
    const page = this.#rosters.pageWithRoom(this.prev(list));
    const watch = this.makeList(place, next);
    this.#enlist(watch, page, operation);
    return watch;
  }

  /** Whether the last on a list is `operation`, which is parked at `place`. */
  isLast(list: Slot, place: Slot, operation: Op): boolean {
    const last = this.prev(list);
    return this.hasRoster(list) ? this.#rosters.isLast(last, operation) : this.a(last) === place;
  }

  /** The place of who watches longest. */
  oldest(list: Slot): Slot {
    return this.a(this.hasRoster(list) ? this.#rosters.oldest(this.prev(list)) : this.next(list)) as Slot;
  }

  /** Takes a watch off its list. Returns the list if it is empty now, and else NONE. */
  leave(watch: Slot): Slot {
    const before = this.prev(watch);
    const after = this.next(watch);
    if (after < NONE) return this.#leaveRoster(watch, before, onRoster(after));
    if (this.#depth > 0) this.#movePasses(watch);
    this.remove(watch);
    return before === after ? after : NONE; // only the sentinel is on both sides of a watch
  }

  /** The list that a watch is on. O(its place in it), O(1) on a roster. */
  listOf(watch: Slot): Slot {
    let list = this.prev(watch);
    if (this.next(watch) < NONE) return this.#rosters.listOf(list);
    while (this.b(list) > COLD) list = this.prev(list);
    return list;
  }

  /** How many watches are on a list; stops counting at `max`. O(the count), O(1) with a roster. */
  count(list: Slot, max: number): number {
    if (this.hasRoster(list)) return Math.min(this.#rosters.size(this.prev(list)), max);
    let count = 0;
    for (let watch = this.next(list); watch !== list && count < max; watch = this.next(watch)) count++;
    return count;
  }

  /** How many lists have a roster. */
  get rosters(): number {
    return this.#rosters.count;
  }

  hasRoster(list: Slot): boolean {
    return this.next(list) < NONE;
  }

  /** For a linked list, and no pass under way: the last one over its key has tried so many in vain, MIN_HOT or more. */
  didPass(list: Slot, inVain: number, operationAt: (place: Slot) => Op): void {
    this.#warm(list, inVain);
    if (asHeat(this.b(list)) >= HOT * inVain) this.#makeRoster(list, operationAt);
  }

  /** The pages of a list with a roster: what a pass that begins goes over, but for who comes meanwhile. */
  pagesToTry(list: Slot): Page<Op>[] {
    const roster = this.prev(list);
    this.#warm(list, this.#rosters.size(roster));
    return this.#rosters.pagesOf(roster);
  }

  /** True when the owner had better {@link settle}. */
  get isUnsettled(): boolean {
    return this.#rosters.isSparse || this.#cooled.length > 0;
  }

  /** Closes the holes in rosters, and links lists again that became cold. No pass may be under way. O(1), amortised. */
  settle(): void {
    this.#rosters.closeHoles((watch, index) => this.setLinks(watch, onRoster(index), this.prev(watch)));
    for (let list = this.#cooled.pop(); list !== undefined; list = this.#cooled.pop()) {
      if (this.b(list) === COLD && this.hasRoster(list)) this.#linkAgain(list);
    }
  }

  override compact(): Moved {
    const moved = super.compact();
    this.#rosters.follow(moved);
    return moved;
  }

  #warm(list: Slot, tries: number): void {
    this.setB(list, asHeat(Math.min(asHeat(this.b(list)) + tries, HOTTEST * tries, MAX_HEAT)));
  }

  #cool(list: Slot): void {
    const heat = Math.max(asHeat(this.b(list)) - TRIES_PER_COMING, 0);
    this.setB(list, asHeat(heat));
    if (heat === 0 && this.hasRoster(list)) this.#cooled.push(list);
  }

  #makeRoster(list: Slot, operationAt: (place: Slot) => Op): void {
    const roster = this.#rosters.open(list);
    for (let watch = this.next(list); watch !== list; ) {
      const next = this.next(watch);
      this.#enlist(watch, this.#rosters.pageWithRoom(roster), operationAt(this.a(watch) as Slot));
      watch = next;
    }
    this.setLinks(list, onRoster(0), roster);
  }

  #linkAgain(list: Slot): void {
    const watches = this.#rosters.dissolve(this.prev(list));
    this.setLinks(list, list, list);
    for (const watch of watches) {
      this.setLinks(watch, watch, watch);
      this.moveTo(list, watch);
    }
  }

  #enlist(watch: Slot, page: Slot, operation: Op): void {
    this.setLinks(watch, onRoster(this.#rosters.add(page, operation, watch)), page);
  }

  // The roster first: a watch that says that it is linked must not be on one, wherever a chain of events overflows the stack.
  #leaveRoster(watch: Slot, page: Slot, index: number): Slot {
    const emptied = this.#rosters.leave(page, index);
    this.setLinks(watch, watch, watch);
    this.remove(watch);
    return emptied;
  }

  /** Begins a pass over what is on a linked list now. Passes end in reverse order. */
  beginPass(list: Slot): Pass {
    const depth = this.#depth;
    if (depth === this.#passes.length) this.#passes.push({ next: OVER, last: OVER, depth });
    const pass = this.#passes[depth];
    this.#depth = depth + 1;
    pass.next = this.next(list);
    pass.last = this.prev(list);
    return pass;
  }

  /** The place of the next operation of a pass that is not over: it is still parked. */
  step(pass: Pass): Slot {
    const watch = pass.next;
    const next = this.next(watch);
    const place = this.a(watch) as Slot;
    pass.next = watch === pass.last ? OVER : next;
    return place;
  }

  endPass(pass: Pass): void {
    this.#depth = pass.depth;
  }

  #movePasses(leaving: Slot): void {
    for (let i = 0; i < this.#depth; i++) {
      const pass = this.#passes[i];
      if (pass.next === leaving) pass.next = leaving === pass.last ? OVER : this.next(leaving);
      if (pass.last === leaving) pass.last = this.prev(leaving);
    }
  }

  /** Throws unless the list is sound; returns the places of those who watch, in order. For tests: O(watches). */
  placesOn(list: Slot): Slot[] {
    mustHold(this.b(list) <= COLD, `the list ${list} has no sentinel`);
    const watches = this.hasRoster(list) ? this.#watchesOnRoster(list) : this.check(list);
    mustHold(watches.length !== 0, `the list ${list} is empty`);
    return watches.map((watch) => this.a(watch) as Slot);
  }

  #watchesOnRoster(list: Slot): Slot[] {
    const watches: Slot[] = [];
    this.#rosters.check(this.prev(list), (watch, page, index) => {
      const knows = this.prev(watch) === page && onRoster(this.next(watch)) === index;
      mustHold(knows, `a watch on the roster of ${list} does not know its place`);
      mustHold(this.listOf(watch) === list, `the roster of ${list} does not know its list`);
      watches.push(watch);
    });
    return watches;
  }
}
