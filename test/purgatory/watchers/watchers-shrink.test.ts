import { expect } from 'chai';
import { checkPurgatoryInvariants } from '../../../src/purgatory/purgatory.ts';
import { hall, type Op } from '../../support/op.ts';

describe('Memory of watch lists that is given back in steps', () => {
  it('is so where all that watch a key leave, and others come, before the turn of its list', () => {
    const { purgatory, park, log } = hall();
    // Lone watchers, so many that the next operations get places at the front of memory.
    const lone = Array.from({ length: 1_003 }, (_, i) => park(`lone ${i}`, [`request ${i}`]));
    const keys = Array.from({ length: 400 }, (_, i) => `key ${i}`);
    const many = Array.from({ length: 10 }, (_, i) => park(`many ${i}`, keys));
    const pairs = Array.from({ length: 10 }, (_, i): [string, string] => [`late ${i}`, `later ${i}`]);
    const old = pairs.map((pair, i) => park(`old ${i}`, pair));
    const leave = (ops: readonly Op[]): void => {
      for (const op of ops) expect(op.forceComplete()).to.equal(true);
    };
    leave(lone.splice(0, 100));
    leave(many);
    const young = Array.from({ length: 30 }, (_, i) =>
      park(`young ${i}`, pairs[i % pairs.length] as string[]),
    );
    leave(old);
    for (const op of lone) {
      leave([op]);
      checkPurgatoryInvariants(purgatory);
    }
    for (const op of young) op.ready = true;
    for (const [key] of pairs) expect(purgatory.checkAndComplete(key)).to.equal(3);
    expect(log).to.have.length(1_003 + 10 + 10 + 30);
  });
});
