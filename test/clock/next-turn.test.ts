import { expect } from 'chai';
import { NextTurn, type NextTurnJob } from '../../src/clock/next-turn.ts';
import { turn } from '../support/turns.ts';
import { uncaughtDuring } from '../support/uncaught.ts';

describe('The next turn', () => {
  const ran: string[] = [];

  function job(name: string, action = (): void => {}): NextTurnJob {
    const run = (): void => {
      ran.push(name);
      action();
    };
    return { run, isRef: true };
  }

  beforeEach(() => ran.splice(0));

  it('runs what was added, once, in order, and not from inside add', async () => {
    const next = new NextTurn();
    for (const name of ['a', 'b', 'c']) next.add(job(name));
    expect(ran).to.deep.equal([]);
    await turn();
    await turn();
    expect(ran).to.deep.equal(['a', 'b', 'c']);
  });

  it('runs nothing that is deleted, also by what runs before it in the same turn', async () => {
    const next = new NextTurn();
    const late = job('late');
    const deleted = job('deleted');
    next.add(deleted);
    next.add(job('first', () => next.delete(late)));
    next.add(late);
    next.delete(deleted);
    await turn();
    await turn();
    expect(ran).to.deep.equal(['first']);
  });

  it('keeps what a turn adds for the turn after it, so that the event loop comes in between', async () => {
    const next = new NextTurn();
    const again = job('again', () => next.add(again));
    next.add(again);
    await turn();
    expect(ran).to.deep.equal(['again']);
    await turn();
    expect(ran).to.deep.equal(['again', 'again']);
    next.delete(again);
  });

  it('lets the microtasks run after each job, and what they cause', async () => {
    const next = new NextTurn();
    const caused = (name: string) => async (): Promise<void> => {
      for (let i = 0; i < 3; i++) await undefined;
      ran.push(name);
    };
    for (const name of ['a', 'b']) next.add(job(name, () => void caused(`after ${name}`)()));
    await turn();
    await turn();
    expect(ran).to.deep.equal(['a', 'after a', 'b', 'after b']);
  });

  it('runs the others when one throws', async () => {
    const next = new NextTurn();
    const errors = await uncaughtDuring(1, () => {
      next.add(
        job('throws', () => {
          throw new Error('boom');
        }),
      );
      next.add(job('next'));
      next.add(job('last'));
    });
    expect(ran).to.deep.equal(['throws', 'next', 'last']);
    expect(errors.map((error) => (error as Error).message)).to.deep.equal(['boom']);
  });
});
