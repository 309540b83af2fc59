import { expect } from 'chai';
import fc from 'fast-check';
import { Fifo } from '../../src/turns/fifo.ts';
import { runs } from '../property/runs.ts';
import { collectGarbage } from '../support/collect-garbage.ts';

describe('Fifo', () => {
  it('gives what an array gives, in the same order', () => {
    const act = fc.oneof(fc.constant('push'), fc.constant('take'), fc.nat(50));
    fc.assert(
      fc.property(fc.array(act, { maxLength: 200 }), (acts) => {
        const fifo = new Fifo<number>();
        const naive: number[] = [];
        for (const [i, act] of acts.entries()) {
          if (act === 'push') {
            fifo.push(i);
            naive.push(i);
          } else if (naive.length > 0 && act === 'take') expect(fifo.take()).to.equal(naive.shift());
          else if (naive.length > 0) {
            const at = Number(act) % naive.length;
            expect(fifo.remove(at)).to.equal(naive.splice(at, 1)[0]);
          }
          expect(fifo.items.length, 'places').to.be.at.most(Math.max(1.5 * naive.length, naive.length + 16));
          expect([fifo.size, fifo.first, fifo.toArray()]).to.deep.equal([naive.length, naive[0], naive]);
        }
      }),
      runs(500),
    );
  });

  it('keeps nothing of what was taken, though it never becomes empty', async () => {
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
    for (const { taken } of histories) expect(taken.every((ref) => ref.deref() === undefined)).to.equal(true);
  });
});
