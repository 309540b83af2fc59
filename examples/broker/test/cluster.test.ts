import { expect } from 'chai';
import { Kafka, logLevel, Partitioners } from 'kafkajs';
import { ErrorCode } from '../protocol/error-codes.ts';
import { makeBatch } from './support/batches.ts';
import { BrokerProcess } from './support/broker-process.ts';
import { freePorts } from './support/free-ports.ts';
import { dataFolder } from './support/running-broker.ts';
import { until } from './support/turns.ts';
import { produceRequest, WireClient } from './support/wire-client.ts';

const LAG_MS = 5000;
const { NONE, LEADER_NOT_AVAILABLE, NOT_LEADER_OR_FOLLOWER, REQUEST_TIMED_OUT, UNKNOWN_TOPIC_OR_PARTITION } =
  ErrorCode;

describe('a cluster of three nodes', () => {
  const nodes: BrokerProcess[] = [];
  const clients: WireClient[] = [];
  let args: string[];

  before(async () => {
    const port = await freePorts(3);
    args = ['--nodes', '3', '--port', `${port}`, '--http', '0', '--data', dataFolder()];
    args.push('--replica-lag-ms', `${LAG_MS}`, '--min-insync-replicas', '2');
    args.push('--log-retention-check-interval-ms', '50');
    nodes.push(...(await Promise.all([0, 1, 2].map(start))));
    clients.push(...(await Promise.all(nodes.map(({ ports }) => WireClient.connect(ports[0])))));
    await createTopic('t');
  });

  after(async () => {
    for (const client of clients) client.destroy();
    for (const node of nodes) node.child.kill('SIGCONT');
    await Promise.all(nodes.map((node) => node.end('SIGTERM')));
    expect(nodes.map(({ complaints }) => complaints)).to.deep.equal([[], [], []]);
  });

  const start = (id: number) => BrokerProcess.start([...args, '--node', `${id}`]);

  async function restart(id: number): Promise<void> {
    nodes[id] = await start(id);
    clients[id] = await WireClient.connect(nodes[id].ports[0]);
  }

  /** What node `id` answers about the topic. */
  async function describeTopic(id: number, name: string, allowAutoTopicCreation = false) {
    const request = { topics: [{ topicId: '', name }], allowAutoTopicCreation };
    const { topics, brokers } = await clients[id].send('Metadata', 7, request as never);
    const partitions = topics[0].partitions.sort((a, b) => a.partitionIndex - b.partitionIndex);
    return { errorCode: topics[0].errorCode, partitions, brokers };
  }

  /** By way of a node that is not the controller. */
  async function createTopic(name: string): Promise<void> {
    expect(await describeTopic(1, name, true)).to.include({ errorCode: NONE });
  }

  async function produce(node: number, partition: number, value: string, timeoutMs = 60_000, acks = -1) {
    const request = { ...produceRequest('t', partition, acks, makeBatch([value])), timeoutMs };
    return (await clients[node].send('Produce', 8, request)).responses[0].partitionResponses[0];
  }

  const highWatermark = async (node: number, partition: number) => {
    return (await clients[node].fetch('t', partition, 0, { maxWaitMs: 0, minBytes: 0 })).highWatermark;
  };
  const inSync = async (node: number, partition: number) =>
    (await describeTopic(node, 't')).partitions[partition].isrNodes.sort();

  it('shares out the partitions by a fixed rule, which every node tells', async () => {
    for (const id of [0, 1, 2]) {
      const { partitions, brokers } = await describeTopic(id, 't');
      expect(brokers.map(({ nodeId }) => nodeId)).to.deep.equal([0, 1, 2]);
      expect(partitions.map(({ leaderId }) => leaderId)).to.deep.equal([0, 1, 2]);
      expect(partitions.map(({ replicaNodes }) => replicaNodes)).to.deep.equal([
        [0, 1, 2],
        [1, 2, 0],
        [2, 0, 1],
      ]);
    }
    await until(
      async () => (await inSync(0, 1)).length === 3 && (await inSync(1, 2)).length === 3,
      'all replicas are in sync',
    );
  });

  it('knows a new topic on every node as soon as one has told of it', async () => {
    const made = await clients[0].createTopic('new', { numPartitions: 3, replicationFactor: 1 });
    expect(made.errorCode).to.equal(NONE);
    for (const id of [2, 1]) {
      const { errorCode, partitions } = await describeTopic(id, 'new');
      expect(errorCode).to.equal(NONE);
      expect(partitions.map(({ isrNodes }) => isrNodes)).to.deep.equal([[0], [1], [2]]);
    }
    await createTopic('newer');
    for (const id of [2, 0]) expect(await describeTopic(id, 'newer')).to.include({ errorCode: NONE });
    expect((await describeTopic(1, 'none')).errorCode).to.equal(UNKNOWN_TOPIC_OR_PARTITION);
  });

  it('shows a change on all nodes as soon as it is answered, by whichever node', async () => {
    /** What a node tells of a topic: the number of its partitions, and one of its settings. */
    const toldBy = async (client: WireClient, name: string) => {
      const { topics } = await client.send('Metadata', 10, { topics: null } as never);
      const resources = [{ resourceType: 2, resourceName: name, configurationKeys: ['segment.bytes'] }];
      const request = { resources, includeSynonyms: false, includeDocumentation: false };
      const { configs } = (await client.send('DescribeConfigs', 4, request)).results[0];
      return [topics.find((topic) => topic.name === name)?.partitions.length, configs[0]?.value];
    };
    /** A node that does not hear of a change in a tenth of a second, as on a busy machine, is not waited for. */
    const expectTold = async (name: string, told: unknown[], change: () => Promise<unknown>) => {
      const begin = performance.now();
      await change();
      const isHeard = performance.now() - begin < 100;
      const expectAll = async () => {
        const all = await Promise.all(clients.map((client) => toldBy(client, name)));
        expect(all).to.deep.equal([told, told, told]);
        return true;
      };
      await (isHeard ? expectAll() : until(expectAll, 'all nodes know the change'));
    };
    for (let round = 0; round < 12; round++) {
      const client = clients[round % 3];
      const name = `round-${round}`;
      const settings = [{ name: 'segment.bytes', value: '4096' }];
      const wanted = { numPartitions: 2, replicationFactor: 2, configs: settings };
      await expectTold(name, [2, '4096'], () => client.createTopic(name, wanted));
      await expectTold(name, [5, '4096'], () => client.grow(name, 5));
      const configs = [{ name: 'segment.bytes', configOperation: 0, value: '5000' }];
      const resources = [{ resourceType: 2, resourceName: name, configs }];
      await expectTold(name, [5, '5000'], () =>
        client.send('IncrementalAlterConfigs', 0, { resources, validateOnly: false }),
      );
      await until(
        async () => (await clients[1].produce(name, 4, -1, makeBatch(['x']))).errorCode === NONE,
        'the new partition takes a batch',
      );
      await expectTold(name, [undefined, undefined], () => client.deleteTopics(name));
    }
  });

  it('answers a change after a tenth of a second where a node does not hear of it', async () => {
    nodes[2].child.kill('SIGSTOP');
    const begin = performance.now();
    const made = await clients[0].createTopic('unheard', { numPartitions: 1, replicationFactor: 1 });
    expect(made.errorCode).to.equal(NONE);
    expect(performance.now() - begin).to.be.at.least(90);
    nodes[2].child.kill('SIGCONT');
    await until(
      async () => (await describeTopic(2, 'unheard')).errorCode === NONE,
      'the stopped node knows the topic',
    );
    await until(
      async () => (await inSync(0, 0)).length === 3 && (await inSync(1, 1)).length === 3,
      'all replicas are in sync',
    );
  });

  it('acknowledges what all in sync have, and sends who asks another node than the leader away', async () => {
    for (const id of [0, 1, 2]) {
      const before = await highWatermark(id, id);
      expect(await produce(id, id, 'x')).to.include({ errorCode: NONE, baseOffset: before });
      expect(await highWatermark(id, id)).to.equal(before + 1);
      const other = (id + 1) % 3;
      expect((await produce(other, id, 'x')).errorCode).to.equal(NOT_LEADER_OR_FOLLOWER);
      expect((await clients[other].park('t', id)).errorCode).to.equal(NOT_LEADER_OR_FOLLOWER);
    }
  });

  it('waits for a follower that is stopped, goes on without it after the lag, and takes it back', async () => {
    const end = await highWatermark(0, 0);
    nodes[1].child.kill('SIGSTOP');
    expect(await produce(0, 0, 'a', 60_000, 1), 'acks=1').to.include({ errorCode: NONE, baseOffset: end });
    expect(await highWatermark(0, 0)).to.equal(end);
    const [timedOut, acknowledged] = await Promise.all([produce(0, 0, 'b', 50), produce(0, 0, 'c')]);
    expect(timedOut.errorCode).to.equal(REQUEST_TIMED_OUT);
    expect(acknowledged).to.include({ errorCode: NONE, baseOffset: end + 2 });
    expect(await inSync(0, 0)).to.deep.equal([0, 2]);
    nodes[2].child.kill('SIGSTOP');
    const [one, all] = await Promise.all([produce(0, 0, 'd', 60_000, 1), produce(0, 0, 'e')]);
    expect(await inSync(0, 0)).to.deep.equal([0]);
    expect(one, 'acks=1').to.include({ errorCode: NONE, baseOffset: end + 3 });
    expect(all.errorCode).to.equal(ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND);
    expect((await produce(0, 0, 'f')).errorCode).to.equal(ErrorCode.NOT_ENOUGH_REPLICAS);
    expect(await produce(0, 0, 'g', 60_000, 1)).to.include({ errorCode: NONE, baseOffset: end + 5 });
    expect(await highWatermark(0, 0)).to.equal(end + 6);
    for (const id of [1, 2]) nodes[id].child.kill('SIGCONT');
    await until(async () => (await inSync(0, 0)).length === 3, 'all replicas are in sync');
    expect(await produce(0, 0, 'h')).to.include({ errorCode: NONE, baseOffset: end + 6 });
  });

  it('has no leader for the partitions of a node that is killed, until it is back with all that was acknowledged', async () => {
    await until(async () => (await inSync(1, 1)).length === 3, 'all are in sync');
    const { errorCode, baseOffset } = await produce(1, 1, 'before');
    expect(errorCode).to.equal(NONE);
    await nodes[1].end('SIGKILL');
    // Each node finds out by itself.
    for (const id of [0, 2]) {
      await until(
        async () => (await describeTopic(id, 't')).partitions[1].errorCode === LEADER_NOT_AVAILABLE,
        'the node finds that the leader is gone',
      );
    }
    const { partitions, brokers } = await describeTopic(2, 't');
    expect(brokers.map(({ nodeId }) => nodeId)).to.deep.equal([0, 2]);
    expect(partitions[1].leaderId).to.equal(-1);
    // The others go on: what they are given meanwhile, the node fetches when it is back.
    const meanwhile = await produce(0, 0, 'meanwhile');
    expect(meanwhile.errorCode).to.equal(NONE);
    await restart(1);
    expect(await highWatermark(1, 1)).to.equal(baseOffset + 1);
    for (const id of [0, 2]) {
      await until(
        async () => (await describeTopic(id, 't')).partitions[1].errorCode === NONE,
        'the leader is known again',
      );
    }
    await until(async () => (await inSync(0, 0)).length === 3, 'all replicas are in sync');
    expect((await produce(1, 1, 'after')).baseOffset).to.equal(baseOffset + 1);
  });

  it('has one coordinator for a group, and any other node sends its members there', async () => {
    const coordinators = await Promise.all(
      clients.map((client) =>
        client.send('FindCoordinator', 2, { key: 'g', keyType: 0, coordinatorKeys: [] }),
      ),
    );
    const [{ nodeId, port }] = coordinators;
    expect(coordinators.map((found) => found.nodeId)).to.deep.equal([nodeId, nodeId, nodeId]);
    expect(port).to.equal(nodes[nodeId].ports[0]);
    const ref = { groupId: 'g', generationId: 1, memberId: 'm', groupInstanceId: null };
    const errors = await Promise.all(clients.map((client) => client.send('Heartbeat', 3, ref)));
    for (const [id, { errorCode }] of errors.entries())
      expect(errorCode).to.equal(id === nodeId ? ErrorCode.UNKNOWN_MEMBER_ID : ErrorCode.NOT_COORDINATOR);
  });

  it('is used by kafkajs as one broker, for all partitions and by a group', async () => {
    const brokers = nodes.map(({ ports }) => `127.0.0.1:${ports[0]}`);
    const kafka = new Kafka({ clientId: 'test', brokers, logLevel: logLevel.NOTHING });
    const admin = kafka.admin();
    await admin.connect();
    await admin.createTopics({ topics: [{ topic: 'shared', numPartitions: 6 }] });
    await admin.disconnect();
    const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
    await producer.connect();
    const messages = Array.from({ length: 12 }, (_, i) => ({ value: `${i}`, partition: i % 6 }));
    await producer.send({ topic: 'shared', messages });
    const consumer = kafka.consumer({ groupId: 'sharing', maxWaitTimeInMs: 200 });
    await consumer.connect();
    await consumer.subscribe({ topic: 'shared', fromBeginning: true });
    const received: string[] = [];
    await consumer.run({ eachMessage: async ({ message }) => void received.push(`${message.value}`) });
    await until(() => received.length === messages.length, 'all records have come');
    expect(received.sort()).to.deep.equal(messages.map(({ value }) => value).sort());
    await Promise.all([consumer.disconnect(), producer.disconnect()]);
  });

  it('keeps what a topic is set to keep, on every node, whichever was told', async () => {
    await createTopic('kept');
    const produced = await clients[1].produce('kept', 1, -1, makeBatch(['x']));
    expect(produced.errorCode).to.equal(NONE);
    const configs = [{ name: 'retention.ms', configOperation: 0, value: '0' }];
    const request = { resources: [{ resourceType: 2, resourceName: 'kept', configs }], validateOnly: false };
    const alter = async (id: number) =>
      (await clients[id].send('IncrementalAlterConfigs', 1, request)).responses[0].errorCode;
    const retentionMs = async (id: number) => {
      const described = await clients[id].send('DescribeConfigs', 4, {
        resources: [{ resourceType: 2, resourceName: 'kept', configurationKeys: ['retention.ms'] }],
        includeSynonyms: false,
        includeDocumentation: false,
      });
      return described.results[0].configs[0].value;
    };
    expect(await alter(2)).to.equal(NONE);
    for (const id of [1, 2]) {
      const earliest = async () => (await clients[id].fetch('kept', id, 0, { minBytes: 0 })).logStartOffset;
      await until(async () => (await earliest()) === (id === 1 ? 1 : 0), 'retention has run');
      await until(async () => (await retentionMs(id)) === '0', 'the node knows the setting');
    }
  });
});

describe('npm start with --nodes 3', () => {
  it('starts a process per node, and stops them all', async () => {
    const port = await freePorts(3);
    const args = ['--nodes', '3', '--port', `${port}`, '--http', '0', '--data', dataFolder()];
    const launcher = await BrokerProcess.start(args, 3);
    expect(launcher.ports).to.deep.equal([port, port + 1, port + 2]);
    const client = await WireClient.connect(port + 2);
    const { brokers } = await client.send('Metadata', 4, {
      topics: [],
      allowAutoTopicCreation: false,
    } as never);
    expect(brokers.map((broker) => broker.port)).to.deep.equal(launcher.ports);
    await launcher.end('SIGTERM');
    await client.closed();
    expect(launcher.child.exitCode).to.equal(0);
    expect(launcher.stderr).to.equal('');
  });
});
