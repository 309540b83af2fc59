import { expect } from 'chai';
import { TurnSlice } from '../../src/turns/turn-slice.ts';
import { turn } from '../support/turns.ts';
import { uncaughtDuring } from '../support/uncaught.ts';

describe('The slice of a turn', () => {
  it('runs what waits for the next turn, though a job of that turn throws', async () => {
    const slice = new TurnSlice({ now: () => 0 });
    const ran: string[] = [];
    const errors = await uncaughtDuring(1, () => {
      slice.nextTurn(() => ran.push('first'));
      slice.nextTurn(() => {
        throw new Error('boom');
      });
      for (const job of ['next', 'last']) slice.nextTurn(() => ran.push(job));
    });
    expect(errors.map(String)).to.deep.equal(['Error: boom']);
    expect(ran).to.deep.equal(['first', 'next', 'last']);
  });

  it('runs it in the turn after, though the clock throws in that turn', async () => {
    let readings = 0;
    const now = (): number => {
      if (++readings === 1) throw new Error('no time');
      return 0;
    };
    const slice = new TurnSlice({ now });
    const ran: string[] = [];
    const errors = await uncaughtDuring(1, () => {
      for (const job of ['first', 'last']) slice.nextTurn(() => ran.push(job));
    });
    await turn();
    expect(errors.map(String)).to.deep.equal(['Error: no time']);
    expect(ran).to.deep.equal(['first', 'last']);
  });
});
