import { expect } from 'chai';
import { NONE } from '../../../src/slab/slab.ts';
import { ParkedWaits } from '../../../src/waits/threshold/parked-waits.ts';
import { Op } from '../../support/op.ts';

function parked(count: number): { waits: ParkedWaits<{ operation: Op }>; operations: Op[] } {
  const waits = new ParkedWaits<{ operation: Op }>();
  const operations = Array.from({ length: count }, (_, i) => new Op(`${i}`));
  for (const [i, operation] of operations.entries()) waits.add({ operation }, i);
  return { waits, operations };
}

describe('ParkedWaits', () => {
  it('keeps park order, and finds each operation by its place', () => {
    const { waits, operations } = parked(100);
    for (const operation of operations.splice(10, 80)) waits.remove(waits.find(operation));
    expect(waits.check().map(({ operation }) => operation)).to.deep.equal(operations);
    expect(waits.oldestFirst(3)).to.deep.equal(operations.slice(0, 3));
    expect(waits.stamp(waits.find(operations[10]))).to.equal(90);
    expect(waits.find(new Op('stranger'))).to.equal(NONE);
  });

  it('gives memory back after a burst, and tells each operation its new place', () => {
    const { waits, operations } = parked(10_000);
    const left = operations.splice(9_900);
    for (const operation of operations) waits.remove(waits.find(operation));
    const before = left[0].$place;
    waits.shrink(Number.POSITIVE_INFINITY);
    expect(left[0].$place).to.be.below(before);
    expect(waits.check().map(({ operation }) => operation)).to.deep.equal(left);
    expect(waits.at(waits.find(left[50]))?.operation).to.equal(left[50]);
  });

  it('finds an operation that was frozen before it moved', () => {
    const { waits, operations } = parked(1_000);
    const last = operations.pop() as Op;
    Object.freeze(last);
    for (const operation of operations) waits.remove(waits.find(operation));
    waits.shrink(Number.POSITIVE_INFINITY);
    expect(waits.at(waits.find(last))?.operation).to.equal(last);
    expect(waits.stamp(waits.find(last))).to.equal(999);
    waits.remove(waits.find(last));
    expect([waits.size, waits.find(last)]).to.deep.equal([0, NONE]);
  });
});
