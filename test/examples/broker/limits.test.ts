import { expect } from 'chai';
import type { BrokerOptions } from '../../../examples/broker/options.ts';
import { ErrorCode } from '../../../examples/broker/protocol/error-codes.ts';
import { pause, until } from '../../support/turns.ts';
import { makeBatch } from './support/batches.ts';
import { type RunningBroker, startBroker } from './support/running-broker.ts';
import { fetchRequest, produceRequest, requestFrame, WireClient } from './support/wire-client.ts';

const HOUR_MS = 3_600_000;

describe('the limits of the broker', () => {
  let running: RunningBroker;
  const clients: WireClient[] = [];

  async function start(options: Partial<BrokerOptions>): Promise<WireClient> {
    running = await startBroker(options);
    const good = await newClient();
    await good.createTopics('t');
    return good;
  }

  async function newClient(): Promise<WireClient> {
    const client = await WireClient.connect(running.port);
    clients.push(client);
    return client;
  }

  const parkFetch = (client: WireClient) =>
    client.send('Fetch', 11, fetchRequest('t', 0, 0, { maxWaitMs: HOUR_MS, minBytes: 1 }));

  const produce = (client: WireClient) =>
    client.send('Produce', 7, produceRequest('t', 0, -1, makeBatch(['a'])));

  const numDelayed = () => running.broker.status().purgatories.fetch.numDelayed;
  const connections = () => running.broker.status().connections;
  const isServed = async (client: WireClient) =>
    (await client.send('ApiVersions', 0, {} as never)).errorCode === ErrorCode.NONE;

  afterEach(async () => {
    for (const client of clients.splice(0)) client.destroy();
    await running.broker.stop();
  });

  it('are kept by a connection too many, which is closed with one log line, until another one goes', async () => {
    const good = await start({ maxConnections: 2 });
    const second = await newClient();
    await (await newClient()).closed();
    expect(running.lines).to.have.length(1);
    expect(running.lines[0]).to.match(/^refused a connection of 127\.0\.0\.1:\d+: --max-connections is 2$/);
    expect(await isServed(good)).to.equal(true);
    second.destroy();
    await until(() => connections() === 1, 'the others have gone');
    expect(await isServed(await newClient())).to.equal(true);
    expect(running.lines).to.have.length(1);
  });

  it('leave room for 2,000 idle connections, half of them with half a frame, and good clients among them', async () => {
    const good = await start({});
    const half = requestFrame('ApiVersions', 0, 1, {} as never).subarray(0, 6);
    for (let i = 0; i < 20; i++) {
      const some = await Promise.all(Array.from({ length: 100 }, newClient));
      for (const client of some.slice(50)) client.socket.write(half);
    }
    await until(() => connections() === 2001, 'all are connected');
    const parked = parkFetch(good);
    await produce(clients[1]);
    expect((await parked).responses[0].partitions[0].highWatermark).to.equal(1);
    for (const client of clients.splice(1)) client.destroy();
    await until(() => connections() === 1, 'the others have gone');
    expect(await isServed(good)).to.equal(true);
    expect(running.lines).to.deep.equal([]);
  });

  it('end a connection whose frame trickles in and one that is silent, and none that asks or waits', async () => {
    const good = await start({ connectionsMaxIdleMs: 600 });
    const [slow, silent, waiting] = [await newClient(), await newClient(), await newClient()];
    void parkFetch(waiting);
    const frame = requestFrame('Metadata', 1, 1, { topics: null } as never);
    let at = 0;
    while (connections() > 2) {
      if (at < frame.length - 1) slow.socket.write(frame.subarray(at, ++at));
      expect(await isServed(good)).to.equal(true);
      await pause(20);
    }
    await Promise.all([slow.closed(), silent.closed()]);
    expect(at, 'bytes that trickled in').to.be.above(1);
    expect(running.lines).to.have.length(2);
    for (const line of running.lines) {
      expect(line).to.match(/^closed the .+: idle for 600 ms, which is --connections-max-idle-ms$/);
    }
    expect(numDelayed()).to.equal(1);
  });

  it('end a connection that does not take its answers', async () => {
    const good = await start({ connectionsMaxIdleMs: 600 });
    for (let i = 0; i < 8; i++) await good.produce('t', 0, -1, makeBatch(['x'.repeat(900_000)]));
    const deaf = await newClient();
    deaf.socket.pause();
    deaf.socket.write(requestFrame('Fetch', 11, 1, fetchRequest('t', 0, 0, { maxWaitMs: 0, minBytes: 1 })));
    while (connections() > 1) {
      expect(await isServed(good)).to.equal(true);
      await pause(20);
    }
    expect(running.lines).to.have.length(1);
    expect(running.lines[0]).to.contain('--connections-max-idle-ms');
  });

  it('are kept by fetches that are answered all at once: what a client has not taken is bounded', async () => {
    const good = await start({});
    const records = makeBatch(['x'.repeat(900_000)]);
    for (let i = 0; i < 20; i++) await good.produce('t', 0, -1, records);
    const deaf = await newClient();
    deaf.socket.pause();
    for (let i = 0; i < 20; i++)
      void deaf.send('Fetch', 11, fetchRequest('t', 0, 0, { maxWaitMs: 200, minBytes: 2 ** 30 }));
    await until(
      () => running.broker.status().purgatories.fetch.expired === 20,
      'they have come to their deadline',
    );
    const metrics = await (await fetch(`http://127.0.0.1:${running.http}/metrics`)).text();
    const sent = Number(/^broker_bytes_out_total (\d+)$/m.exec(metrics)?.[1]);
    // Of the 360 MB that they asked for.
    expect(sent).to.be.within(18_000_000, 60_000_000);
    deaf.socket.resume();
    await until(() => deaf.answered.length === 20, 'that many answers have come');
    expect(running.lines).to.deep.equal([]);
  });

  it('are kept by the answers of all connections together: those that take none go when others need the room', async () => {
    const batch = makeBatch(['x'.repeat(900_000)]);
    const maxAnswerBytes = 10 * batch.length;
    const good = await start({ maxAnswerBytes });
    for (let i = 0; i < 20; i++) await good.produce('t', 0, -1, batch);
    let most = 0;
    const look = () => {
      most = Math.max(most, running.broker.status().unsentBytes);
    };
    const all = fetchRequest('t', 0, 0, { maxWaitMs: 0, minBytes: 1 });
    for (let i = 0; i < 30; i++) {
      const deaf = await newClient();
      deaf.socket.pause();
      void deaf.send('Fetch', 11, all);
      look();
    }
    await until(() => {
      look();
      return running.lines.length > 0;
    }, 'a connection ends');
    expect(running.lines[0]).to.match(
      /: it has not taken \d+ bytes of answers, where --max-answer-bytes is \d+$/,
    );
    const one = fetchRequest('t', 0, 0, { maxWaitMs: 0, minBytes: 1, maxBytes: 1 });
    for (let i = 0; i < 5; i++) {
      const { responses } = await good.send('Fetch', 11, one);
      look();
      expect(responses[0].partitions[0].records, 'of a client that takes its answers').to.have.length(1);
    }
    expect(most).to.be.within(5 * batch.length, 2 * maxAnswerBytes + batch.length + 10_000);
    for (const deaf of clients.splice(1)) deaf.destroy();
    await until(() => running.broker.status().unsentBytes === 0, 'nothing is left to take');
  });

  it('are kept by all requests in memory together: the connection that holds most of them goes', async () => {
    const good = await start({ maxRequestBytes: 100_000 });
    const hold = async (bytes: number) => {
      const client = await newClient();
      const part = Buffer.alloc(bytes);
      part.writeInt32BE(1_000_000);
      client.socket.write(part);
      return client;
    };
    const small = await hold(20_000);
    const large = await hold(70_000);
    await isServed(good);
    expect(running.lines).to.deep.equal([]);
    await hold(30_000);
    await large.closed();
    expect(running.lines).to.have.length(1);
    expect(running.lines[0]).to.match(
      /its requests hold \d+ of \d+ bytes, where --max-request-bytes is 100000$/,
    );
    expect(small.socket.destroyed).to.equal(false);
    // What is answered is not held: these are more than the limit.
    for (let i = 0; i < 4; i++) await good.produce('t', 0, -1, makeBatch(['x'.repeat(40_000)]));
    expect(running.lines).to.have.length(1);
  });

  it('are kept by a small request that is large in memory', async () => {
    const good = await start({ maxRequestBytes: 1_000_000 });
    const greedy = await newClient();
    const { topics, ...rest } = fetchRequest('t', 0, 0, { maxWaitMs: HOUR_MS, minBytes: 1 });
    const partitions = Array.from({ length: 5000 }, () => topics[0].partitions[0]);
    void greedy.send('Fetch', 11, { ...rest, topics: [{ ...topics[0], partitions }] });
    await greedy.closed();
    expect(running.lines).to.have.length(1);
    expect(running.lines[0]).to.contain('--max-request-bytes is 1000000');
    expect(numDelayed()).to.equal(0);
    expect(await isServed(good)).to.equal(true);
  });

  it('are kept by a fetch that finds no room to wait, while those that need not wait are answered', async () => {
    const good = await start({ maxParked: 2 });
    const parked = [parkFetch(await newClient()), parkFetch(await newClient())];
    await until(() => numDelayed() === 2, 'that many wait');
    const refused = await newClient();
    void parkFetch(refused);
    await refused.closed();
    expect(running.lines).to.have.length(1);
    expect(running.lines[0]).to.match(
      /^closed the .+: no room for one more fetch to wait, where --max-parked is 2$/,
    );
    await produce(good);
    await Promise.all(parked);
    expect((await parkFetch(good)).responses[0].partitions[0].highWatermark).to.equal(1);
  });

  it('are kept by a produce that finds no room to wait, before anything of it is appended', async () => {
    await start({ maxParked: 2 });
    const hasty = await newClient();
    const frame = requestFrame('Produce', 7, 1, produceRequest('t', 0, -1, makeBatch(['a'])));
    hasty.socket.write(Buffer.concat([frame, frame, frame]));
    await hasty.closed();
    expect(running.lines).to.have.length(1);
    expect(running.lines[0]).to.contain('no room for one more produce to wait');
    expect(running.broker.status().topics[0].partitions[0].endOffset).to.equal(2);
    expect(running.broker.status().purgatories.produce.numDelayed).to.equal(0);
  });

  it('are kept by members that only take an id, and there is room again when they are forgotten', async () => {
    const client = await start({ maxParked: 2 });
    const join = (memberId = '') => client.join({ sessionTimeoutMs: 1000, memberId }, 4);
    const { memberId } = await join();
    expect((await join()).errorCode).to.equal(ErrorCode.MEMBER_ID_REQUIRED);
    expect((await join()).errorCode).to.equal(ErrorCode.COORDINATOR_NOT_AVAILABLE);
    expect(running.lines).to.deep.equal(['refused a new member from /127.0.0.1: --max-parked is 2']);
    expect((await join(memberId)).errorCode, 'of one that was let in').to.equal(ErrorCode.NONE);
    expect((await join()).errorCode).to.equal(ErrorCode.MEMBER_ID_REQUIRED);
  });

  it('are kept by what a group keeps of a member, in a join and in a share', async () => {
    const good = await start({});
    const large = Buffer.alloc(600_000);
    const joiner = await newClient();
    void joiner.join({ protocols: ['one', 'two'].map((name) => ({ name, metadata: large })) });
    await joiner.closed();
    const leader = await newClient();
    void leader.sync('', 1, { '': Buffer.concat([large, large]) });
    await leader.closed();
    const versatile = await newClient();
    void versatile.join({
      protocols: Array.from({ length: 101 }, (_, i) => ({ name: `${i}`, metadata: Buffer.alloc(0) })),
    });
    await versatile.closed();
    expect(running.lines.map((line) => line.replace(/^.*: /, ''))).to.deep.equal([
      'protocols of 1200006 bytes, where 1048576 is the most',
      'a share of 1200000 bytes, where 1048576 is the most',
      '101 protocols, where 100 is the most',
    ]);
    expect(running.broker.status().groups).to.deep.equal([]);
    expect(await isServed(good)).to.equal(true);
  });

  for (const [how, leave] of Object.entries({
    'closes its side': (client: WireClient) => client.socket.end(),
    'resets its connection': (client: WireClient) => client.socket.resetAndDestroy(),
  })) {
    it(`have nothing to do with a fetch of one hour whose client ${how}: it leaves with it`, async () => {
      const good = await start({});
      for (let i = 0; i < 100; i++) void parkFetch(await newClient());
      await until(() => numDelayed() === 100, 'that many wait');
      for (const client of clients.splice(1)) leave(client);
      await until(() => numDelayed() === 0, 'nothing waits any more');
      await until(() => connections() === 1, 'the others have gone');
      expect(running.broker.status().purgatories.fetch.watchedKeys).to.equal(0);
      expect(await isServed(good)).to.equal(true);
      expect(running.lines).to.deep.equal([]);
    });
  }
});
