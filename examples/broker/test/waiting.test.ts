import { expect } from 'chai';
import { ErrorCode } from '../protocol/error-codes.ts';
import { makeBatch } from './support/batches.ts';
import { brokerOfEachTest, type RunningBroker, startNodes } from './support/running-broker.ts';
import { until } from './support/turns.ts';
import { fetchRequest, HOUR_MS, produceRequest, WireClient } from './support/wire-client.ts';

describe('a fetch that waits', () => {
  const broker = brokerOfEachTest({}, 't');
  const waiting = () => broker.status.purgatories.fetch;
  const produce = async (batch: Buffer) => (await broker.newClient()).produce('t', 0, -1, batch);

  it('is parked until there are minBytes, however many produces that takes', async () => {
    const batch = makeBatch(['x'.repeat(100)]);
    const fetched = broker.client.fetch('t', 0, 0, { maxWaitMs: HOUR_MS, minBytes: 3 * batch.length });
    await broker.untilParked('fetch', 1);
    for (let i = 0; i < 2; i++) {
      await produce(batch);
      expect(waiting().numDelayed, `after ${i + 1} batches`).to.equal(1);
    }
    await produce(batch);
    const { records, highWatermark } = await fetched;
    expect(highWatermark).to.equal(3);
    expect(Buffer.concat(records)).to.have.length(3 * batch.length);
    expect(waiting()).to.include({ numDelayed: 0, watchedKeys: 0, parked: 1, completedEarly: 1, expired: 0 });
  });

  it('is answered with empty bytes, not null, after maxWaitMs', async () => {
    const start = performance.now();
    const { responses } = await broker.client.send('Fetch', 4, fetchRequest('t', 0, 0, { maxWaitMs: 60 }));
    expect(performance.now() - start).to.be.at.least(60);
    const empty = { errorCode: 0, highWatermark: 0, records: [Buffer.alloc(0)] };
    expect(responses[0].partitions[0]).to.deep.include(empty);
    expect(waiting()).to.include({ numDelayed: 0, parked: 1, completedEarly: 0, expired: 1 });
  });

  it('is answered at once for minBytes 0, for maxWaitMs 0 and for an offset that is out of range', async () => {
    const { OFFSET_OUT_OF_RANGE, UNKNOWN_TOPIC_OR_PARTITION, INVALID_TOPIC_EXCEPTION } = ErrorCode;
    for (const [topic, partition, offset, minBytes, maxWaitMs, error] of [
      ['t', 0, 0, 0, HOUR_MS, 0],
      ['t', 0, 0, 9, 0, 0],
      ['t', 0, 5, 1, HOUR_MS, OFFSET_OUT_OF_RANGE],
      ['t', 0, -7, 1, HOUR_MS, OFFSET_OUT_OF_RANGE],
      ['t', 99, 0, 1, HOUR_MS, UNKNOWN_TOPIC_OR_PARTITION],
      ['nowhere', 0, 0, 1, HOUR_MS, UNKNOWN_TOPIC_OR_PARTITION],
      ['../t', 0, 0, 1, HOUR_MS, INVALID_TOPIC_EXCEPTION],
    ] as const) {
      const request = fetchRequest(topic, partition, offset, { maxWaitMs, minBytes });
      const { responses } = await broker.client.send('Fetch', 4, request);
      expect(responses[0].partitions[0].errorCode, `${topic}-${partition} ${offset}`).to.equal(error);
    }
    expect(waiting().parked).to.equal(0);
  });

  it('ends when its topic is deleted', async () => {
    const fetched = broker.client.park();
    await broker.untilParked('fetch', 1);
    await (await broker.newClient()).deleteTopics('t');
    expect((await fetched).errorCode).to.equal(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
  });

  it('holds back the answers of what was sent after it, which come in the order of their requests', async () => {
    const client = await broker.newClient();
    void client.park();
    void client.isServed();
    const last = client.send('ListOffsets', 1, { replicaId: -1, isolationLevel: 0, topics: [] });
    await broker.untilParked('fetch', 1);
    await produce(makeBatch(['a']));
    await last;
    expect(client.answered).to.deep.equal([1, 2, 3]);
  });

  it('gets whole batches up to its limits, and always the first', async () => {
    const batch = makeBatch(['x'.repeat(1000)]);
    for (let i = 0; i < 5; i++) await produce(batch);
    for (const [limits, offset, batches] of [
      [{ partitionMaxBytes: 3 * batch.length - 1 }, 0, 2],
      [{ maxBytes: 4 * batch.length }, 0, 4],
      [{ maxBytes: 1, partitionMaxBytes: 1 }, 0, 1],
      [{}, 3, 2],
      [{}, 5, 0],
    ] as const) {
      const { records } = await broker.client.fetch('t', 0, offset, limits);
      expect(Buffer.concat(records)).to.have.length(batches * batch.length);
    }
  });

  it('is answered when the broker stops', async () => {
    const fetched = broker.client.park();
    await broker.untilParked('fetch', 1);
    await broker.stopAlone();
    expect((await fetched).records).to.deep.equal([Buffer.alloc(0)]);
    await broker.client.closed();
  });
});

describe('a produce', () => {
  const broker = brokerOfEachTest({}, 't');

  const produceErrors = async (topic: string, acks: number, ...batches: (Buffer | null)[]) => {
    const sent = batches.map((batch) => broker.client.produce(topic, 0, acks, batch));
    return (await Promise.all(sent)).map(({ errorCode }) => errorCode);
  };

  it('waits until the node has kept it, with acks=all and with acks=1, and is seen then', async () => {
    expect(await produceErrors('t', 1, makeBatch(['a']))).to.deep.equal([0]);
    expect(broker.partition()).to.include({ highWatermark: 1, endOffset: 1 });
    const answer = await broker.client.produce('t', 0, -1, makeBatch(['b', 'c']));
    expect(answer).to.include({ errorCode: 0, baseOffset: 1 });
    expect(broker.partition()).to.include({ highWatermark: 3, endOffset: 3 });
    const { produce } = broker.status.purgatories;
    expect(produce).to.include({ parked: 2, completedEarly: 2, numDelayed: 0 });
  });

  it('is refused for what it is, and nothing of it is kept', async () => {
    const old = makeBatch(['a']);
    old.writeInt8(0, 16);
    const broken = makeBatch(['a']);
    broken[broken.length - 1] ^= 1;
    const two = Buffer.concat([makeBatch(['a']), makeBatch(['b'])]);
    expect(await produceErrors('t', -1, old, broken, two, null, Buffer.alloc(3))).to.deep.equal([
      ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT,
      ErrorCode.CORRUPT_MESSAGE,
      ErrorCode.INVALID_RECORD,
      ErrorCode.INVALID_RECORD,
      ErrorCode.CORRUPT_MESSAGE,
    ]);
    for (const [topic, acks, error] of [
      ['t', 2, ErrorCode.INVALID_REQUIRED_ACKS],
      ['nowhere', 1, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION],
      ['../../etc', 1, ErrorCode.INVALID_TOPIC_EXCEPTION],
    ] as const)
      expect(await produceErrors(topic, acks, makeBatch(['a'])), topic).to.deep.equal([error]);
    expect(broker.partition().endOffset).to.equal(0);
  });

  it('does not disturb a broker that is just stopping', async () => {
    void broker.client.produce('t', 0, 1, makeBatch(['a']));
    const waiting = broker.client.produce('t', 0, -1, makeBatch(['b']));
    await until(() => broker.partition().endOffset === 2, 'the log has that record');
    await broker.stopAlone();
    expect((await waiting).errorCode).to.be.oneOf([0, ErrorCode.REQUEST_TIMED_OUT]);
  });

  it('with acks=0 is not answered, and ends the connection when it fails', async () => {
    const client = await broker.newClient();
    void client.produce('t', 0, 0, makeBatch(['a']));
    expect(await client.isServed()).to.equal(true);
    expect(client.answered).to.have.length(1);
    void client.produce('nowhere', 0, 0, makeBatch(['a']));
    await client.closed();
    const [line, ...others] = broker.logged();
    expect(line).to.contain('acks=0 failed with error 3');
    expect(others).to.deep.equal([]);
  });
});

describe('a produce whose follower is gone', () => {
  let running: RunningBroker;
  let client: WireClient;
  let producer: WireClient;
  const produces = () => running.broker.status().purgatories.produce;
  const offsets = () => running.broker.status().topics[0].partitions[0];
  const untilParked = (count: number) =>
    until(() => produces().numDelayed === count, `${count} produces wait`);
  const produce = async (timeoutMs: number, values: string[] = ['a'], acks = -1) => {
    const request = { ...produceRequest('t', 0, acks, makeBatch(values)), timeoutMs };
    const { responses } = await producer.send('Produce', 8, request);
    return responses[0].partitionResponses[0].errorCode;
  };
  /** What the follower would say when it has everything before `offset`. */
  const followTo = (offset: number) =>
    until(async () => {
      const request = { ...fetchRequest('t', 0, offset, { minBytes: 0 }), replicaId: 1 };
      const { responses } = await client.send('Fetch', 11, request);
      return responses[0].partitions[0].highWatermark === offset;
    });

  beforeEach(async () => {
    const [leader, follower] = await startNodes(2);
    await follower.broker.stop();
    running = leader;
    client = await WireClient.connect(running.port);
    producer = await WireClient.connect(running.port);
    await client.createTopic('t', { numPartitions: 2 });
  });

  afterEach(async () => {
    client.destroy();
    producer.destroy();
    await running.broker.stop();
    expect(running.lines).to.deep.equal([]);
  });

  it('is acknowledged as far as a follower has fetched, those that wait for more wait on', async () => {
    const answers = [produce(HOUR_MS), produce(HOUR_MS, ['b', 'c']), produce(HOUR_MS)];
    await untilParked(3);
    await followTo(3);
    expect(await Promise.all(answers.slice(0, 2))).to.deep.equal([0, 0]);
    expect(produces()).to.include({ numDelayed: 1, watchedKeys: 1, completedEarly: 2 });
    await followTo(4);
    expect(await answers[2]).to.equal(0);
  });

  it('with acks=1 is acknowledged at once, and seen when the follower has it', async () => {
    for (const value of ['a', 'b']) expect(await produce(HOUR_MS, [value], 1)).to.equal(0);
    expect(produces()).to.include({ numDelayed: 0, expired: 0 });
    expect(offsets()).to.include({ highWatermark: 0, endOffset: 2 });
    await followTo(2);
    expect(offsets()).to.include({ highWatermark: 2, endOffset: 2 });
  });

  it('times out at its deadline', async () => {
    expect(await produce(20)).to.equal(ErrorCode.REQUEST_TIMED_OUT);
    expect(produces()).to.include({ numDelayed: 0, watchedKeys: 0, parked: 1, expired: 1 });
  });

  it('ends when its topic is deleted, and the next topic of that name has offsets of its own to wait for', async () => {
    const answer = produce(HOUR_MS);
    await untilParked(1);
    await client.deleteTopics('t');
    expect(await answer).to.equal(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
    expect(produces()).to.include({ numDelayed: 0, watchedKeys: 0, completedEarly: 1 });
    await client.createTopic('t', { numPartitions: 2 });
    expect(await produce(20)).to.equal(ErrorCode.REQUEST_TIMED_OUT);
  });

  it('is told when the broker stops', async () => {
    const answer = produce(HOUR_MS);
    await untilParked(1);
    await running.broker.stop();
    expect(await answer).to.equal(ErrorCode.REQUEST_TIMED_OUT);
  });
});
