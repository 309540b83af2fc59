import { expect } from 'chai';
import { Kafka, logLevel } from 'kafkajs';
import { ErrorCode } from '../protocol/error-codes.ts';
import { findings } from '../storage/damage.ts';
import { Journal } from '../storage/journal.ts';
import { makeBatch } from './support/batches.ts';
import { freePorts } from './support/free-ports.ts';
import { brokerOfEachTest, dataFolder, type RunningBroker, startNodes } from './support/running-broker.ts';
import { until } from './support/turns.ts';
import { WireClient } from './support/wire-client.ts';

const {
  NONE,
  INVALID_REQUEST,
  INVALID_PARTITIONS,
  INVALID_REPLICATION_FACTOR,
  INVALID_REPLICA_ASSIGNMENT,
  NOT_LEADER_OR_FOLLOWER,
} = ErrorCode;

type Wanted = Parameters<WireClient['createTopic']>[1];

/** The nodes of each partition, from 0 on. */
const assigned = (...nodes: number[][]) => ({
  assignments: nodes.map((brokerIds, partitionIndex) => ({ partitionIndex, brokerIds })),
});

const replicasOf = async (client: WireClient, name: string) => {
  const request = { topics: [{ topicId: '', name }], allowAutoTopicCreation: false };
  const { topics } = await client.send('Metadata', 7, request as never);
  return topics[0].partitions.map(({ replicaNodes }) => replicaNodes);
};

describe('where one node has its partitions', () => {
  const broker = brokerOfEachTest({ partitions: 2 });

  it('may be said: it is itself', async () => {
    const { client } = broker;
    const made = await client.createTopic('said', assigned([0], [0]));
    expect(made).to.include({ errorCode: NONE, numPartitions: 2, replicationFactor: 1 });
    expect(await client.grow('said', 4, [[0], [0]])).to.include({ errorCode: NONE });
    expect(await replicasOf(client, 'said')).to.deep.equal([[0], [0], [0], [0]]);
    const produced = await client.produce('said', 3, -1, makeBatch(['x']));
    expect(produced.errorCode).to.equal(NONE);
  });

  it('is refused by the rule that it breaks, and nothing is made', async () => {
    const [once, skipped] = [0, 2].map((partitionIndex) => ({
      assignments: [0, partitionIndex].map((index) => ({ partitionIndex: index, brokerIds: [0] })),
    }));
    for (const [wanted, error, message] of [
      [{ replicationFactor: 2 }, INVALID_REPLICATION_FACTOR, 'a replication factor of 2, where 1 to 1 are'],
      [{ replicationFactor: 0 }, INVALID_REPLICATION_FACTOR, 'a replication factor of 0'],
      [{ replicationFactor: -2 }, INVALID_REPLICATION_FACTOR, 'a replication factor of -2'],
      [{ numPartitions: 1001 }, INVALID_PARTITIONS, '1001 partitions, where 1 to 1000 are possible'],
      [assigned(...Array(1001).fill([0])), INVALID_PARTITIONS, '1001 partitions'],
      [{ ...assigned([0]), numPartitions: 1 }, INVALID_REQUEST, 'where both have to be -1'],
      [{ ...assigned([0]), replicationFactor: 1 }, INVALID_REQUEST, 'where both have to be -1'],
      [assigned([0], []), INVALID_REPLICA_ASSIGNMENT, 'partition 1 is assigned to [], where a node'],
      [assigned([1]), INVALID_REPLICA_ASSIGNMENT, 'partition 0 is assigned to [1], where the nodes'],
      [assigned([-1]), INVALID_REPLICA_ASSIGNMENT, 'partition 0 is assigned to [-1]'],
      [assigned([0, 0]), INVALID_REPLICA_ASSIGNMENT, 'partition 0 is assigned to [0,0], a node twice'],
      [skipped, INVALID_REPLICA_ASSIGNMENT, 'partition 2 is assigned, where 1 is due'],
      [once, INVALID_REPLICA_ASSIGNMENT, 'partition 0 is assigned, where 1 is due'],
    ] as [Wanted, number, string][]) {
      const { errorCode, errorMessage } = await broker.client.createTopic('refused', wanted);
      expect(errorCode, message).to.equal(error);
      expect(errorMessage).to.contain(message);
    }
    expect(broker.status.topics).to.deep.equal([]);
  });
});

describe('where a topic of an older broker has its partitions', () => {
  const broker = brokerOfEachTest();

  it('is by the fixed rule, also once it has more of them', async () => {
    await broker.stop();
    const ignore = () => {};
    const journal = new Journal<object>(
      `${broker.data}/node-0/topics`,
      ignore,
      () => [],
      findings(false, ignore),
    );
    journal.append({ name: 'old', id: '12345678-1234-1234-1234-123456789abc', partitions: 2 });
    await journal.close();
    await broker.start();
    const { client } = broker;
    expect(await replicasOf(client, 'old')).to.deep.equal([[0], [0]]);
    expect(await client.grow('old', 3)).to.include({ errorCode: NONE });
    expect(await replicasOf(client, 'old')).to.deep.equal([[0], [0], [0]]);
  });
});

describe('where three nodes have their partitions', () => {
  let nodes: RunningBroker[];
  const clients: WireClient[] = [];
  const data = dataFolder();
  let port: number;

  before(async () => {
    port = await freePorts(3);
    await start();
  });

  after(stop);

  async function start(): Promise<void> {
    nodes = await startNodes(3, { port, data, partitions: 3 });
    clients.push(...(await Promise.all(nodes.map(({ port }) => WireClient.connect(port)))));
  }

  async function stop(): Promise<void> {
    for (const client of clients.splice(0)) client.destroy();
    await Promise.all(nodes.map(({ broker }) => broker.stop()));
  }

  /** Until all nodes tell the same. */
  async function expectReplicas(name: string, replicas: number[][]): Promise<void> {
    for (const client of clients)
      await until(
        async () => JSON.stringify(await replicasOf(client, name)) === JSON.stringify(replicas),
        'the node knows the replicas',
      );
  }

  const produce = async (node: number, topic: string, partition: number) =>
    (await clients[node].produce(topic, partition, -1, makeBatch(['x']))).errorCode;

  const endOffsets = (name: string, partition: number) =>
    nodes.map(
      ({ broker }) =>
        broker.status().topics.find((topic) => topic.name === name)?.partitions[partition].endOffset,
    );

  it('is by the fixed rule, with any replication factor from one to all of them', async () => {
    const ring = [0, 1, 2, 0, 1];
    for (const [name, replicationFactor, factor] of [
      ['default', -1, 3],
      ['one', 1, 1],
      ['two', 2, 2],
      ['three', 3, 3],
    ] as const) {
      const made = await clients[0].createTopic(name, { replicationFactor });
      expect(made, name).to.include({ errorCode: NONE, replicationFactor: factor });
      await expectReplicas(
        name,
        [0, 1, 2].map((first) => ring.slice(first, first + factor)),
      );
    }
    const four = await clients[0].createTopic('four', { replicationFactor: 4 });
    expect(four.errorMessage).to.contain('a replication factor of 4, where 1 to 3 are possible');
    expect(await produce(1, 'one', 1)).to.equal(NONE);
    expect(await produce(0, 'one', 1)).to.equal(NOT_LEADER_OR_FOLLOWER);
    expect(await produce(2, 'two', 2)).to.equal(NONE);
    expect(endOffsets('one', 1), 'on its node alone').to.deep.equal([0, 1, 0]);
    await until(() => endOffsets('two', 2)[0] === 1, 'the log has that record');
    expect(endOffsets('two', 2)).to.deep.equal([1, 0, 1]);
  });

  it('is as the request assigns them, and after a restart too', async () => {
    const [first, second] = [
      [2, 0],
      [2, 1],
    ];
    const grow = async (count: number, more: number[][] | null) => {
      const { errorCode, errorMessage } = await clients[0].grow('assigned', count, more);
      return errorMessage ?? errorCode;
    };
    expect((await clients[0].createTopic('assigned', assigned(first, second))).errorCode).to.equal(NONE);
    await expectReplicas('assigned', [first, second]);
    expect(await grow(4, [[1, 0]])).to.equal('1 assignments for 2 more partitions');
    expect(await grow(3, [[1]])).to.equal(
      'partition 2 is assigned to [1], where other partitions have 2 replicas',
    );
    expect(await grow(3, [[1, 0]])).to.equal(NONE);
    expect(await grow(4, null)).to.equal(NONE);
    const all = [first, second, [1, 0], [0, 1]];
    await expectReplicas('assigned', all);
    for (const [partition, [leader]] of all.entries())
      expect(await produce(leader, 'assigned', partition), `${partition}`).to.equal(NONE);
    await until(() => endOffsets('assigned', 2)[0] === 1, 'the log has that record');
    await stop();
    await start();
    await expectReplicas('assigned', all);
    expect(await clients[2].park('assigned', 1)).to.include({ errorCode: NONE, highWatermark: 1 });
  });

  it('is what kafkajs asks for', async () => {
    const brokers = nodes.map(({ address }) => address);
    const admin = new Kafka({ clientId: 'test', brokers, logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    await admin.createTopics({
      topics: [
        { topic: 'factor', numPartitions: 2, replicationFactor: 1 },
        { topic: 'replicas', replicaAssignment: [{ partition: 0, replicas: [1] }] },
      ],
    });
    await admin.createPartitions({ topicPartitions: [{ topic: 'factor', count: 3, assignments: [[0]] }] });
    await admin.disconnect();
    await expectReplicas('factor', [[0], [1], [0]]);
    await expectReplicas('replicas', [[1]]);
  });
});
