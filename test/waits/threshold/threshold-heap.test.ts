import { expect } from 'chai';
import { type Mark, NOT_IN_HEAP, ThresholdHeap } from '../../../src/waits/threshold/threshold-heap.ts';
import { checkHeap } from '../../support/checks/thresholds.ts';

/** Reads of any threshold: what an operation on the heap has looked at. */
let looks = 0;

class CountedMark implements Mark<number> {
  readonly order: number;
  index: number = NOT_IN_HEAP;
  #threshold: number;

  constructor(threshold: number, order: number) {
    this.#threshold = threshold;
    this.order = order;
  }

  get threshold(): number {
    looks++;
    return this.#threshold;
  }

  set threshold(threshold: number) {
    this.#threshold = threshold;
  }
}

function looksDuring(action: () => void): number {
  looks = 0;
  action();
  return looks;
}

/**
 * 4 reads a level on the way down: two comparisons of two thresholds each. As many for the way up.
 */
function logarithmic(size: number): number {
  return 8 * (Math.floor(Math.log2(size)) + 1);
}

describe('ThresholdHeap', () => {
  it('lets go of any mark after looking at O(log n) of them, and keeps nothing of it', () => {
    const heap = new ThresholdHeap<number, CountedMark>();
    const size = 100_000;
    const marks = Array.from({ length: size }, (_, i) => new CountedMark((i * 7919) % size, i));
    let most = 0;
    for (const mark of marks)
      most = Math.max(
        most,
        looksDuring(() => heap.push(mark)),
      );
    expect(most).to.be.at.most(logarithmic(size));
    for (let i = 0; i < size; i += 10)
      most = Math.max(
        most,
        looksDuring(() => heap.remove(marks[i])),
      );
    expect(most).to.be.at.most(logarithmic(size));
    expect(heap.size).to.equal(size * 0.9);
    checkHeap(heap);
  });

  it('stays a heap whichever mark leaves it, also a small one', () => {
    for (let size = 2; size <= 12; size++) {
      for (let turn = 0; turn < 200; turn++) {
        const heap = new ThresholdHeap<number, CountedMark>();
        const marks = Array.from(
          { length: size },
          (_, i) => new CountedMark((turn * 31 + i * i * 7) % 13, i),
        );
        for (const mark of marks) heap.push(mark);
        heap.remove(marks[turn % size]);
        checkHeap(heap);
      }
    }
  });

  it('looks at one mark a push and at none a removal while thresholds come and go in order', () => {
    const heap = new ThresholdHeap<number, CountedMark>();
    const marks = Array.from({ length: 1_000 }, (_, i) => new CountedMark(i >> 2, i));
    let pushed = 0;
    let removed = 0;
    const looked = looksDuring(() => {
      while (removed < marks.length) {
        if (pushed < marks.length) heap.push(marks[pushed++]);
        if (pushed > 500) heap.remove(marks[removed++]);
      }
    });
    expect(looked).to.be.at.most(4 * marks.length);
    expect(heap.size).to.equal(0);
  });

  for (const [title, disorder] of [
    ['a mark in the middle leaves', (heap, marks) => heap.remove(marks.splice(150, 1)[0])],
    [
      'a lower one comes',
      (heap, marks) => {
        marks.unshift(new CountedMark(-1, 1_000));
        heap.push(marks[0]);
      },
    ],
  ] as [string, (heap: ThresholdHeap<number, CountedMark>, marks: CountedMark[]) => void][]) {
    it(`stays in order when ${title}, and is sorted anew once it was empty`, () => {
      const heap = new ThresholdHeap<number, CountedMark>();
      const all = Array.from({ length: 400 }, (_, i) => new CountedMark(i, i));
      for (const mark of all) heap.push(mark);
      const marks = [...all];
      for (const mark of marks.splice(0, 100)) heap.remove(mark);
      checkHeap(heap);
      disorder(heap, marks);
      checkHeap(heap);
      expect(heap.some(1)).to.deep.equal([marks[0]]);
      for (const mark of marks) {
        expect(heap.lowest).to.equal(mark);
        heap.remove(mark);
        checkHeap(heap);
      }
      for (const mark of all) heap.push(mark);
      checkHeap(heap);
      expect(looksDuring(() => heap.remove(all[0]))).to.equal(0);
    });
  }
});
