import { expect } from 'chai';
import { ErrorCode } from '../../../examples/broker/protocol/error-codes.ts';
import { freePorts } from '../../support/free-ports.ts';
import { until } from '../../support/turns.ts';
import { makeBatch } from './support/batches.ts';
import { type RunningBroker, startBroker } from './support/running-broker.ts';
import { fetchRequest, produceRequest, WireClient } from './support/wire-client.ts';

const HOUR_MS = 3_600_000;

describe('a fetch that waits', () => {
  let running: RunningBroker;
  let client: WireClient;
  let producer: WireClient;
  const waiting = () => running.broker.status().purgatories.fetch;

  beforeEach(async () => {
    running = await startBroker();
    client = await WireClient.connect(running.port);
    producer = await WireClient.connect(running.port);
    await producer.createTopics('t');
  });

  afterEach(async () => {
    client.destroy();
    producer.destroy();
    await running.broker.stop();
  });

  it('is parked until there are minBytes, however many produces that takes', async () => {
    const batch = makeBatch(['x'.repeat(100)]);
    const fetched = client.send(
      'Fetch',
      11,
      fetchRequest('t', 0, 0, { maxWaitMs: HOUR_MS, minBytes: 3 * batch.length }),
    );
    await until(() => waiting().numDelayed === 1, 'that many wait');
    for (let i = 0; i < 2; i++) {
      await producer.produce('t', 0, -1, batch);
      expect(waiting().numDelayed, `after ${i + 1} batches`).to.equal(1);
    }
    await producer.produce('t', 0, -1, batch);
    const { records, highWatermark } = (await fetched).responses[0].partitions[0];
    expect(highWatermark).to.equal(3);
    expect(Buffer.concat(records)).to.have.length(3 * batch.length);
    expect(waiting()).to.include({ numDelayed: 0, watchedKeys: 0, parked: 1, completedEarly: 1, expired: 0 });
  });

  it('is answered with empty bytes, not null, after maxWaitMs', async () => {
    const start = performance.now();
    const fetched = await client.send('Fetch', 4, fetchRequest('t', 0, 0, { maxWaitMs: 60, minBytes: 1 }));
    expect(performance.now() - start).to.be.at.least(60);
    expect(fetched.responses[0].partitions[0]).to.deep.include({
      errorCode: 0,
      highWatermark: 0,
      records: [Buffer.alloc(0)],
    });
    expect(waiting()).to.include({ numDelayed: 0, parked: 1, completedEarly: 0, expired: 1 });
  });

  it('is answered at once for minBytes 0, for maxWaitMs 0 and for an offset that is out of range', async () => {
    const answers = await Promise.all([
      client.send('Fetch', 4, fetchRequest('t', 0, 0, { maxWaitMs: HOUR_MS, minBytes: 0 })),
      client.send('Fetch', 4, fetchRequest('t', 0, 0, { maxWaitMs: 0, minBytes: 9 })),
      client.send('Fetch', 4, fetchRequest('t', 0, 5, { maxWaitMs: HOUR_MS, minBytes: 1 })),
      client.send('Fetch', 4, fetchRequest('t', 0, -7, { maxWaitMs: HOUR_MS, minBytes: 1 })),
      client.send('Fetch', 4, fetchRequest('t', 99, 0, { maxWaitMs: HOUR_MS, minBytes: 1 })),
      client.send('Fetch', 4, fetchRequest('nowhere', 0, 0, { maxWaitMs: HOUR_MS, minBytes: 1 })),
      client.send('Fetch', 4, fetchRequest('../t', 0, 0, { maxWaitMs: HOUR_MS, minBytes: 1 })),
    ]);
    const { OFFSET_OUT_OF_RANGE, UNKNOWN_TOPIC_OR_PARTITION, INVALID_TOPIC_EXCEPTION } = ErrorCode;
    expect(answers.map(({ responses }) => responses[0].partitions[0].errorCode)).to.deep.equal([
      0,
      0,
      OFFSET_OUT_OF_RANGE,
      OFFSET_OUT_OF_RANGE,
      UNKNOWN_TOPIC_OR_PARTITION,
      UNKNOWN_TOPIC_OR_PARTITION,
      INVALID_TOPIC_EXCEPTION,
    ]);
    expect(waiting().parked).to.equal(0);
  });

  it('leaves nothing parked when its client goes away, by a reset or by a good-bye', async () => {
    for (const leave of ['resetAndDestroy', 'end'] as const) {
      const leaving = await WireClient.connect(running.port);
      void leaving.send('Fetch', 11, fetchRequest('t', 0, 0, { maxWaitMs: HOUR_MS, minBytes: 1 }));
      void leaving.send('Fetch', 11, fetchRequest('t', 1, 0, { maxWaitMs: HOUR_MS, minBytes: 1 }));
      await until(() => waiting().numDelayed === 2, 'that many wait');
      leaving.socket[leave]();
      await until(() => waiting().numDelayed === 0, 'nothing waits any more');
      expect(waiting().watchedKeys).to.equal(0);
    }
    expect(waiting()).to.include({ completedEarly: 0, expired: 0 });
  });

  it('ends when its topic is deleted', async () => {
    const fetched = client.send('Fetch', 11, fetchRequest('t', 0, 0, { maxWaitMs: HOUR_MS, minBytes: 1 }));
    await until(() => waiting().numDelayed === 1, 'that many wait');
    await producer.send('DeleteTopics', 1, { topics: [], topicNames: ['t'], timeoutMs: 1000 });
    expect((await fetched).responses[0].partitions[0].errorCode).to.equal(
      ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    );
  });

  it('holds back the answers of what was sent after it, which come in the order of their requests', async () => {
    void client.send('Fetch', 11, fetchRequest('t', 0, 0, { maxWaitMs: HOUR_MS, minBytes: 1 }));
    void client.send('ApiVersions', 0, {} as never);
    const last = client.send('ListOffsets', 1, { replicaId: -1, isolationLevel: 0, topics: [] });
    await until(() => waiting().numDelayed === 1, 'that many wait');
    await producer.produce('t', 0, 1, makeBatch(['a']));
    await last;
    expect(client.answered).to.deep.equal([1, 2, 3]);
  });

  it('gets whole batches up to its limits, and always the first', async () => {
    const batch = makeBatch(['x'.repeat(1000)]);
    for (let i = 0; i < 5; i++) await producer.produce('t', 0, -1, batch);
    const fetch = async (limits: { maxBytes?: number; partitionMaxBytes?: number }, offset = 0) => {
      const answer = await client.send(
        'Fetch',
        11,
        fetchRequest('t', 0, offset, { maxWaitMs: 0, minBytes: 1, ...limits }),
      );
      return Buffer.concat(answer.responses[0].partitions[0].records).length / batch.length;
    };
    expect(await fetch({ partitionMaxBytes: 3 * batch.length - 1 })).to.equal(2);
    expect(await fetch({ maxBytes: 4 * batch.length })).to.equal(4);
    expect(await fetch({ maxBytes: 1, partitionMaxBytes: 1 })).to.equal(1);
    expect(await fetch({}, 3)).to.equal(2);
    expect(await fetch({}, 5)).to.equal(0);
  });

  it('is answered when the broker stops', async () => {
    const fetched = client.send('Fetch', 11, fetchRequest('t', 0, 0, { maxWaitMs: HOUR_MS, minBytes: 1 }));
    await until(() => waiting().numDelayed === 1, 'that many wait');
    await running.broker.stop();
    expect((await fetched).responses[0].partitions[0].records).to.deep.equal([Buffer.alloc(0)]);
    await client.closed();
  });
});

describe('a produce', () => {
  let running: RunningBroker;
  let client: WireClient;

  beforeEach(async () => {
    running = await startBroker();
    client = await WireClient.connect(running.port);
    await client.createTopics('t');
  });

  afterEach(async () => {
    client.destroy();
    await running.broker.stop();
  });

  const produceErrors = async (topic: string, acks: number, ...batches: (Buffer | null)[]) => {
    const sent = batches.map((batch) => client.send('Produce', 8, produceRequest(topic, 0, acks, batch)));
    return (await Promise.all(sent)).map(({ responses }) => responses[0].partitionResponses[0].errorCode);
  };

  it('waits until the node has kept it, with acks=all and with acks=1, and is seen then', async () => {
    expect(await produceErrors('t', 1, makeBatch(['a']))).to.deep.equal([0]);
    expect(running.broker.status().topics[0].partitions[0]).to.include({ highWatermark: 1, endOffset: 1 });
    const answer = await client.produce('t', 0, -1, makeBatch(['b', 'c']));
    expect(answer).to.include({ errorCode: 0, baseOffset: 1 });
    expect(running.broker.status().topics[0].partitions[0]).to.include({ highWatermark: 3, endOffset: 3 });
    expect(running.broker.status().purgatories.produce).to.include({
      parked: 2,
      completedEarly: 2,
      numDelayed: 0,
    });
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
    expect(await produceErrors('t', 2, makeBatch(['a']))).to.deep.equal([ErrorCode.INVALID_REQUIRED_ACKS]);
    expect(await produceErrors('nowhere', 1, makeBatch(['a']))).to.deep.equal([
      ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    ]);
    expect(await produceErrors('../../etc', 1, makeBatch(['a']))).to.deep.equal([
      ErrorCode.INVALID_TOPIC_EXCEPTION,
    ]);
    expect(running.broker.status().topics[0].partitions[0].endOffset).to.equal(0);
  });

  it('does not disturb a broker that is just stopping', async () => {
    void client.produce('t', 0, 1, makeBatch(['a']));
    const waiting = client.send('Produce', 8, produceRequest('t', 0, -1, makeBatch(['b'])));
    await until(
      () => running.broker.status().topics[0].partitions[0].endOffset === 2,
      'the log has that record',
    );
    await running.broker.stop();
    expect((await waiting).responses[0].partitionResponses[0].errorCode).to.be.oneOf([
      0,
      ErrorCode.REQUEST_TIMED_OUT,
    ]);
    expect(running.lines).to.deep.equal([]);
  });

  it('with acks=0 is not answered, and ends the connection when it fails', async () => {
    void client.produce('t', 0, 0, makeBatch(['a']));
    await client.send('ApiVersions', 0, {} as never);
    expect(client.answered).to.have.length(2);
    void client.produce('nowhere', 0, 0, makeBatch(['a']));
    await client.closed();
    expect(running.lines).to.have.length(1);
    expect(running.lines[0]).to.contain('acks=0 failed with error 3');
  });
});

describe('a produce whose follower is gone', () => {
  let running: RunningBroker;
  let client: WireClient;
  let producer: WireClient;
  const produces = () => running.broker.status().purgatories.produce;
  const create = (name: string) => {
    const topics = [{ name, numPartitions: 2, replicationFactor: -1, assignments: [], configs: [] }];
    return client.send('CreateTopics', 2, { topics, timeoutMs: 1000, validateOnly: false });
  };
  const produce = async (topic: string, timeoutMs: number, values: string[] = ['a'], acks = -1) => {
    const request = { ...produceRequest(topic, 0, acks, makeBatch(values)), timeoutMs };
    const { responses } = await producer.send('Produce', 8, request);
    return responses[0].partitionResponses[0].errorCode;
  };
  /** What the follower would say when it has everything before `offset`. */
  const followTo = (offset: number) =>
    until(async () => {
      const request = { ...fetchRequest('t', 0, offset, { maxWaitMs: 0, minBytes: 0 }), replicaId: 1 };
      const { responses } = await client.send('Fetch', 11, request);
      return responses[0].partitions[0].highWatermark === offset;
    });

  beforeEach(async () => {
    const cluster = { nodes: 2, port: await freePorts(2) };
    const [leader, follower] = await Promise.all([0, 1].map((node) => startBroker({ ...cluster, node })));
    await follower.broker.stop();
    running = leader;
    client = await WireClient.connect(running.port);
    producer = await WireClient.connect(running.port);
    await create('t');
  });

  afterEach(async () => {
    client.destroy();
    producer.destroy();
    await running.broker.stop();
  });

  it('is acknowledged as far as a follower has fetched, those that wait for more wait on', async () => {
    const answers = [produce('t', HOUR_MS), produce('t', HOUR_MS, ['b', 'c']), produce('t', HOUR_MS)];
    await until(() => produces().numDelayed === 3, 'that many wait');
    await followTo(3);
    expect(await Promise.all(answers.slice(0, 2))).to.deep.equal([0, 0]);
    expect(produces()).to.include({ numDelayed: 1, watchedKeys: 1, completedEarly: 2 });
    await followTo(4);
    expect(await answers[2]).to.equal(0);
  });

  it('with acks=1 is acknowledged at once, and seen when the follower has it', async () => {
    expect(await produce('t', HOUR_MS, ['a'], 1)).to.equal(0);
    expect(await produce('t', HOUR_MS, ['b'], 1)).to.equal(0);
    expect(produces()).to.include({ numDelayed: 0, expired: 0 });
    const offsets = () => running.broker.status().topics[0].partitions[0];
    expect(offsets()).to.include({ highWatermark: 0, endOffset: 2 });
    await followTo(2);
    expect(offsets()).to.include({ highWatermark: 2, endOffset: 2 });
  });

  it('times out at its deadline', async () => {
    expect(await produce('t', 20)).to.equal(ErrorCode.REQUEST_TIMED_OUT);
    expect(produces()).to.include({ numDelayed: 0, watchedKeys: 0, parked: 1, expired: 1 });
  });

  it('ends when its topic is deleted, and the next topic of that name has offsets of its own to wait for', async () => {
    const answer = produce('t', HOUR_MS);
    await until(() => produces().numDelayed === 1, 'that many wait');
    await client.send('DeleteTopics', 1, { topics: [], topicNames: ['t'], timeoutMs: 1000 });
    expect(await answer).to.equal(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
    expect(produces()).to.include({ numDelayed: 0, watchedKeys: 0, completedEarly: 1 });
    await create('t');
    expect(await produce('t', 20)).to.equal(ErrorCode.REQUEST_TIMED_OUT);
  });

  it('is told when the broker stops', async () => {
    const answer = produce('t', HOUR_MS);
    await until(() => produces().numDelayed === 1, 'that many wait');
    await running.broker.stop();
    expect(await answer).to.equal(ErrorCode.REQUEST_TIMED_OUT);
    expect(running.lines).to.deep.equal([]);
  });
});
