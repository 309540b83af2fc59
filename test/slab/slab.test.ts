import { expect } from 'chai';
import { COLUMN_1, COLUMN_2, Slab, type Slot } from '../../src/slab/slab.ts';
import { ringOf } from '../support/checks/slab.ts';

const STRIDE = 4;
/** Cells of a slab that has never grown. */
const LEAST = 64;

const cells = (from: number, end: number): Slot[] =>
  Array.from({ length: end - from }, (_, i) => ((from + i) * STRIDE) as Slot);

const fill = (slab: Slab<string>, list: Slot, count: number): Slot[] =>
  Array.from({ length: count }, (_, i) => slab.push(list, i, 0));

describe('Slab', () => {
  it('moves and splices members with their values, and says when under a quarter of its memory is in use', () => {
    const slab = new Slab<string>();
    const [list, other] = [slab.makeList(1, 2), slab.makeList(3, 4)];
    const slots = Array.from({ length: 300 }, (_, i) => slab.pushValue(list, i, 0, `value ${i}`));
    const values = (of: Slot): unknown[] => ringOf(slab, of).map((slot) => slab.value(slot));
    for (const slot of slots.slice(0, 200)) slab.remove(slot);
    expect([slab.inUse, slab.capacity, slab.spare > 0]).to.deep.equal([102, 512, true]);
    for (const slot of slots.slice(200, 250)) slab.moveTo(other, slot);
    slab.splice(list, other);
    const expected = [...slots.keys()].slice(200).map((i) => `value ${i}`);
    expect([values(list), values(other), slab.isEmpty(list)]).to.deep.equal([[], expected, true]);
    expect([slab.cells[other + COLUMN_1], slab.cells[other + COLUMN_2]]).to.deep.equal([3, 4]);
    expect(Array.from({ length: slab.valueSpan }, (_, i) => slab.valueAt(i)).filter(Boolean)).to.have.length(
      100,
    );
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
