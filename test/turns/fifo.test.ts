import { expect } from 'chai';
import fc from 'fast-check';
import { Fifo } from '../../src/turns/fifo.ts';
import { runs } from '../property/runs.ts';
import { collectGarbage } from '../support/collect-garbage.ts';

describe('Fifo', () => {
  it('gives what an array gives, in the same order', () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.integer())), (acts) => {
        const fifo = new Fifo<number>();
        const naive: number[] = [];
        for (const act of acts) {
          if (act !== null) {
            fifo.push(act);
            naive.push(act);
          } else if (naive.length > 0) {
            expect(fifo.take()).to.equal(naive.shift());
          }
          expect([fifo.size, fifo.first]).to.deep.equal([naive.length, naive[0]]);
        }
      }),
      runs(500),
    );
  });

  it('keeps no more of what was taken than it has left, though it never becomes empty', async () => {
    const histories: { fifo: Fifo<object>; taken: WeakRef<object>[] }[] = [];
    const atLeastOne = fc.integer({ min: 1, max: 50 });
    fc.assert(
      fc.property(atLeastOne, fc.array(atLeastOne, { minLength: 1, maxLength: 30 }), (left, batches) => {
        const fifo = new Fifo<object>();
        const taken: WeakRef<object>[] = [];
        for (let i = 0; i < left; i++) fifo.push({});
        for (const batch of batches) {
          for (let i = 0; i < batch; i++) fifo.push({});
          for (let i = 0; i < batch; i++) taken.push(new WeakRef(fifo.take()));
          expect(fifo.size).to.equal(left);
        }
        histories.push({ fifo, taken });
      }),
      runs(500),
    );
    await new Promise((resolve) => setImmediate(resolve)); // until then a WeakRef holds its object
    collectGarbage();
    for (const { fifo, taken } of histories) {
      const kept = taken.filter((ref) => ref.deref() !== undefined);
      expect(kept.length).to.be.at.most(fifo.size);
    }
  });
});
