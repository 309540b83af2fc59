import { expect } from 'chai';
import { ManualClock, SystemTimer } from 'purgatory';
import { type Ack, Broker, type FetchRequest } from '../../examples/delayed-fetch/main.ts';
import { runExample } from '../support/example-server.ts';
import { turn } from '../support/turns.ts';

describe('examples/delayed-fetch', () => {
  let clock: ManualClock;
  let timer: SystemTimer;
  let broker: Broker;
  let acks: Ack[];
  let fetched: string[][];

  beforeEach(() => {
    clock = new ManualClock();
    timer = new SystemTimer({ clock });
    broker = new Broker(timer);
    acks = [];
    fetched = [];
  });

  function produce(record: string): void {
    broker.produce('orders', record, 1_000, (ack) => acks.push(ack));
  }

  function fetch(request: Partial<FetchRequest>): ReturnType<Broker['fetch']> {
    return broker.fetch(
      { topic: 'orders', offset: 0, minRecords: 1, maxWaitMs: 500, ...request },
      (records) => fetched.push(records),
    );
  }

  /** Both replicas say that they have the records before `offset`. */
  function copied(offset: number): void {
    for (const replica of ['a', 'b']) fetch({ replica, offset, maxWaitMs: Number.POSITIVE_INFINITY });
  }

  it('acknowledges a record once two replicas have it, and shows it to consumers then', async () => {
    fetch({ minRecords: 2 });
    produce('apples');
    produce('pears');
    fetch({ replica: 'a', offset: 2, maxWaitMs: Number.POSITIVE_INFINITY });
    await turn();
    expect({ acks, fetched }).to.deep.equal({ acks: [], fetched: [] });
    fetch({ replica: 'b', offset: 1, maxWaitMs: Number.POSITIVE_INFINITY });
    await turn();
    expect(acks).to.deep.equal([{ offset: 0, isReplicated: true }]);
    expect(fetched).to.deep.equal([['pears']]); // what the second replica has yet to copy
    fetch({ replica: 'b', offset: 2, maxWaitMs: Number.POSITIVE_INFINITY });
    await turn();
    expect(acks).to.deep.equal([0, 1].map((offset) => ({ offset, isReplicated: true })));
    expect(fetched).to.deep.equal([['pears'], ['apples', 'pears']]);
  });

  it('answers a fetch at its deadline with what there is', async () => {
    produce('apples');
    copied(1);
    await turn();
    fetch({ minRecords: 2 });
    clock.advance(499);
    expect(fetched).to.deep.equal([]);
    clock.advance(1);
    expect(fetched).to.deep.equal([['apples']]);
  });

  it('tells a producer at the deadline that the record is not replicated', () => {
    produce('apples');
    clock.advance(1_000);
    expect(acks).to.deep.equal([{ offset: 0, isReplicated: false }]);
  });

  it('forgets a fetch whose caller cancels it', async () => {
    expect(fetch({}).cancel()).to.equal(true);
    produce('apples');
    copied(1);
    await turn();
    expect(fetched).to.deep.equal([]);
    expect(timer.size).to.equal(0);
  });

  it('answers all that waits when it closes', () => {
    fetch({});
    produce('apples');
    broker.close();
    expect({ acks, fetched }).to.deep.equal({ acks: [{ offset: 0, isReplicated: false }], fetched: [[]] });
    expect(timer.size).to.equal(0);
  });

  it('runs as its README says', async () => {
    const lines = await runExample('delayed-fetch');
    expect(lines[0]).to.equal('a fetch of two records waits: 1 parked');
    expect(lines).to.include("the fetch is answered: [ 'apples', 'pears' ]");
    expect(lines).to.include('one replica is gone: { offset: 2, isReplicated: false }');
    expect(lines.slice(-2)).to.deep.equal([
      'and consumers do not see the record: []',
      'left: 0 fetches, 0 acks',
    ]);
  });
});
