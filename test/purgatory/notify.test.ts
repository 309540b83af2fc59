import { expect } from 'chai';
import { ManualClock, Purgatory } from '../../src/index.ts';
import { isFull } from '../support/full.ts';
import { counts, EMPTY, hall, Op } from '../support/op.ts';
import { turn } from '../support/turns.ts';

describe('notify', () => {
  it('is not a pass yet, but becomes one at the end of this turn', async () => {
    const { purgatory, park, log } = hall();
    const op = park('a', ['k']);
    op.ready = true;
    const order: string[] = [];
    setImmediate(() => order.push(...log, 'the next turn'));
    purgatory.notify('k');
    expect(op.tries).to.equal(0);
    await turn();
    await turn();
    expect(order).to.deep.equal(['complete a', 'the next turn']);
  });

  it('is coalesced: any number in one turn make one pass', async () => {
    const { purgatory, park } = hall();
    const op = park('a', ['k', 'l']);
    for (let i = 0; i < 1_000; i++) purgatory.notify('k');
    await turn();
    expect(op.tries).to.equal(1);
    purgatory.notify('k');
    await turn();
    expect(op.tries).to.equal(2);
  });

  it('of a key that nobody watches is over in the call, and leaves nothing (behaviour 27)', async () => {
    const { purgatory, park } = hall();
    purgatory.notify('k');
    expect(purgatory.snapshot({ top: 0 }).events.pendingKeys).to.equal(0);
    const op = park('a', ['k']);
    op.ready = true;
    await turn();
    expect(op.isCompleted).to.equal(false);
    op.cancel();
    expect(counts(purgatory)).to.deep.equal(EMPTY);
  });

  it('of a pending key counts though all its watchers have gone (behaviour 28)', async () => {
    const { purgatory, park, log } = hall();
    const a = park('a', ['k']);
    purgatory.notify('k', { atMost: 1 });
    a.cancel();
    purgatory.notify('k', { atMost: 1 });
    for (const name of ['b', 'c', 'd']) park(name, ['k']).ready = true;
    await turn();
    expect(log).to.deep.equal(['complete b', 'complete c']);
  });

  it('in a try tells its own key anew, though the try is that of its last watcher (behaviour 24)', async () => {
    const { purgatory, park, log } = hall();
    park('a', ['k'], {
      onCompleted: () => {
        purgatory.notify('k');
        park('b', ['k']).ready = true;
      },
    }).ready = true;
    purgatory.notify('k');
    await turn();
    expect(log).to.deep.equal(['complete a', 'complete b']);
  });
});

describe('behaviour 17: a chain of completions through notify', () => {
  const LENGTH = isFull ? 1_000_000 : 100_000;

  it(`uses constant stack for ${LENGTH} of them`, async () => {
    const { purgatory, errors } = hall();
    const depths: number[] = [];
    const stackDepth = (): number => {
      const limit = Error.stackTraceLimit;
      Error.stackTraceLimit = Number.POSITIVE_INFINITY;
      const depth = new Error().stack?.split('\n').length ?? 0;
      Error.stackTraceLimit = limit;
      return depth;
    };
    await new Promise<void>((resolve) => {
      let links = 0;
      const options = {
        onCompleted: (): void => {
          if (links === 10 || links === LENGTH) depths.push(stackDepth());
          if (links === LENGTH) resolve();
          else link();
        },
      };
      const link = (): void => {
        const op = new Op('link', { ...options, log: { push: () => 0 } as unknown as string[] });
        purgatory.tryCompleteElseWatch(op, [++links]);
        op.ready = true;
        purgatory.notify(links);
      };
      link();
    });
    expect(errors).to.deep.equal([]);
    expect(depths).to.have.length(2);
    expect(depths[1]).to.be.at.most(depths[0]);
    expect(counts(purgatory)).to.deep.equal(EMPTY);
  });

  describe('in a condition, of its own key, without end', () => {
    async function turnsOfTheLoop(purgatory: Pick<Purgatory, 'numDelayed' | 'cancelForKey'>): Promise<void> {
      for (let turns = 0; turns < 3; turns++) await turn();
      expect(purgatory.numDelayed).to.equal(1);
      expect(purgatory.cancelForKey('k')).to.have.length.within(0, 1);
    }

    it('lets the event loop go on, and the operation can be taken out', async () => {
      const { purgatory, park } = hall();
      const op = park('a', ['k'], { onTry: () => purgatory.notify('k') });
      await turnsOfTheLoop(purgatory);
      expect(op.tries, 'some milliseconds of them a turn').to.be.within(10_000, 100_000);
      expect(counts(purgatory)).to.deep.equal(EMPTY);
    });

    it('lets the event loop go on when the condition is asynchronous', async () => {
      const purgatory = new Purgatory<string>('test', { clock: new ManualClock() });
      let tries = 0;
      const attempt = async (): Promise<undefined> => {
        tries++;
        purgatory.notify('k');
      };
      const waiting = purgatory.waitFor(['k'], attempt, { timeoutMs: 1_000 }).catch((error) => error.code);
      await turnsOfTheLoop(purgatory);
      expect(await waiting).to.equal('ERR_PURGATORY_CANCELLED');
      expect(tries).to.be.greaterThan(10_000);
    });
  });
});
