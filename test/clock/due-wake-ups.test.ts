import { expect } from 'chai';
import { inNextTurn } from '../../src/clock/later.ts';
import { foreign } from '../../src/clock/replacements.ts';
import { SystemClock } from '../../src/clock/system-clock.ts';
import { systemClock, type WakeUp } from '../../src/index.ts';
import { turn } from '../support/turns.ts';
import { uncaughtDuring } from '../support/uncaught.ts';

describe('A wake-up of the system clock whose time has come', () => {
  const ran: string[] = [];

  function wake(name: string, action = (): void => {}): WakeUp {
    return systemClock.wakeAt(0, () => {
      ran.push(name);
      action();
    });
  }

  beforeEach(() => ran.splice(0));

  it('comes once, in the next turn, in the order of the calls', async () => {
    for (const name of ['a', 'b', 'c']) wake(name);
    expect(ran).to.deep.equal([]);
    await turn();
    expect(ran).to.deep.equal(['a', 'b', 'c']);
    await turn();
    expect(ran).to.have.length(3);
  });

  it('comes one turn later than the timer of the host, so that the host reads its sockets first (behaviour 36)', async () => {
    let turns = 0;
    const inDueTurn = (go: () => void): void => {
      turns++;
      inNextTurn(go);
    };
    const clock = new SystemClock(inDueTurn, foreign, true);
    await new Promise<void>((resolve) => clock.wakeAt(clock.now() + 5, () => resolve()));
    expect(turns).to.equal(1);
  });

  it('does not come when it was cancelled, also by one of the same turn', async () => {
    const cancelled = wake('cancelled');
    let late: WakeUp | undefined;
    wake('first', () => late?.cancel());
    late = wake('late');
    cancelled.cancel();
    wake('last');
    await turn();
    await turn();
    expect(ran).to.deep.equal(['first', 'last']);
  });

  it('that it sets comes in the turn after it, so that the event loop comes in between', async () => {
    const again = (): WakeUp => wake('again', () => ran.length < 2 && again());
    again();
    await turn();
    expect(ran).to.deep.equal(['again']);
    await turn();
    expect(ran).to.deep.equal(['again', 'again']);
  });

  it('lets the microtasks run before the next, and all that they cause', async () => {
    const caused = (name: string) => async (): Promise<void> => {
      for (let i = 0; i < 9; i++) await undefined;
      ran.push(name);
    };
    for (const name of ['a', 'b']) wake(name, () => void caused(`after ${name}`)());
    await turn();
    expect(ran).to.deep.equal(['a', 'after a', 'b', 'after b']);
  });

  it('does not keep the others back when it throws', async () => {
    const errors = await uncaughtDuring(1, () => {
      wake('throws', () => {
        throw new Error('boom');
      });
      for (const name of ['next', 'last']) wake(name);
    });
    await turn();
    expect(ran).to.deep.equal(['throws', 'next', 'last']);
    expect(errors.map((error) => (error as Error).message)).to.deep.equal(['boom']);
  });

  it('leaves nothing at the host, due or not, however often it is set and cancelled', async () => {
    const held = (kind = 'Immediate'): number =>
      process.getActiveResourcesInfo().filter((resource) => resource === kind).length;
    const timeouts = held('Timeout');
    for (let i = 0; i < 100; i++) systemClock.wakeAt(systemClock.now() + 60_000, () => {}).cancel();
    expect(held('Timeout')).to.equal(timeouts);
    const before = held();
    for (let i = 0; i < 1_000; i++) wake('cancelled').cancel();
    await turn();
    await turn();
    expect(ran).to.deep.equal([]);
    expect(held()).to.equal(before);
  });
});
