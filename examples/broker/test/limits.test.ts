import { expect } from 'chai';
import { ErrorCode } from '../protocol/error-codes.ts';
import { makeBatch } from './support/batches.ts';
import { brokerOfEachTest } from './support/running-broker.ts';
import { pause, until } from './support/turns.ts';
import {
  fetchRequest,
  HOUR_MS,
  produceRequest,
  requestFrame,
  type WireClient,
} from './support/wire-client.ts';

describe('the limits of the broker', () => {
  const broker = brokerOfEachTest({}, 't');

  const large = makeBatch(['x'.repeat(900_000)]);
  const produce = (client: WireClient, records = makeBatch(['a'])) => client.produce('t', 0, -1, records);
  const produceLarge = async (count: number) => {
    for (let i = 0; i < count; i++) await produce(broker.client, large);
  };
  /** A connection that takes no answers. */
  const newDeaf = async () => {
    const deaf = await broker.newClient();
    deaf.socket.pause();
    return deaf;
  };
  /** All that it has logged is that it has closed connections, for these reasons. */
  const expectClosed = (...reasons: (string | RegExp)[]) => {
    const lines = broker.logged();
    expect(lines).to.have.length(reasons.length);
    for (const [index, reason] of reasons.entries())
      expect(lines[index])
        .to.match(/^closed the connection of PEER: /)
        .and.to.match(new RegExp(reason));
  };

  it('are kept by a connection too many, which is closed with one log line, until another one goes', async () => {
    await broker.restart({ maxConnections: 2 });
    const second = await broker.newClient();
    await (await broker.newClient()).closed();
    expect(broker.logged()).to.deep.equal(['refused a connection of PEER: --max-connections is 2']);
    expect(await broker.client.isServed()).to.equal(true);
    second.destroy();
    await broker.untilConnected(1);
    expect(await (await broker.newClient()).isServed()).to.equal(true);
  });

  it('leave room for 2,000 idle connections, half of them with half a frame, and good clients among them', async () => {
    const half = requestFrame('ApiVersions', 0, 1, {} as never).subarray(0, 6);
    const idle: WireClient[] = [];
    for (let i = 0; i < 20; i++) {
      const some = await Promise.all(Array.from({ length: 100 }, () => broker.newClient()));
      for (const client of some.slice(50)) client.socket.write(half);
      idle.push(...some);
    }
    await broker.untilConnected(2001);
    const parked = broker.client.park();
    await produce(idle[0]);
    expect((await parked).highWatermark).to.equal(1);
    for (const client of idle) client.destroy();
    await broker.untilConnected(1);
    expect(await broker.client.isServed()).to.equal(true);
  });

  it('end a connection whose frame trickles in and one that is silent, and none that asks or waits', async () => {
    await broker.restart({ connectionsMaxIdleMs: 2500 });
    const [slow, silent, waiting] = await Promise.all([1, 2, 3].map(() => broker.newClient()));
    void waiting.park();
    await broker.untilConnected(4);
    const frame = requestFrame('Metadata', 1, 1, { topics: null } as never);
    let at = 0;
    while (broker.status.connections > 2) {
      if (at < frame.length - 1) slow.socket.write(frame.subarray(at, ++at));
      expect(await broker.client.isServed()).to.equal(true);
      await pause(20);
    }
    await Promise.all([slow.closed(), silent.closed()]);
    expect(at, 'bytes that trickled in').to.be.above(1);
    const idle = 'idle for 2500 ms, which is --connections-max-idle-ms$';
    expectClosed(idle, idle);
    await broker.untilParked('fetch', 1);
  });

  it('end a connection that does not take its answers', async () => {
    await broker.restart({ connectionsMaxIdleMs: 2500 });
    await produceLarge(8);
    void (await newDeaf()).fetch('t', 0, 0);
    while (broker.status.connections > 1) {
      expect(await broker.client.isServed()).to.equal(true);
      await pause(20);
    }
    expectClosed('--connections-max-idle-ms');
  });

  it('are kept by fetches that are answered all at once: what a client has not taken is bounded', async () => {
    await produceLarge(20);
    const deaf = await newDeaf();
    for (let i = 0; i < 20; i++) void deaf.fetch('t', 0, 0, { maxWaitMs: 200, minBytes: 2 ** 30 });
    await until(() => broker.status.purgatories.fetch.expired === 20, 'they have come to their deadline');
    const metrics = await (await fetch(`http://127.0.0.1:${broker.http}/metrics`)).text();
    const sent = Number(/^broker_bytes_out_total (\d+)$/m.exec(metrics)?.[1]);
    // Of the 360 MB that they asked for.
    expect(sent).to.be.within(18_000_000, 60_000_000);
    deaf.socket.resume();
    await until(() => deaf.answered.length === 20, 'that many answers have come');
  });

  it('are kept by the answers of all connections together: those that take none go when others need the room', async () => {
    const maxAnswerBytes = 10 * large.length;
    await broker.restart({ maxAnswerBytes });
    await produceLarge(20);
    let most = 0;
    const look = () => {
      most = Math.max(most, broker.status.unsentBytes);
    };
    const deaf: WireClient[] = [];
    for (let i = 0; i < 30; i++) {
      deaf.push(await newDeaf());
      void deaf[i].fetch('t', 0, 0);
      look();
    }
    const lines: string[] = [];
    await until(() => {
      look();
      return lines.push(...broker.logged()) > 0;
    }, 'a connection ends');
    expect(lines[0]).to.match(/: it has not taken \d+ bytes of answers, where --max-answer-bytes is \d+$/);
    for (let i = 0; i < 5; i++) {
      const { records } = await broker.client.fetch('t', 0, 0, { maxBytes: 1 });
      look();
      expect(records, 'of a client that takes its answers').to.have.length(1);
    }
    expect(most).to.be.within(5 * large.length, 2 * maxAnswerBytes + large.length + 10_000);
    for (const client of deaf) client.destroy();
    await until(() => broker.status.unsentBytes === 0, 'nothing is left to take');
    broker.logged();
  });

  it('are kept by all requests in memory together: the connection that holds most of them goes', async () => {
    await broker.restart({ maxRequestBytes: 100_000 });
    const hold = async (bytes: number) => {
      const client = await broker.newClient();
      const part = Buffer.alloc(bytes);
      part.writeInt32BE(1_000_000);
      client.socket.write(part);
      return client;
    };
    const small = await hold(20_000);
    const most = await hold(70_000);
    expect(await broker.client.isServed()).to.equal(true);
    expectClosed();
    await hold(30_000);
    await most.closed();
    expectClosed(/its requests hold \d+ of \d+ bytes, where --max-request-bytes is 100000$/);
    expect(small.socket.destroyed).to.equal(false);
    // What is answered is not held: these are more than the limit.
    for (let i = 0; i < 4; i++) await produce(broker.client, makeBatch(['x'.repeat(40_000)]));
  });

  it('are kept by a small request that is large in memory', async () => {
    await broker.restart({ maxRequestBytes: 1_000_000 });
    const greedy = await broker.newClient();
    const { topics, ...rest } = fetchRequest('t', 0, 0, { maxWaitMs: HOUR_MS });
    const partitions = Array.from({ length: 5000 }, () => topics[0].partitions[0]);
    void greedy.send('Fetch', 11, { ...rest, topics: [{ ...topics[0], partitions }] });
    await greedy.closed();
    expectClosed('--max-request-bytes is 1000000');
    expect(broker.status.purgatories.fetch.numDelayed).to.equal(0);
    expect(await broker.client.isServed()).to.equal(true);
  });

  it('are kept by a fetch that finds no room to wait, while those that need not wait are answered', async () => {
    await broker.restart({ maxParked: 2 });
    const parked = [(await broker.newClient()).park(), (await broker.newClient()).park()];
    await broker.untilParked('fetch', 2);
    const refused = await broker.newClient();
    void refused.park();
    await refused.closed();
    expectClosed(/no room for one more fetch to wait, where --max-parked is 2$/);
    await produce(broker.client);
    await Promise.all(parked);
    expect((await broker.client.park()).highWatermark).to.equal(1);
  });

  it('are kept by a produce that finds no room to wait, before anything of it is appended', async () => {
    await broker.restart({ maxParked: 2 });
    const hasty = await broker.newClient();
    const frame = requestFrame('Produce', 7, 1, produceRequest('t', 0, -1, makeBatch(['a'])));
    hasty.socket.write(Buffer.concat([frame, frame, frame]));
    await hasty.closed();
    expectClosed('no room for one more produce to wait');
    expect(broker.partition().endOffset).to.equal(2);
    expect(broker.status.purgatories.produce.numDelayed).to.equal(0);
  });

  it('are kept by members that only take an id, and there is room again when they are forgotten', async () => {
    await broker.restart({ maxParked: 2 });
    const join = (memberId = '') => broker.client.join({ sessionTimeoutMs: 3000, memberId }, 4);
    const { memberId } = await join();
    expect((await join()).errorCode).to.equal(ErrorCode.MEMBER_ID_REQUIRED);
    expect((await join()).errorCode).to.equal(ErrorCode.COORDINATOR_NOT_AVAILABLE);
    expect(broker.logged()).to.deep.equal(['refused a new member from /PEER: --max-parked is 2']);
    expect((await join(memberId)).errorCode, 'of one that was let in').to.equal(ErrorCode.NONE);
    expect((await join()).errorCode).to.equal(ErrorCode.MEMBER_ID_REQUIRED);
  });

  it('are kept by what a group keeps of a member, in a join and in a share', async () => {
    const half = Buffer.alloc(600_000);
    const protocols = (names: (string | number)[], metadata: Buffer) =>
      names.map((name) => ({ name: `${name}`, metadata }));
    for (const ask of [
      (client: WireClient) => client.join({ protocols: protocols(['one', 'two'], half) }),
      (client: WireClient) => client.sync('', 1, { '': Buffer.concat([half, half]) }),
      (client: WireClient) => client.join({ protocols: protocols([...Array(101).keys()], Buffer.alloc(0)) }),
    ]) {
      const client = await broker.newClient();
      void ask(client);
      await client.closed();
    }
    expectClosed(
      'protocols of 1200006 bytes, where 1048576 is the most$',
      'a share of 1200000 bytes, where 1048576 is the most$',
      '101 protocols, where 100 is the most$',
    );
    expect(broker.status.groups).to.deep.equal([]);
    expect(await broker.client.isServed()).to.equal(true);
  });

  for (const [how, leave] of Object.entries({
    'closes its side': (client: WireClient) => client.socket.end(),
    'resets its connection': (client: WireClient) => client.socket.resetAndDestroy(),
  })) {
    it(`have nothing to do with a fetch of one hour whose client ${how}: it leaves with it`, async () => {
      const clients = await Promise.all(Array.from({ length: 50 }, () => broker.newClient()));
      for (const client of clients) for (const partition of [0, 1]) void client.park('t', partition);
      await broker.untilParked('fetch', 100);
      for (const client of clients) leave(client);
      await broker.untilConnected(1);
      await broker.untilParked('fetch', 0);
      const { watchedKeys, completedEarly, expired } = broker.status.purgatories.fetch;
      expect({ watchedKeys, completedEarly, expired }).to.deep.equal({
        watchedKeys: 0,
        completedEarly: 0,
        expired: 0,
      });
      expect(await broker.client.isServed()).to.equal(true);
    });
  }
});
