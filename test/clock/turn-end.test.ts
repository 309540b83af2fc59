import { expect } from 'chai';
import { TurnEnd } from '../../src/clock/turn-end.ts';
import { atStackEnd } from '../support/stack-end.ts';

describe('A go at the end of the turn', () => {
  it('is one, however often it is requested', async () => {
    let goes = 0;
    const turnEnd = new TurnEnd(() => void goes++);
    turnEnd.request();
    turnEnd.request();
    expect([goes, turnEnd.isRequested]).to.deep.equal([0, true]);
    await undefined;
    expect([goes, turnEnd.isRequested]).to.deep.equal([1, false]);
  });

  it('comes after a request that overflowed the stack, by the next one (behaviour 22)', async () => {
    for (let pad = 0; pad < 40; pad++) {
      let goes = 0;
      const turnEnd = new TurnEnd(() => void goes++);
      atStackEnd(pad, () => turnEnd.request());
      await undefined;
      expect(goes, `after ${pad} frames`).to.equal(1);
    }
  });
});
