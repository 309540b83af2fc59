import { expect } from 'chai';
import fc from 'fast-check';
import { Fifo } from '../../src/turns/fifo.ts';
import { runs } from '../property/runs.ts';

describe('Fifo', () => {
  it('gives what an array gives, in the same order, and keeps nothing of what was taken', () => {
    const act = fc.oneof(fc.constant('push'), fc.constant('take'), fc.nat(50));
    fc.assert(
      fc.property(fc.array(act, { maxLength: 200, size: 'max' }), (acts) => {
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
          expect(fifo.items.filter((item) => item !== undefined)).to.deep.equal(naive);
          expect([fifo.size, fifo.first, fifo.toArray()]).to.deep.equal([naive.length, naive[0], naive]);
        }
      }),
      runs(500),
    );
  });
});
