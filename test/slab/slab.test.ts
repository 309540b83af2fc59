import { expect } from 'chai';
import fc from 'fast-check';
import { COLUMN_1, COLUMN_2, Slab, type Slot } from '../../src/slab/slab.ts';
import { holdsAfterEachAct } from '../property/runs.ts';
import { ringOf } from '../support/checks/slab.ts';
import { deeplySame, same } from '../support/same.ts';

const STRIDE = 4;
/** Cells of a slab that has never grown. */
const LEAST = 64;

const cells = (from: number, end: number): Slot[] =>
  Array.from({ length: end - from }, (_, i) => ((from + i) * STRIDE) as Slot);

const fill = (slab: Slab<string>, list: Slot, count: number): Slot[] =>
  Array.from({ length: count }, (_, i) => slab.push(list, i, 0));

const LISTS = 3;

interface Act {
  readonly do: 'push' | 'remove' | 'moveTo' | 'splice';
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
    } else for (let time = 0; time < times; time++) this.#step(what, list, to, pick * time);
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
        slab.remove(cell.slot);
      } else {
        slab.moveTo(lists[to], cell.slot);
        this.#arrays[to].push(cell);
      }
    }
  }

  check(): void {
    const { slab, lists } = this;
    const members = this.#arrays.flat();
    same(slab.inUse, members.length + LISTS);
    expect(slab.capacity).to.be.at.least(slab.inUse);
    same(slab.isSparse, slab.capacity > Math.max(LEAST, 4 * slab.inUse));
    for (const [index, list] of lists.entries()) {
      const array = this.#arrays[index];
      deeplySame([slab.cells[list + COLUMN_1], slab.cells[list + COLUMN_2]], [index, index + 1]);
      same(slab.isEmpty(list), array.length === 0);
      deeplySame(
        ringOf(slab, list),
        array.map(({ slot }) => slot),
      );
    }
    for (const { slot, value, a } of members)
      deeplySame([slab.value(slot), slab.cells[slot + COLUMN_1]], [value, a]);
    const values = new Map<Slot, string>();
    for (let index = 0; index < slab.valueSpan; index++) {
      const value = slab.valueAt(index);
      if (value !== undefined) values.set(slab.slotAt(index), value);
    }
    deeplySame(values, new Map(members.map(({ slot, value }) => [slot, value])));
  }
}

describe('Slab', () => {
  it('keeps its lists and values, whatever is pushed, moved and removed, and says when under a quarter of its memory is in use', () => {
    const act: fc.Arbitrary<Act> = fc.record({
      do: fc.constantFrom('push', 'push', 'remove', 'remove', 'moveTo', 'splice'),
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

  it('gives out the last cell again where it is freed at once, and no other one twice', () => {
    const slab = new Slab<string>();
    const list = slab.makeList(0, 0);
    const kept = fill(slab, list, 32); // the next run begins behind a cell that is in use
    for (let time = 0; time < 3; time++) {
      const slot = slab.push(list, 0, 0);
      expect(slot).to.equal(cells(33, 34)[0]);
      slab.remove(slot);
    }
    slab.remove(kept[31]);
    slab.remove(kept[30]);
    expect(fill(slab, list, 3)).to.deep.equal(cells(31, 34));
    expect(slab.inUse).to.equal(34);
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
    const walk = ringOf(slab, list);
    const returns = walk.filter((slot, i) => i > 0 && slot < walk[i - 1]);
    expect(returns).to.have.lengthOf.within(1, comings / free + 1);
  });

  it('keeps a tick, any double, in a cell, also when it grows', () => {
    const slab = new Slab<string>(100);
    expect(slab.capacity).to.equal(256);
    const list = slab.makeList(0, 0);
    const ticks = [0, 0.5, -1, 2 ** 31, Number.MAX_SAFE_INTEGER, 2 ** 60, Number.POSITIVE_INFINITY];
    const slots = ticks.map((tick) => slab.pushTick(list, tick, `value ${tick}`));
    fill(slab, list, 300);
    expect(slab.capacity).to.equal(512);
    expect(slots.map((slot) => slab.tick(slot))).to.deep.equal(ticks);
    expect(slots.map((slot) => slab.value(slot))).to.deep.equal(ticks.map((tick) => `value ${tick}`));
  });
});
