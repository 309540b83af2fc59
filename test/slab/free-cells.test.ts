import { expect } from 'chai';
import fc from 'fast-check';
import { FreeCells } from '../../src/slab/free-cells.ts';
import { runs } from '../property/runs.ts';

const CAPACITY = 96;

const range = (from: number, end: number): number[] => Array.from({ length: end - from }, (_, i) => from + i);

/** Uses up the next cells; undefined where the turn is over. */
function take(free: FreeCells): number[] | undefined {
  if (!free.takeRun()) return undefined;
  const run = range(free.next, free.end);
  expect(run.every((cell) => free.has(cell))).to.equal(true);
  free.next = free.end;
  return run;
}

describe('FreeCells', () => {
  it('knows those behind the ones in use', () => {
    for (const inUse of [0, 1, 31, 32, 33, CAPACITY - 1, CAPACITY]) {
      const free = new FreeCells(inUse, CAPACITY);
      expect(range(0, CAPACITY).filter((cell) => free.has(cell))).to.deep.equal(range(inUse, CAPACITY));
      expect([...free.inUse(inUse)]).to.deep.equal(range(0, inUse));
    }
  });

  it('gives each turn, in the order of memory, what was free ahead, and leaves what was freed behind to the next', () => {
    const act = fc.option(fc.nat(CAPACITY - 1), { nil: undefined, freq: 2 });
    fc.assert(
      fc.property(fc.nat(CAPACITY), fc.array(act, { maxLength: 300 }), (used, givenOrTake) => {
        const free = new FreeCells(used, CAPACITY);
        const inUse = new Set(range(0, used));
        let last = -1;
        for (const given of givenOrTake) {
          if (given !== undefined) {
            if (inUse.delete(given)) free.give(given);
          } else {
            const run = take(free);
            if (run === undefined) {
              const left = range(0, CAPACITY).filter((cell) => !inUse.has(cell));
              expect(left.every((cell) => cell <= last || cell >> 5 === last >> 5)).to.equal(true);
              free.beginTurn();
              last = -1;
            } else {
              expect(run[0]).to.be.above(last);
              expect(run.some((cell) => inUse.has(cell))).to.equal(false);
              for (const cell of run) inUse.add(cell);
              last = run[run.length - 1];
            }
          }
          expect(range(0, CAPACITY).filter((cell) => !free.has(cell))).to.have.members([...inUse]);
          expect([...free.inUse(inUse.size)]).to.deep.equal([...inUse].sort((a, b) => a - b));
        }
      }),
      runs(200),
    );
  });

  it('does not take the cells to use next for cells in use', () => {
    const free = new FreeCells(64, 64);
    free.give(3);
    free.give(4);
    expect(free.takeRun()).to.equal(true);
    expect([free.next, free.end]).to.deep.equal([3, 5]);
    expect([...free.inUse(62)]).to.deep.equal([...range(0, 3), ...range(5, 64)]);
    free.next++;
    expect([...free.inUse(63)]).to.deep.equal([...range(0, 4), ...range(5, 64)]);
  });

  it('goes on with the new ones when it is doubled, and with what was left in the next turn', () => {
    const free = new FreeCells(0, 32);
    expect(take(free)).to.deep.equal(range(0, 32));
    free.give(31);
    free.give(7);
    expect(take(free)).to.equal(undefined);
    const doubled = free.doubled();
    expect(doubled.words).to.equal(2);
    expect(take(doubled)).to.deep.equal(range(32, 64));
    expect(take(doubled)).to.equal(undefined);
    doubled.beginTurn();
    expect([take(doubled), take(doubled), take(doubled)]).to.deep.equal([[7], [31], undefined]);
  });
});
