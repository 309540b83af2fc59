import { expect } from 'chai';
import { IndexedHeap, type Mark, NOT_IN_HEAP } from '../../src/waits/indexed-heap.ts';
import { checkHeap } from '../support/checks/thresholds.ts';
import { Random } from '../support/random.ts';

/** Reads of any rank: what an operation on the heap has looked at. */
let looks = 0;

class CountedMark implements Mark {
  readonly order: number;
  index: number = NOT_IN_HEAP;
  readonly #rank: number;

  constructor(rank: number, order: number) {
    this.#rank = rank;
    this.order = order;
  }

  get rank(): number {
    looks++;
    return this.#rank;
  }
}

function looksDuring(action: () => void): number {
  looks = 0;
  action();
  return looks;
}

describe('IndexedHeap', () => {
  it('lets go of any mark after looking at O(log n) of them, and keeps nothing of it', () => {
    const heap = new IndexedHeap<CountedMark>();
    const size = 100_000;
    const marks = Array.from({ length: size }, (_, i) => new CountedMark((i * 7919) % size, i));
    const pushed = marks.map((mark) => looksDuring(() => heap.push(mark)));
    const removed = marks.filter((_, i) => i % 10 === 0).map((mark) => looksDuring(() => heap.remove(mark)));
    // 4 reads a level on the way down: two comparisons of two ranks each. As many for the way up.
    const most = 8 * (Math.floor(Math.log2(size)) + 1);
    expect(Math.max(...removed)).to.be.at.most(most);
    expect(pushed.reduce((highest, each) => Math.max(highest, each))).to.be.at.most(most);
    expect(heap.size).to.equal(size * 0.9);
    checkHeap(heap);
  });

  it('looks at one mark a push and at none a removal while ranks come and go in order', () => {
    const heap = new IndexedHeap<CountedMark>();
    const marks = Array.from({ length: 1_000 }, (_, i) => new CountedMark(i >> 2, i));
    const looked = looksDuring(() => {
      for (const [i, mark] of marks.entries()) {
        heap.push(mark);
        if (i >= 500) heap.remove(marks[i - 500]);
      }
      for (const mark of marks.slice(500)) heap.remove(mark);
    });
    expect(looked).to.be.at.most(4 * marks.length);
    expect(heap.size).to.equal(0);
  });

  it('gives the lowest rank, of equal ones the first, whatever comes and goes, and is sorted anew once empty', () => {
    const random = new Random(7);
    for (let round = 0; round < 300; round++) {
      const heap = new IndexedHeap<CountedMark>();
      const size = 1 + random.below(round % 10 === 0 ? 300 : 12);
      let marks = Array.from({ length: size }, (_, i) => new CountedMark(i >> 1, i));
      for (const mark of marks) heap.push(mark);
      for (const mark of marks.splice(0, random.below(size))) heap.remove(mark); // it is sorted still
      for (let step = 0; step < 20 && marks.length > 0; step++) {
        if (random.chance(0.5)) heap.remove(marks.splice(random.below(marks.length), 1)[0]);
        else {
          const mark = new CountedMark(random.below(size) - 1, size + step);
          marks.push(mark);
          heap.push(mark);
        }
        checkHeap(heap);
        marks.sort((x, y) => x.rank - y.rank || x.order - y.order);
        expect(heap.lowest).to.equal(marks[0]);
        expect(heap.inOrder()).to.deep.equal(marks);
      }
      for (const mark of marks) heap.remove(mark);
      expect([heap.size, heap.lowest, marks.every(({ index }) => index === NOT_IN_HEAP)]).to.eql([
        0,
        undefined,
        true,
      ]);
      marks = Array.from({ length: 20 }, (_, i) => new CountedMark(i, i));
      for (const mark of marks) heap.push(mark);
      expect(looksDuring(() => heap.remove(marks[0]))).to.equal(0);
    }
  });
});
