import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect } from 'chai';
import { ErrorCode } from '../protocol/error-codes.ts';
import { makeBatch } from './support/batches.ts';
import { brokerOfEachTest } from './support/running-broker.ts';
import { fetchRequest, produceRequest } from './support/wire-client.ts';

describe('the topics of the broker', () => {
  const broker = brokerOfEachTest({ partitions: 2 });

  const ask = async (name: string, allowAutoTopicCreation = true) => {
    const request = { topics: [{ topicId: '', name }], allowAutoTopicCreation };
    return (await broker.client.send('Metadata', 4, request as never)).topics[0];
  };

  it('are there for what comes next on the connection that creates them', async () => {
    const created = broker.client.createTopic('next', { numPartitions: 1 });
    const produced = broker.client.produce('next', 0, -1, makeBatch(['a']));
    expect((await created).errorCode).to.equal(ErrorCode.NONE);
    expect((await produced).errorCode).to.equal(ErrorCode.NONE);
  });

  it('have names that are neither paths nor too long; others are refused with error 17, and nothing is written', async () => {
    const paths = ['../../escaped', '/etc/passwd', 'a/b', 'a\\b', '.', '..', ''];
    const around = readdirSync(dirname(broker.data));
    for (const name of [...paths, 'x'.repeat(250), 'a b', 'ü', 'a\0b', 'a\n']) {
      for (const answer of [
        await ask(name),
        await broker.client.createTopic(name),
        await broker.client.produce(name, 0, 1, makeBatch(['x'])),
      ])
        expect(answer.errorCode, JSON.stringify(name)).to.equal(ErrorCode.INVALID_TOPIC_EXCEPTION);
    }
    expect(broker.status.topics).to.deep.equal([]);
    expect(readdirSync(broker.data)).to.deep.equal(['node-0']);
    expect(readdirSync(dirname(broker.data))).to.deep.equal(around);
    for (const name of ['x'.repeat(249), 'a', '...', 'A-z_0.9'])
      expect((await ask(name)).errorCode, name).to.equal(0);
  });

  it('are created by asking, with the default number of partitions, unless the client does not want that', async () => {
    expect((await ask('t', false)).errorCode).to.equal(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
    expect((await ask('t')).partitions.map(({ partitionIndex }) => partitionIndex)).to.deep.equal([0, 1]);
    expect((await ask('t', false)).errorCode).to.equal(0);
  });

  it('are refused for what is wrong with them, before anything is created', async () => {
    for (const [wanted, error] of [
      [{ numPartitions: 0 }, ErrorCode.INVALID_PARTITIONS],
      [{ numPartitions: 100_000 }, ErrorCode.INVALID_PARTITIONS],
      [{ replicationFactor: 3 }, ErrorCode.INVALID_REPLICATION_FACTOR],
    ] as const)
      expect((await broker.client.createTopic('t', wanted)).errorCode).to.equal(error);
    expect((await broker.client.createTopic('t', {}, true)).errorCode, 'validateOnly').to.equal(0);
    expect(broker.status.topics).to.deep.equal([]);
    const made = { errorCode: 0, numPartitions: 4, replicationFactor: 1 };
    expect(await broker.client.createTopic('t', { numPartitions: 4 })).to.include(made);
    expect((await broker.client.createTopic('t')).errorCode).to.equal(ErrorCode.TOPIC_ALREADY_EXISTS);
  });

  it('are fetched by their id from version 13 on, which metadata tells from version 10 on', async () => {
    await ask('t');
    const { topics } = await broker.client.send('Metadata', 10, { topics: null } as never);
    const [{ topicId }] = topics;
    await broker.client.send('Produce', 11, produceRequest('t', 1, -1, makeBatch(['x'])));
    const request = fetchRequest('', 1, 0);
    const fetchById = async (id: string) => {
      const byId = { ...request, topics: [{ ...request.topics[0], topicId: id }] };
      return (await broker.client.send('Fetch', 13, byId)).responses[0];
    };
    const found = await fetchById(topicId);
    expect(found.topicId).to.equal(topicId);
    expect(found.partitions[0]).to.include({ errorCode: 0, highWatermark: 1 });
    const unknown = await fetchById('12345678-1234-1234-1234-123456789abc');
    expect(unknown.partitions[0].errorCode).to.equal(ErrorCode.UNKNOWN_TOPIC_ID);
  });

  it('answer for their leader epoch, and for no fetch session', async () => {
    await ask('t');
    const request = fetchRequest('t', 0, 0);
    const [partition] = request.topics[0].partitions;
    for (const [currentLeaderEpoch, error] of [
      [0, ErrorCode.NONE],
      [1, ErrorCode.UNKNOWN_LEADER_EPOCH],
      [-2, ErrorCode.FENCED_LEADER_EPOCH],
    ]) {
      const topics = [{ ...request.topics[0], partitions: [{ ...partition, currentLeaderEpoch }] }];
      const { responses } = await broker.client.send('Fetch', 11, { ...request, topics });
      expect(responses[0].partitions[0].errorCode, `${currentLeaderEpoch}`).to.equal(error);
    }
    const { errorCode } = await broker.client.send('Fetch', 11, { ...request, sessionId: 5 });
    expect(errorCode).to.equal(ErrorCode.FETCH_SESSION_ID_NOT_FOUND);
  });
});
