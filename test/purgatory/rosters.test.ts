import { expect } from 'chai';
import fc from 'fast-check';
import { Rosters } from '../../src/purgatory/rosters.ts';
import { NONE, type Slot } from '../../src/slab/slab.ts';
import { holdsAfterEachAct } from '../property/runs.ts';

const LISTS = 3;

interface Act {
  readonly do: 'come' | 'leaveFirst' | 'leaveLast' | 'leaveAny' | 'closeHoles' | 'move' | 'dissolve';
  readonly list: number;
  readonly pick: number;
  readonly times: number;
}

interface Watcher {
  readonly name: string;
  watch: Slot;
  page: Slot;
  index: number;
}

/** Rosters and, as plain arrays, who is on them. Watches and lists are numbers that nobody else gives out. */
class Pair {
  readonly rosters = new Rosters<string>();
  readonly #arrays: Watcher[][] = Array.from({ length: LISTS }, () => []);
  readonly #opened: (Slot | undefined)[] = new Array(LISTS);
  #base = 0;
  #made = 0;

  act({ do: what, list, pick, times }: Act): void {
    if (what === 'closeHoles') this.#closeHoles();
    else if (what === 'move') this.#move();
    else if (what === 'dissolve') this.#dissolve(list);
    else for (let time = 0; time < times; time++) this.#step(what, list, pick * time);
  }

  #step(what: Act['do'], list: number, pick: number): void {
    const array = this.#arrays[list];
    if (what === 'come') {
      this.#opened[list] ??= this.rosters.open(this.#list(list));
      const watch = (this.#base + LISTS + this.#made++) as Slot;
      const page = this.rosters.pageWithRoom(this.#opened[list]);
      const name = `watcher ${this.#made}`;
      array.push({ name, watch, page, index: this.rosters.add(page, name, watch) });
      expect(this.rosters.isLast(this.#opened[list], name)).to.equal(true);
    } else if (array.length > 0) {
      const at = what === 'leaveFirst' ? 0 : what === 'leaveLast' ? array.length - 1 : pick % array.length;
      const [{ page, index }] = array.splice(at, 1);
      const emptied = this.rosters.leave(page, index);
      expect(emptied).to.equal(array.length === 0 ? this.#list(list) : NONE);
      if (array.length === 0) this.#dissolve(list);
    }
  }

  #list(list: number): Slot {
    return (this.#base + list) as Slot;
  }

  #closeHoles(): void {
    const byWatch = new Map(this.#arrays.flat().map((watcher) => [watcher.watch, watcher]));
    this.rosters.closeHoles((watch, index) => {
      (byWatch.get(watch) as Watcher).index = index;
    });
    expect(this.rosters.isSparse).to.equal(false);
  }

  /** What a compaction of the watch lists does. */
  #move(): void {
    const by = 1_000_000;
    this.rosters.follow((slot) => (slot + by) as Slot);
    this.#base += by;
    for (const watcher of this.#arrays.flat()) watcher.watch = (watcher.watch + by) as Slot;
  }

  #dissolve(list: number): void {
    const roster = this.#opened[list];
    if (roster === undefined) return;
    expect(this.rosters.dissolve(roster)).to.deep.equal(this.#arrays[list].map(({ watch }) => watch));
    this.#opened[list] = undefined;
    this.#arrays[list] = [];
  }

  check(): void {
    for (const [list, roster] of this.#opened.entries()) {
      if (roster === undefined) continue;
      const array = this.#arrays[list];
      const seen: Omit<Watcher, 'name'>[] = [];
      this.rosters.check(roster, (watch, page, index) => seen.push({ watch, page, index }));
      expect(seen).to.deep.equal(array.map(({ watch, page, index }) => ({ watch, page, index })));
      expect(this.rosters.size(roster)).to.equal(array.length);
      expect(this.rosters.oldest(roster)).to.equal(array[0].watch);
      expect(this.rosters.listOf(array[0].page)).to.equal(this.#list(list));
      const pages = this.rosters.pagesOf(roster);
      const names = pages.flatMap(({ operations, first }) => operations.slice(first));
      expect(names.filter((name) => name !== undefined)).to.deep.equal(array.map(({ name }) => name));
      if (this.rosters.isSparse) continue;
      for (const { operations, first } of pages) {
        const left = operations.filter((name) => name !== undefined).length;
        expect(operations.length).to.be.at.most(2 * left);
        expect(operations.length - first).to.be.at.most(1.25 * left);
      }
    }
  }
}

/** A roster with so many on it, the n-th of whom is n; `leave` takes those out from one of them to before another. */
function rosterOf(count: number): {
  rosters: Rosters<number>;
  roster: Slot;
  leave: (from: number, end: number) => void;
} {
  const rosters = new Rosters<number>();
  const roster = rosters.open(0 as Slot);
  const places = Array.from({ length: count }, (_, i): [Slot, number] => {
    const page = rosters.pageWithRoom(roster);
    return [page, rosters.add(page, i, i as Slot)];
  });
  return {
    rosters,
    roster,
    leave: (from, end) => {
      for (const [page, index] of places.slice(from, end)) rosters.leave(page, index);
    },
  };
}

describe('Rosters', () => {
  it('keep who comes in order, whoever leaves, and however often holes are closed and watches moved', () => {
    const act: fc.Arbitrary<Act> = fc.record({
      do: fc.constantFrom(
        'come',
        'come',
        'leaveFirst',
        'leaveLast',
        'leaveAny',
        'closeHoles',
        'move',
        'dissolve',
      ),
      list: fc.nat(LISTS - 1),
      pick: fc.nat(10_000),
      times: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 300, max: 6_000 })),
    });
    holdsAfterEachAct(() => new Pair(), act, 25, 60);
  });

  it('take nobody behind the end of a pass onto a page that it has yet to come to, even where the last page has gone', () => {
    const { rosters, roster, leave } = rosterOf(10_000);
    leave(5_000, 10_000);
    rosters.closeHoles(() => {});
    const pages = rosters.pagesOf(roster);
    const lengths = pages.map(({ operations }) => operations.length);
    expect(lengths).to.deep.equal([4_096, 904]);
    rosters.add(rosters.pageWithRoom(roster), 10_000, 10_000 as Slot);
    expect(pages.map(({ operations }) => operations.length)).to.deep.equal(lengths);
    expect(rosters.pagesOf(roster)).to.have.length(3);
  });

  it('leave the places alone of those who follow one another out, as long as half of a page is left', () => {
    const { rosters, leave } = rosterOf(1_000);
    leave(0, 500);
    expect(rosters.isSparse).to.equal(false);
    leave(500, 501);
    expect(rosters.isSparse).to.equal(true);
  });

  it('have holes closed behind the first before they are a fifth', () => {
    const { rosters, leave } = rosterOf(1_000);
    leave(1, 201);
    expect(rosters.isSparse).to.equal(false);
    leave(201, 202);
    expect(rosters.isSparse).to.equal(true);
    leave(202, 300);
    let told = 0;
    rosters.closeHoles(() => void told++);
    expect(told).to.equal(701);
  });

  it('keep nobody who has left, nor memory of the last roster', () => {
    const { rosters, roster, leave } = rosterOf(9_000);
    const pages = rosters.pagesOf(roster);
    leave(0, 9_000);
    expect(
      pages.flatMap(({ operations }) => operations).every((operation) => operation === undefined),
    ).to.equal(true);
    expect(rosters.pagesOf(roster)).to.deep.equal([]);
    expect(rosters.dissolve(roster)).to.deep.equal([]);
    expect(rosters.open(0 as Slot)).to.equal(rosterOf(0).roster);
  });

  it('say what is unsound', () => {
    const { rosters, roster } = rosterOf(3);
    const [page] = rosters.pagesOf(roster);
    const check = (): void => rosters.check(roster, () => {});
    const { operations, watches } = page;
    operations[0] = undefined;
    expect(check).to.throw('a page has 2 watchers, it says 3');
    operations[0] = 0;
    page.first = 1;
    expect(check).to.throw('a page has another first watcher');
    page.first = 0;
    watches.push(3 as Slot);
    expect(check).to.throw('a page is out of shape');
    watches.pop();
    expect(check).not.to.throw();
  });
});
