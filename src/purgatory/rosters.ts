// The rosters of hot keys: who watches such a key, in arrays, in the order of parking, for passes that look at many in vain.
//
// Ground rules. It belongs to one WatchLists; an operation is to it a value. A roster is a list of pages (its sentinel: a: how many watch,
// b: the watch list); a page (a: how many are left on it, b: its roster) takes PAGE watchers, the last page those who come. Who leaves leaves a
// hole, and a page goes with the last of its watchers. So a pass needs no more than the pages as it began and an index to go on past any
// change. Holes are closed while no pass is under way: never are over half of a page holes then, nor over a fifth of what is behind the first.
//
// Why beside the linked lists: a step from link to link waits for the load of the one before it, and for the store that keeps the pass sound.
// Steps along an array do not wait for each other, so the processor has several operations on their way from memory at a time. But a roster
// takes 16 bytes a watcher more, and who comes or leaves touches more memory: WatchLists knows which list it is good for.
//
// Costs. add, leave: O(1), and closing the holes amortised O(1), at most PAGE steps a page. A page takes 24 bytes in the slab, which is not
// compacted but given back with the last roster.
import { mustHold } from '../must-hold.ts';
import { NONE, Slab, type Slot } from '../slab/slab.ts';

/** So many that a pass seldom turns over, so few that closing the holes of a page takes no time to speak of. */
const PAGE = 4_096;

export interface Page<Op> {
  /** The watchers; undefined where one has left. */
  readonly operations: (Op | undefined)[];
  /** Beside each watcher its watch; anything beside a hole. */
  readonly watches: Slot[];
  /** The index of the first watcher. */
  first: number;
  /** How many it still takes. */
  room: number;
}

/** Whether a page with so many left has too many holes: all of them take memory, those behind the first make a pass stumble. */
const hasHoles = <Op>({ operations, first }: Page<Op>, left: number): boolean =>
  operations.length > 2 * left || operations.length - first > left + (left >> 2);

export class Rosters<Op> {
  #pages = new Slab<Page<Op>>();
  #count = 0;
  /** Pages with too many holes. */
  readonly #sparse: Page<Op>[] = [];

  /** How many rosters there are. */
  get count(): number {
    return this.#count;
  }

  /** Makes the roster of a watch list. */
  open(list: Slot): Slot {
    const roster = this.#pages.makeList(0, list);
    this.#count++;
    return roster;
  }

  /** Gives a roster back. Returns the watches of those who were on it, in order. O(size). */
  dissolve(roster: Slot): Slot[] {
    const pages = this.#pages;
    const left: Slot[] = [];
    while (!pages.isEmpty(roster)) {
      const slot = pages.next(roster);
      const { operations, watches } = pages.value(slot) as Page<Op>;
      for (let index = 0; index < operations.length; index++) {
        if (operations[index] !== undefined) left.push(watches[index]);
      }
      pages.clearValue(slot);
      pages.remove(slot);
    }
    pages.remove(roster);
    if (--this.#count === 0) this.#pages = new Slab();
    return left;
  }

  /** How many watch. */
  size(roster: Slot): number {
    return this.#pages.a(roster);
  }

  /** The watch list of the roster that a page is of. */
  listOf(page: Slot): Slot {
    return this.#pages.b(this.#pages.b(page) as Slot) as Slot;
  }

  /** The page of a roster that takes the next watcher. */
  pageWithRoom(roster: Slot): Slot {
    const pages = this.#pages;
    const last = pages.prev(roster);
    if (last !== roster && (pages.value(last) as Page<Op>).room > 0) return last;
    const page = pages.push(roster, 0, roster);
    pages.setValue(page, { operations: [], watches: [], first: 0, room: PAGE });
    return page;
  }

  /** Adds a watcher to a page that has room. Returns its index. */
  add(slot: Slot, operation: Op, watch: Slot): number {
    const pages = this.#pages;
    const page = pages.value(slot) as Page<Op>;
    const roster = pages.b(slot) as Slot;
    pages.setA(slot, pages.a(slot) + 1);
    pages.setA(roster, pages.a(roster) + 1);
    page.room--;
    page.watches.push(watch);
    return page.operations.push(operation) - 1;
  }

  /** Takes the watcher at `index` off a page. Returns the watch list if it is empty now, and else NONE. */
  leave(slot: Slot, index: number): Slot {
    const pages = this.#pages;
    const page = pages.value(slot) as Page<Op>;
    const roster = pages.b(slot) as Slot;
    const left = pages.a(slot) - 1;
    const hadHoles = hasHoles(page, left + 1);
    page.operations[index] = undefined;
    pages.setA(slot, left);
    if (left === 0) {
      pages.clearValue(slot);
      pages.remove(slot);
    } else {
      while (page.operations[page.first] === undefined) page.first++;
      if (!hadHoles && hasHoles(page, left)) this.#sparse.push(page);
    }
    const size = pages.a(roster) - 1;
    pages.setA(roster, size);
    return size === 0 ? (pages.b(roster) as Slot) : NONE;
  }

  isLast(roster: Slot, operation: Op): boolean {
    return this.#pages.value(this.#pages.prev(roster))?.operations.at(-1) === operation;
  }

  /** The watch of the one who came first. */
  oldest(roster: Slot): Slot {
    const { watches, first } = this.#pages.value(this.#pages.next(roster)) as Page<Op>;
    return watches[first];
  }

  /** The pages of a roster, in order. O(size / PAGE), but for where many have left. */
  pagesOf(roster: Slot): Page<Op>[] {
    const all: Page<Op>[] = [];
    const pages = this.#pages;
    for (let page = pages.next(roster); page !== roster; page = pages.next(page)) {
      all.push(pages.value(page) as Page<Op>);
    }
    return all;
  }

  /** True when pages have too many holes, and the owner had better {@link closeHoles}. */
  get isSparse(): boolean {
    return this.#sparse.length > 0;
  }

  /** Closes the holes of pages with too many; tells each watch its new index. No pass may be under way. O(1), amortised. */
  closeHoles(tell: (watch: Slot, index: number) => void): void {
    for (let page = this.#sparse.pop(); page !== undefined; page = this.#sparse.pop()) {
      const { operations, watches } = page;
      let left = 0;
      for (let index = page.first; index < operations.length; index++) {
        const operation = operations[index];
        if (operation === undefined) continue;
        const watch = watches[index];
        operations[left] = operation;
        watches[left] = watch;
        tell(watch, left++);
      }
      operations.length = left;
      watches.length = left;
      page.first = 0;
    }
  }

  /** After a compaction of the watch lists: `moved` tells where each watch and list is now. */
  follow(moved: (slot: Slot) => Slot): void {
    const pages = this.#pages;
    const rosters = new Set<Slot>();
    pages.forEachValue(({ operations, watches }, page) => {
      rosters.add(pages.b(page) as Slot);
      for (let index = 0; index < watches.length; index++) {
        if (operations[index] !== undefined) watches[index] = moved(watches[index]);
      }
    });
    for (const roster of rosters) pages.setB(roster, moved(pages.b(roster) as Slot));
  }

  /** Throws unless a roster is sound; calls `visit` with each of its watches, page and index, in order. For tests: O(size). */
  check(roster: Slot, visit: (watch: Slot, page: Slot, index: number) => void): void {
    const pages = this.#pages;
    let size = 0;
    for (const page of pages.check(roster)) {
      const { operations, watches, first, room } = pages.value(page) as Page<Op>;
      const left = operations.filter((operation) => operation !== undefined).length;
      mustHold(pages.b(page) === roster, `a page of roster ${roster} does not know it`);
      mustHold(left === pages.a(page), `a page has ${left} watchers, it says ${pages.a(page)}`);
      mustHold(left > 0 || room === PAGE, 'a page has no watchers left');
      mustHold(
        left === 0 || operations.findIndex((operation) => operation !== undefined) === first,
        'a page has another first watcher',
      );
      mustHold(room === 0 || page === pages.prev(roster), 'a page has room behind which another stands');
      mustHold(
        operations.length === watches.length && operations.length + room <= PAGE,
        'a page is out of shape',
      );
      size += left;
      for (const [index, operation] of operations.entries()) {
        if (operation !== undefined) visit(watches[index], page, index);
      }
    }
    mustHold(size === this.size(roster), `${size} are on roster ${roster}, it says ${this.size(roster)}`);
  }
}
