import { AsyncLocalStorage } from 'node:async_hooks';
import { expect } from 'chai';
import { inNextTurn, TurnEnd } from '../../src/clock/later.ts';
import { turn } from '../support/turns.ts';

describe('Later', () => {
  it('is the end of this turn, once, however often it is requested', async () => {
    let goes = 0;
    const turnEnd = new TurnEnd(() => void goes++);
    turnEnd.request();
    turnEnd.request();
    expect(goes).to.equal(0);
    await undefined;
    expect(goes).to.equal(1);
    turnEnd.request();
    await undefined;
    expect(goes).to.equal(2);
  });

  it('is the next turn, and holds the process until then', async () => {
    const held = (): number =>
      process.getActiveResourcesInfo().filter((resource) => resource === 'Immediate').length;
    const before = held();
    let hasCome = false;
    inNextTurn(() => {
      hasCome = true;
    });
    expect(held()).to.equal(before + 1);
    await undefined;
    expect(hasCome).to.equal(false);
    await turn();
    expect(hasCome).to.equal(true);
  });

  it('is outside of the async context of who asks', async () => {
    const requests = new AsyncLocalStorage<string>();
    const seen: (string | undefined)[] = [];
    const see = (): void => void seen.push(requests.getStore());
    requests.run('request', () => {
      new TurnEnd(see).request();
      inNextTurn(see);
    });
    await turn();
    await turn();
    expect(seen).to.deep.equal([undefined, undefined]);
  });
});
