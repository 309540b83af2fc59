import { mkdirSync } from 'node:fs';
import { expect } from 'chai';
import { Kafka, logLevel } from 'kafkajs';
import { ErrorCode } from '../../../examples/broker/protocol/error-codes.ts';
import { Journal } from '../../../examples/broker/storage/journal.ts';
import { freePorts } from '../../support/free-ports.ts';
import { until } from '../../support/turns.ts';
import { makeBatch } from './support/batches.ts';
import { dataFolder, type RunningBroker, startBroker } from './support/running-broker.ts';
import { fetchRequest, produceRequest, WireClient } from './support/wire-client.ts';

const {
  NONE,
  INVALID_REQUEST,
  INVALID_PARTITIONS,
  INVALID_REPLICATION_FACTOR,
  INVALID_REPLICA_ASSIGNMENT,
  NOT_LEADER_OR_FOLLOWER,
} = ErrorCode;

interface Wanted {
  readonly numPartitions?: number;
  readonly replicationFactor?: number;
  /** By partition, from 0 on. */
  readonly assigned?: readonly number[][];
  readonly partitionIndexes?: readonly number[];
}

const createTopic = async (client: WireClient, name: string, wanted: Wanted) => {
  const { numPartitions = -1, replicationFactor = -1, assigned = [], partitionIndexes } = wanted;
  const assignments = assigned.map((brokerIds, index) => ({
    partitionIndex: partitionIndexes?.[index] ?? index,
    brokerIds,
  }));
  const topics = [{ name, numPartitions, replicationFactor, assignments, configs: [] }];
  return (await client.send('CreateTopics', 7, { topics, timeoutMs: 1000, validateOnly: false })).topics[0];
};

const grow = async (client: WireClient, name: string, count: number, assigned: number[][] | null) => {
  const assignments = assigned?.map((brokerIds) => ({ brokerIds })) ?? null;
  const request = { topics: [{ name, count, assignments }], timeoutMs: 1000, validateOnly: false };
  return (await client.send('CreatePartitions', 3, request)).results[0];
};

const replicasOf = async (client: WireClient, name: string) => {
  const request = { topics: [{ topicId: '', name }], allowAutoTopicCreation: false };
  const { topics } = await client.send('Metadata', 7, request as never);
  return topics[0].partitions.map(({ replicaNodes }) => replicaNodes);
};

describe('where one node has its partitions', () => {
  let running: RunningBroker;
  let client: WireClient;

  before(async () => {
    running = await startBroker({ partitions: 2 });
    client = await WireClient.connect(running.port);
  });

  after(async () => {
    client.destroy();
    await running.broker.stop();
  });

  it('may be said: it is itself', async () => {
    expect(await createTopic(client, 'said', { assigned: [[0], [0]] })).to.include({
      errorCode: NONE,
      numPartitions: 2,
      replicationFactor: 1,
    });
    expect(await grow(client, 'said', 4, [[0], [0]])).to.include({ errorCode: NONE });
    expect(await replicasOf(client, 'said')).to.deep.equal([[0], [0], [0], [0]]);
    const produced = await client.produce('said', 3, -1, makeBatch(['x']));
    expect(produced.errorCode).to.equal(NONE);
  });

  it('is refused by the rule that it breaks, and nothing is made', async () => {
    const before = running.broker.status().topics;
    for (const [wanted, error, message] of [
      [{ replicationFactor: 2 }, INVALID_REPLICATION_FACTOR, 'a replication factor of 2, where 1 to 1 are'],
      [{ replicationFactor: 0 }, INVALID_REPLICATION_FACTOR, 'a replication factor of 0'],
      [{ replicationFactor: -2 }, INVALID_REPLICATION_FACTOR, 'a replication factor of -2'],
      [{ numPartitions: 1001 }, INVALID_PARTITIONS, '1001 partitions, where 1 to 1000 are possible'],
      [{ assigned: Array(1001).fill([0]) }, INVALID_PARTITIONS, '1001 partitions'],
      [{ assigned: [[0]], numPartitions: 1 }, INVALID_REQUEST, 'where both have to be -1'],
      [{ assigned: [[0]], replicationFactor: 1 }, INVALID_REQUEST, 'where both have to be -1'],
      [{ assigned: [[0], []] }, INVALID_REPLICA_ASSIGNMENT, 'partition 1 is assigned to [], where a node'],
      [{ assigned: [[1]] }, INVALID_REPLICA_ASSIGNMENT, 'partition 0 is assigned to [1], where the nodes'],
      [{ assigned: [[-1]] }, INVALID_REPLICA_ASSIGNMENT, 'partition 0 is assigned to [-1]'],
      [{ assigned: [[0, 0]] }, INVALID_REPLICA_ASSIGNMENT, 'partition 0 is assigned to [0,0], a node twice'],
      [
        { assigned: [[0], [0]], partitionIndexes: [0, 2] },
        INVALID_REPLICA_ASSIGNMENT,
        'partition 2 is assigned, where 1 is due',
      ],
      [
        { assigned: [[0], [0]], partitionIndexes: [0, 0] },
        INVALID_REPLICA_ASSIGNMENT,
        'partition 0 is assigned, where 1 is due',
      ],
    ] as const) {
      const { errorCode, errorMessage } = await createTopic(client, 'refused', wanted as Wanted);
      expect(errorCode, message).to.equal(error);
      expect(errorMessage).to.contain(message);
    }
    expect(running.broker.status().topics).to.deep.equal(before);
  });
});

describe('where a topic of an older broker has its partitions', () => {
  it('is by the fixed rule, also once it has more of them', async () => {
    const data = dataFolder();
    mkdirSync(`${data}/node-0`);
    const journal = new Journal<object>(
      `${data}/node-0/topics`,
      () => {},
      () => [],
    );
    journal.append({ name: 'old', id: '12345678-1234-1234-1234-123456789abc', partitions: 2 });
    await journal.close();
    const { broker, port } = await startBroker({ data });
    const client = await WireClient.connect(port);
    expect(await replicasOf(client, 'old')).to.deep.equal([[0], [0]]);
    expect(await grow(client, 'old', 3, null)).to.include({ errorCode: NONE });
    expect(await replicasOf(client, 'old')).to.deep.equal([[0], [0], [0]]);
    client.destroy();
    await broker.stop();
  });
});

describe('where three nodes have their partitions', () => {
  let nodes: RunningBroker[];
  const clients: WireClient[] = [];
  let common: { nodes: number; port: number; data: string; partitions: number };

  before(async () => {
    common = { nodes: 3, port: await freePorts(3), data: dataFolder(), partitions: 3 };
    await start();
  });

  after(stop);

  async function start(): Promise<void> {
    nodes = await Promise.all([0, 1, 2].map((node) => startBroker({ ...common, node })));
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

  const produce = async (node: number, topic: string, partition: number) => {
    const request = produceRequest(topic, partition, -1, makeBatch(['x']));
    return (await clients[node].send('Produce', 8, request)).responses[0].partitionResponses[0].errorCode;
  };

  const endOffsets = (name: string, partition: number) =>
    nodes.map(
      ({ broker }) =>
        broker.status().topics.find((topic) => topic.name === name)?.partitions[partition].endOffset,
    );

  it('is by the fixed rule, with any replication factor from one to all of them', async () => {
    for (const [name, replicationFactor, replicas] of [
      [
        'default',
        -1,
        [
          [0, 1, 2],
          [1, 2, 0],
          [2, 0, 1],
        ],
      ],
      ['one', 1, [[0], [1], [2]]],
      [
        'two',
        2,
        [
          [0, 1],
          [1, 2],
          [2, 0],
        ],
      ],
      [
        'three',
        3,
        [
          [0, 1, 2],
          [1, 2, 0],
          [2, 0, 1],
        ],
      ],
    ] as const) {
      const made = await createTopic(clients[0], name, { replicationFactor });
      expect(made, name).to.include({ errorCode: NONE, replicationFactor: replicas[0].length });
      await expectReplicas(name, replicas as never);
    }
    expect((await createTopic(clients[0], 'four', { replicationFactor: 4 })).errorMessage).to.contain(
      'a replication factor of 4, where 1 to 3 are possible',
    );
    expect(await produce(1, 'one', 1)).to.equal(NONE);
    expect(await produce(0, 'one', 1)).to.equal(NOT_LEADER_OR_FOLLOWER);
    expect(await produce(2, 'two', 2)).to.equal(NONE);
    expect(endOffsets('one', 1), 'on its node alone').to.deep.equal([0, 1, 0]);
    await until(() => endOffsets('two', 2)[0] === 1, 'the log has that record');
    expect(endOffsets('two', 2)).to.deep.equal([1, 0, 1]);
  });

  it('is as the request assigns them, and after a restart too', async () => {
    const assigned = [
      [2, 0],
      [2, 1],
    ];
    expect((await createTopic(clients[0], 'assigned', { assigned })).errorCode).to.equal(NONE);
    await expectReplicas('assigned', assigned);
    expect((await grow(clients[0], 'assigned', 4, [[1, 0]])).errorMessage).to.equal(
      '1 assignments for 2 more partitions',
    );
    expect((await grow(clients[0], 'assigned', 3, [[1]])).errorMessage).to.equal(
      'partition 2 is assigned to [1], where other partitions have 2 replicas',
    );
    expect((await grow(clients[0], 'assigned', 3, [[1, 0]])).errorCode).to.equal(NONE);
    expect((await grow(clients[0], 'assigned', 4, null)).errorCode).to.equal(NONE);
    const all = [...assigned, [1, 0], [0, 1]];
    await expectReplicas('assigned', all);
    for (const [partition, [leader]] of all.entries())
      expect(await produce(leader, 'assigned', partition), `${partition}`).to.equal(NONE);
    await until(() => endOffsets('assigned', 2)[0] === 1, 'the log has that record');
    await stop();
    await start();
    await expectReplicas('assigned', all);
    const fetched = fetchRequest('assigned', 1, 0, { maxWaitMs: 5000, minBytes: 1 });
    const { responses } = await clients[2].send('Fetch', 11, fetched);
    expect(responses[0].partitions[0]).to.include({ errorCode: NONE, highWatermark: 1 });
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
