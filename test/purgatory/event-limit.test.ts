import { expect } from 'chai';
import {
  ALL,
  addHints,
  addLimits,
  checkedLimit,
  hintOfLimit,
  limitOfHint,
} from '../../src/purgatory/event-limit.ts';

describe('The limit of an event (behaviour 28)', () => {
  it('is atMost, or none, and a larger one than any key has watchers is none', () => {
    expect(
      [undefined, {}, { atMost: 3 }, { atMost: Number.MAX_SAFE_INTEGER }].map(checkedLimit),
    ).to.deep.equal([ALL, ALL, 3, ALL]);
  });

  it('adds up, and one without a limit removes it', () => {
    expect([addLimits(2, 3), addLimits(2, ALL), addLimits(ALL, ALL)]).to.deep.equal([5, ALL, ALL]);
  });

  it('is carried by a hint, and none by a hint without a value', () => {
    expect([hintOfLimit(3), hintOfLimit(ALL)]).to.deep.equal([3, undefined]);
    expect([limitOfHint(3), limitOfHint(3n), limitOfHint(undefined)]).to.deep.equal([3, 3, ALL]);
  });

  it('is none in a hint whose value is no limit', () => {
    expect([0, -1, Number.NaN, Number.POSITIVE_INFINITY].map(limitOfHint)).to.deep.equal([
      ALL,
      ALL,
      ALL,
      ALL,
    ]);
  });

  it('adds up in hints that become one, and one without a value removes it', () => {
    expect([addHints(2, 3), addHints(2, undefined), addHints(undefined, 3)]).to.deep.equal([
      5,
      undefined,
      undefined,
    ]);
  });
});
