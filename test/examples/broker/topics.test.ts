import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ErrorCode } from '../../../examples/broker/protocol/error-codes.ts';
import { makeBatch } from './support/batches.ts';
import { type RunningBroker, startBroker } from './support/running-broker.ts';
import { fetchRequest, produceRequest, WireClient } from './support/wire-client.ts';

describe('the topics of the broker', () => {
  let running: RunningBroker;
  let client: WireClient;
  let folder: string;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'purgatory-topics-'));
    running = await startBroker({ data: join(folder, 'data'), partitions: 2 });
    client = await WireClient.connect(running.port);
  });

  afterEach(async () => {
    client.destroy();
    await running.broker.stop();
    rmSync(folder, { recursive: true });
  });

  const ask = async (name: string, allowAutoTopicCreation = true) => {
    const request = { topics: [{ topicId: '', name }], allowAutoTopicCreation };
    return (await client.send('Metadata', 4, request as never)).topics[0];
  };

  const create = async (
    name: string,
    more: { numPartitions?: number; replicationFactor?: number; validateOnly?: boolean } = {},
  ) => {
    const { numPartitions = -1, replicationFactor = -1, validateOnly = false } = more;
    const topics = [{ name, numPartitions, replicationFactor, assignments: [], configs: [] }];
    return (await client.send('CreateTopics', 7, { topics, timeoutMs: 1000, validateOnly })).topics[0];
  };

  it('are there for what comes next on the connection that creates them', async () => {
    const created = create('next', { numPartitions: 1 });
    const produced = client.send('Produce', 8, produceRequest('next', 0, -1, makeBatch(['a'])));
    expect((await created).errorCode).to.equal(ErrorCode.NONE);
    expect((await produced).responses[0].partitionResponses[0].errorCode).to.equal(ErrorCode.NONE);
  });

  it('have names that are neither paths nor too long; others are refused with error 17, and nothing is written', async () => {
    const names = [
      '../../escaped',
      '/etc/passwd',
      'a/b',
      'a\\b',
      '.',
      '..',
      '',
      'x'.repeat(250),
      'a b',
      'ü',
      'a\0b',
      'a\n',
    ];
    for (const name of names) {
      expect((await ask(name)).errorCode, `metadata of ${JSON.stringify(name)}`).to.equal(
        ErrorCode.INVALID_TOPIC_EXCEPTION,
      );
      expect((await create(name)).errorCode, `creating ${JSON.stringify(name)}`).to.equal(
        ErrorCode.INVALID_TOPIC_EXCEPTION,
      );
      const produced = await client.produce(name, 0, 1, makeBatch(['x']));
      expect(produced.errorCode).to.equal(ErrorCode.INVALID_TOPIC_EXCEPTION);
    }
    expect(running.broker.status().topics).to.deep.equal([]);
    expect(readdirSync(folder).filter((entry) => entry !== 'data')).to.deep.equal([]);
    for (const name of ['x'.repeat(249), 'a', '...', 'A-z_0.9'])
      expect((await ask(name)).errorCode, name).to.equal(0);
  });

  it('are created by asking, with the default number of partitions, unless the client does not want that', async () => {
    expect((await ask('t', false)).errorCode).to.equal(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
    expect((await ask('t')).partitions.map(({ partitionIndex }) => partitionIndex)).to.deep.equal([0, 1]);
    expect((await ask('t', false)).errorCode).to.equal(0);
  });

  it('are refused for what is wrong with them, before anything is created', async () => {
    expect((await create('t', { numPartitions: 0 })).errorCode).to.equal(ErrorCode.INVALID_PARTITIONS);
    expect((await create('t', { numPartitions: 100_000 })).errorCode).to.equal(ErrorCode.INVALID_PARTITIONS);
    expect((await create('t', { replicationFactor: 3 })).errorCode).to.equal(
      ErrorCode.INVALID_REPLICATION_FACTOR,
    );
    expect((await create('t', { validateOnly: true })).errorCode).to.equal(0);
    expect(running.broker.status().topics).to.deep.equal([]);
    expect(await create('t', { numPartitions: 4 })).to.include({
      errorCode: 0,
      numPartitions: 4,
      replicationFactor: 1,
    });
    expect((await create('t')).errorCode).to.equal(ErrorCode.TOPIC_ALREADY_EXISTS);
  });

  it('are fetched by their id from version 13 on, which metadata tells from version 10 on', async () => {
    await ask('t');
    const { topics } = await client.send('Metadata', 10, {
      topics: null,
      includeClusterAuthorizedOperations: false,
      includeTopicAuthorizedOperations: false,
    });
    const [{ topicId }] = topics;
    await client.send('Produce', 11, produceRequest('t', 1, -1, makeBatch(['x'])));
    const request = fetchRequest('', 1, 0, { maxWaitMs: 0, minBytes: 1 });
    const fetchById = (id: string) =>
      client.send('Fetch', 13, { ...request, topics: [{ ...request.topics[0], topicId: id }] });
    const [found] = (await fetchById(topicId)).responses;
    expect(found.topicId).to.equal(topicId);
    expect(found.partitions[0]).to.include({ errorCode: 0, highWatermark: 1 });
    const [unknown] = (await fetchById('12345678-1234-1234-1234-123456789abc')).responses;
    expect(unknown.partitions[0].errorCode).to.equal(ErrorCode.UNKNOWN_TOPIC_ID);
  });

  it('answer for their leader epoch, and for no fetch session', async () => {
    await ask('t');
    const request = fetchRequest('t', 0, 0, { maxWaitMs: 0, minBytes: 1 });
    const [partition] = request.topics[0].partitions;
    const withEpoch = async (currentLeaderEpoch: number) => {
      const topics = [{ ...request.topics[0], partitions: [{ ...partition, currentLeaderEpoch }] }];
      return (await client.send('Fetch', 11, { ...request, topics })).responses[0].partitions[0].errorCode;
    };
    expect(await withEpoch(0)).to.equal(0);
    expect(await withEpoch(1)).to.equal(ErrorCode.UNKNOWN_LEADER_EPOCH);
    expect(await withEpoch(-2)).to.equal(ErrorCode.FENCED_LEADER_EPOCH);
    expect((await client.send('Fetch', 11, { ...request, sessionId: 5 })).errorCode).to.equal(
      ErrorCode.FETCH_SESSION_ID_NOT_FOUND,
    );
  });
});
