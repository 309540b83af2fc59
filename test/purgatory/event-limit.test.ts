import { expect } from 'chai';
import * as limits from '../../src/purgatory/event-limit.ts';

const { ALL, addHints, addLimits, checkedLimit, hintOfLimit, limitOfHint } = limits;

describe('The limit of an event (behaviour 28)', () => {
  it('is atMost, or none, and a larger one than any key has watchers is none', () => {
    const given = [undefined, {}, { atMost: 3 }, { atMost: Number.MAX_SAFE_INTEGER }];
    expect(given.map(checkedLimit)).to.deep.equal([ALL, ALL, 3, ALL]);
  });

  it('adds up, in hints that become one, too, and one without a limit removes it', () => {
    expect([addLimits(2, 3), addLimits(2, ALL), addLimits(ALL, ALL)]).to.deep.equal([5, ALL, ALL]);
    const hints = [addHints(2, 3), addHints(2, undefined), addHints(undefined, 3)];
    expect(hints).to.deep.equal([5, undefined, undefined]);
  });

  it('is carried by a hint, and none by a hint whose value is no limit', () => {
    expect([hintOfLimit(3), hintOfLimit(ALL)]).to.deep.equal([3, undefined]);
    const hints = [3, 3n, undefined, 0, -1, Number.NaN, Number.POSITIVE_INFINITY];
    expect(hints.map(limitOfHint)).to.deep.equal([3, 3, ALL, ALL, ALL, ALL, ALL]);
  });
});
