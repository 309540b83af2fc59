import { expect } from 'chai';
import fc from 'fast-check';
import { Slab, type Slot } from '../../src/slab/slab.ts';
import { holdsAfterEachAct } from '../property/runs.ts';

const STRIDE = 4;
/** Cells of a slab that has never grown. */
const LEAST = 64;

const cells = (from: number, end: number): Slot[] =>
  Array.from({ length: end - from }, (_, i) => ((from + i) * STRIDE) as Slot);

const fill = (slab: Slab<string>, list: Slot, count: number): Slot[] =>
  Array.from({ length: count }, (_, i) => slab.push(list, i, 0));

const LISTS = 3;

interface Act {
  readonly do: 'push' | 'remove' | 'moveTo' | 'splice' | 'compact' | 'shrink';
  readonly list: number;
  readonly to: number;
  readonly pick: number;
  readonly times: number;
}

/** A slab and, as plain arrays, what its lists hold. */
class Pair {
  readonly slab = new Slab<string>();
  readonly lists: Slot[] = Array.from({ length: LISTS }, (_, i) => this.slab.makeList(i, i + 1));
  readonly #arrays: { slot: Slot; value: string; a: number }[][] = this.lists.map(() => []);
  #made = 0;

  act({ do: what, list, to, pick, times }: Act): void {
    const { slab, lists } = this;
    const array = this.#arrays[list];
    if (what === 'splice') {
      if (list === to) return;
      slab.splice(lists[list], lists[to]);
      this.#arrays[to].push(...array.splice(0));
    } else if (what === 'compact') this.#compact();
    else if (what === 'shrink') this.#shrink(times / 10);
    else for (let time = 0; time < times; time++) this.#step(what, list, to, pick * time);
    if (pick % 3 === 0) this.#shrink(Number.POSITIVE_INFINITY);
  }

  /** In part, so that other acts come in between. The lists are the first cells, and stay. */
  #shrink(visits: number): void {
    const { slab } = this;
    if (!slab.isSparse) return;
    if (!slab.isShrinking) slab.beginShrink();
    const bySlot = new Map(this.#arrays.flat().map((cell) => [cell.slot, cell]));
    slab.moveValuesDown(visits, (value, to, from) => {
      const cell = bySlot.get(from);
      expect(cell?.value).to.equal(value);
      if (cell !== undefined) cell.slot = to;
    });
    if (visits === Number.POSITIVE_INFINITY) expect(slab.isSparse).to.equal(false);
  }

  #step(what: Act['do'], list: number, to: number, pick: number): void {
    const { slab, lists } = this;
    const array = this.#arrays[list];
    if (what === 'push') {
      const a = this.#made++;
      const slot = slab.pushValue(lists[list], a, 0, `value ${a}`);
      array.push({ slot, value: `value ${a}`, a });
    } else if (array.length > 0) {
      const [cell] = array.splice(pick % array.length, 1);
      if (what === 'remove') {
        slab.clearValue(cell.slot);
        slab.remove(cell.slot);
      } else {
        slab.moveTo(lists[to], cell.slot);
        this.#arrays[to].push(cell);
      }
    }
  }

  #compact(): void {
    const moved = this.slab.compact();
    for (const [index, list] of this.lists.entries()) this.lists[index] = moved(list);
    for (const cell of this.#arrays.flat()) cell.slot = moved(cell.slot);
  }

  check(): void {
    const { slab, lists } = this;
    const members = this.#arrays.flat();
    expect(slab.inUse).to.equal(members.length + LISTS);
    expect(slab.capacity).to.be.at.least(slab.inUse);
    if (!slab.isSparse) expect(slab.capacity).to.be.at.most(Math.max(LEAST, 4 * slab.inUse));
    for (const [index, list] of lists.entries()) {
      const array = this.#arrays[index];
      expect([slab.a(list), slab.b(list)]).to.deep.equal([index, index + 1]);
      expect(slab.isEmpty(list)).to.equal(array.length === 0);
      expect(slab.check(list)).to.deep.equal(array.map(({ slot }) => slot));
    }
    for (const { slot, value, a } of members)
      expect([slab.value(slot), slab.a(slot)]).to.deep.equal([value, a]);
    const values = new Map<Slot, string>();
    slab.forEachValue((value, slot) => values.set(slot, value));
    expect(values).to.deep.equal(new Map(members.map(({ slot, value }) => [slot, value])));
  }
}

describe('Slab', () => {
  it('keeps its lists and values, whatever is pushed, moved, removed, compacted and shrunk in steps, in memory within 4x', () => {
    const act: fc.Arbitrary<Act> = fc.record({
      do: fc.constantFrom(
        'push',
        'push',
        'remove',
        'remove',
        'moveTo',
        'splice',
        'compact',
        'shrink',
        'shrink',
      ),
      list: fc.nat(LISTS - 1),
      to: fc.nat(LISTS - 1),
      pick: fc.nat(1_000),
      times: fc.integer({ min: 1, max: 400 }),
    });
    holdsAfterEachAct(() => new Pair(), act, 60, 100);
  });

  it('gives out cells side by side, and freed ones again when it has come to the end', () => {
    const slab = new Slab<string>();
    const list = slab.makeList(0, 0);
    const first = fill(slab, list, 40);
    expect(first).to.deep.equal(cells(1, 41));
    for (const slot of first.slice(0, 30).toReversed()) slab.remove(slot);
    expect(fill(slab, list, 23)).to.deep.equal(cells(41, LEAST));
    expect(fill(slab, list, 30)).to.deep.equal(cells(1, 31));
    expect(slab.capacity).to.equal(LEAST);
  });

  it('doubles at the end where under a 32nd is free, and takes what was free there in the next turn', () => {
    const slab = new Slab<string>();
    const list = slab.makeList(0, 0);
    const all = fill(slab, list, LEAST - 1);
    slab.remove(all[10]);
    slab.remove(all[20]);
    expect(fill(slab, list, 2)).to.deep.equal([all[10], all[20]]);
    expect(slab.capacity).to.equal(LEAST);
    slab.remove(all[15]);
    expect(fill(slab, list, LEAST)).to.deep.equal(cells(LEAST, 2 * LEAST));
    expect(slab.capacity).to.equal(2 * LEAST);
    for (const index of [0, 10, 20]) slab.remove(all[index]);
    expect(fill(slab, list, 4)).to.deep.equal([0, 10, 15, 20].map((index) => all[index]));
  });

  it('lets a walk go through memory forwards, once for each turn, whichever members come and go', () => {
    const slab = new Slab<string>();
    const list = slab.makeList(0, 0);
    const members = fill(slab, list, 1_500);
    const free = slab.capacity - slab.inUse;
    const comings = 6_000;
    for (const leaving of fc.sample(fc.nat(members.length - 1), { numRuns: comings, seed: 1 })) {
      slab.remove(members[leaving]);
      members[leaving] = slab.push(list, 0, 0);
    }
    const walk = slab.check(list);
    const returns = walk.filter((slot, i) => i > 0 && slot < walk[i - 1]);
    expect(returns).to.have.lengthOf.within(1, comings / free + 1);
  });

  it('gives memory back by a compaction, in the order of memory, and goes on from its start', () => {
    const slab = new Slab<string>();
    const list = slab.makeList(0, 0);
    const all = fill(slab, list, 1_000);
    for (const slot of all.slice(0, 990)) slab.remove(slot);
    expect(slab.isSparse).to.equal(true);
    const moved = slab.compact();
    expect([slab.capacity, slab.isSparse]).to.deep.equal([LEAST, false]);
    expect(all.slice(990).map(moved)).to.deep.equal(cells(1, 11));
    expect(slab.check(moved(list))).to.deep.equal(cells(1, 11));
    expect(fill(slab, moved(list), LEAST - 11)).to.deep.equal(cells(11, LEAST));
  });

  it('keeps a tick, any double, in a cell, wherever that goes', () => {
    const slab = new Slab<string>(100);
    expect(slab.capacity).to.equal(256);
    const list = slab.makeList(0, 0);
    const ticks = [0, 0.5, -1, 2 ** 31, Number.MAX_SAFE_INTEGER, 2 ** 60, Number.POSITIVE_INFINITY];
    const slots = ticks.map((tick) => slab.pushTick(list, tick, `value ${tick}`));
    for (const slot of fill(slab, list, 300).slice(0, 295)) slab.remove(slot);
    expect(slots.map((slot) => slab.tick(slot))).to.deep.equal(ticks);
    const moved = slab.compact();
    expect(slots.map((slot) => slab.tick(moved(slot)))).to.deep.equal(ticks);
    expect(slots.map((slot) => slab.value(moved(slot)))).to.deep.equal(ticks.map((tick) => `value ${tick}`));
  });

  it('says what is unsound', () => {
    const slab = new Slab<string>();
    const list = slab.makeList(0, 0);
    const [member] = fill(slab, list, 1);
    slab.remove(member);
    expect(() => slab.check(member)).to.throw(`the ring of ${member} breaks between ${member} and ${list}`);
    slab.remove(list);
    expect(() => slab.check(list)).to.throw(`the ring of ${list} has the free cell ${list}`);
  });
});
