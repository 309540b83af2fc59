import { expect } from 'chai';
import {
  type Admin,
  type Consumer,
  Kafka,
  type KafkaMessage,
  logLevel,
  Partitioners,
  type Producer,
} from 'kafkajs';
import { type RunningBroker, startBroker } from './support/running-broker.ts';
import { until } from './support/turns.ts';

/** Kafka's ConfigResource.Type. */
const TOPIC = 2;

describe('kafkajs', () => {
  let running: RunningBroker;
  let kafka: Kafka;
  let producer: Producer;
  let admin: Admin;
  const consumers: Consumer[] = [];

  before(async () => {
    running = await startBroker();
    kafka = new Kafka({ clientId: 'test', brokers: [running.address], logLevel: logLevel.NOTHING });
    producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
    admin = kafka.admin();
    await Promise.all([producer.connect(), admin.connect()]);
  });

  afterEach(async () => {
    await Promise.all(consumers.splice(0).map((consumer) => consumer.disconnect()));
  });

  after(async () => {
    await Promise.all([producer.disconnect(), admin.disconnect()]);
    await running.broker.stop();
    expect(running.lines, 'what the broker had to complain of').to.deep.equal([]);
  });

  async function consume(
    topic: string,
    groupId: string,
    onMessage: (message: KafkaMessage, partition: number) => void,
  ): Promise<number[]> {
    const consumer = kafka.consumer({
      groupId,
      heartbeatInterval: 100,
      maxWaitTimeInMs: 1000,
      rebalanceTimeout: 5000,
    });
    consumers.push(consumer);
    await consumer.connect();
    await consumer.subscribe({ topic, fromBeginning: true });
    const joined = new Promise<number[]>((resolve) => {
      consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => resolve(payload.memberAssignment[topic]));
    });
    await consumer.run({
      autoCommitInterval: 50,
      eachMessage: async ({ message, partition }) => onMessage(message, partition),
    });
    return joined;
  }

  it('produces with acks 0, 1 and all, and reads it all from the beginning, byte for byte', async () => {
    const large = Buffer.alloc(900_000, 'large and ');
    const sent = [
      {
        key: Buffer.from([0, 255, 128]),
        value: Buffer.from([1, 2, 3, 0]),
        headers: { trace: Buffer.from([9, 0]), 'a b': 'ü' },
      },
      { key: 'text', value: 'größer' },
      { key: null, value: '' },
      { key: 'gone', value: null },
      { key: 'large', value: large },
    ];
    let acks = 0;
    for (const message of sent) {
      const [metadata] = await producer.send({
        topic: 'bytes',
        acks: [0, 1, -1][acks++ % 3],
        messages: [{ ...message, partition: 1 }],
      });
      // Without acks there is nothing to wait for, and the next send may take another connection.
      if (metadata === undefined) await until(() => endOffset('bytes', 1) > 0, 'the log has that record');
      else expect(metadata.baseOffset).to.be.a('string');
    }
    const received: KafkaMessage[] = [];
    await consume('bytes', 'bytes-group', (message) => received.push(message));
    await until(() => received.length === sent.length, 'all records have come');
    expect(received.map(({ key, value, headers }) => ({ key, value, headers }))).to.deep.equal(
      sent.map(({ key, value, headers }) => ({
        key: key === null ? null : Buffer.from(key),
        value: value === null ? null : Buffer.from(value),
        headers: Object.fromEntries(
          Object.entries(headers ?? {}).map(([name, header]) => [name, Buffer.from(header)]),
        ),
      })),
    );
  });

  const endOffset = (topic: string, partition: number): number =>
    running.broker.status().topics.find(({ name }) => name === topic)?.partitions[partition].highWatermark ??
    0;

  it('receives what is produced while its fetch waits', async () => {
    let received = 0;
    await consume('tail', 'tail-group', () => received++);
    const fetches = () => running.broker.status().purgatories.fetch;
    const before = fetches().completedEarly;
    for (let sent = 1; sent <= 5; sent++) {
      await until(() => fetches().numDelayed > 0, 'its fetch waits');
      await producer.send({ topic: 'tail', messages: [{ value: 'x' }] });
      await until(() => received === sent, 'it has the record');
    }
    expect(fetches().completedEarly).to.be.above(before);
  });

  it('shares the partitions of a topic between two members, hands them over, and goes on from where it committed', async () => {
    const seen: string[] = [];
    const note = (message: KafkaMessage, partition: number) => seen.push(`${partition}/${message.offset}`);
    const send = (count: number) =>
      producer.send({
        topic: 'shared',
        messages: Array.from({ length: count }, (_, i) => ({ value: 'x', partition: i % 3 })),
      });
    await send(3);
    expect(await consume('shared', 'sharing', note)).to.have.members([0, 1, 2]);
    await until(() => seen.length === 3, 'all records have come');
    const second = await consume('shared', 'sharing', note);
    expect(second.length).to.be.oneOf([1, 2]);
    expect(running.broker.status().groups.find(({ id }) => id === 'sharing')).to.include({
      state: 'Stable',
      members: 2,
    });
    expect(running.broker.status().purgatories.heartbeat.numDelayed).to.be.at.least(2);
    await send(3);
    await until(() => seen.length === 6, 'all records have come');

    await consumers.shift()?.disconnect();
    await send(3);
    await until(() => seen.length === 9, 'all records have come');
    expect(new Set(seen).size, 'nothing twice').to.equal(9);
    expect(running.broker.status().groups.find(({ id }) => id === 'sharing')?.members).to.equal(1);
  });

  it('creates, lists and deletes topics, and is told what is wrong with a name', async () => {
    expect(await admin.createTopics({ topics: [{ topic: 'made', numPartitions: 5 }] })).to.equal(true);
    expect(await admin.createTopics({ topics: [{ topic: 'made' }] }), 'again').to.equal(false);
    expect((await admin.fetchTopicMetadata({ topics: ['made'] })).topics[0].partitions).to.have.length(5);
    expect(await admin.listTopics()).to.include('made');
    await admin.deleteTopics({ topics: ['made'] });
    expect(await admin.listTopics()).not.to.include('made');
    const error = await admin
      .createTopics({ topics: [{ topic: '../../etc/passwd' }] })
      .catch((thrown: Error) => thrown);
    expect(JSON.stringify(error)).to.contain('INVALID_TOPIC_EXCEPTION');
  });

  it('finds offsets by time', async () => {
    const start = Date.now();
    await producer.send({
      topic: 'timed',
      messages: [1, 2, 3].map((i) => ({ value: `${i}`, partition: 0, timestamp: `${start + i * 1000}` })),
    });
    const byTime = async (timestamp: number) =>
      (await admin.fetchTopicOffsetsByTimestamp('timed', timestamp)).find(({ partition }) => partition === 0)
        ?.offset;
    expect(await byTime(start)).to.equal('0');
    expect(await byTime(start + 1001)).to.equal('1');
    expect(await byTime(start + 3000)).to.equal('2');
    expect(await byTime(start + 3001), 'nothing so late: the end').to.equal('3');
    const [offsets] = (await admin.fetchTopicOffsets('timed')).filter(({ partition }) => partition === 0);
    expect(offsets).to.include({ low: '0', high: '3' });
  });

  it('lists and describes groups, and what they have committed', async () => {
    await producer.send({ topic: 'described', messages: [{ value: 'x', partition: 1 }] });
    let received = 0;
    await consume('described', 'describing', () => received++);
    await until(() => received === 1, 'all records have come');
    await until(async () => {
      const [{ partitions }] = await admin.fetchOffsets({ groupId: 'describing' });
      expect(partitions.map(({ partition, offset }) => [partition, offset])).to.deep.equal([[1, '1']]);
      return true;
    }, 'it has committed');
    const [group] = (await admin.describeGroups(['describing'])).groups;
    expect(group).to.include({ state: 'Stable', protocolType: 'consumer', protocol: 'RoundRobinAssigner' });
    expect(group.members[0]).to.include({ clientId: 'test', clientHost: '/127.0.0.1' });
    expect((await admin.listGroups()).groups).to.deep.include({
      groupId: 'describing',
      protocolType: 'consumer',
    });
  });

  it('reads and changes the settings of topics, adds partitions, and deletes records and groups', async () => {
    await admin.createTopics({
      topics: [
        { topic: 'changed', numPartitions: 2, configEntries: [{ name: 'retention.ms', value: '60000' }] },
      ],
    });
    const retention = async () => {
      const resources = [{ type: TOPIC, name: 'changed' }];
      const { resources: described } = await admin.describeConfigs({ includeSynonyms: false, resources });
      return described[0].configEntries.find(({ configName }) => configName === 'retention.ms')?.configValue;
    };
    expect(await retention()).to.equal('60000');
    const change = (name: string, value: string) =>
      admin.alterConfigs({
        validateOnly: false,
        resources: [{ type: TOPIC, name: 'changed', configEntries: [{ name, value }] }],
      });
    await change('retention.ms', '70000');
    expect(await retention()).to.equal('70000');
    const refused = await change('retention.hours', '1').catch((error: Error) => error.message);
    expect(refused).to.contain('Configuration is invalid');

    await admin.createPartitions({ topicPartitions: [{ topic: 'changed', count: 3 }] });
    const messages = [1, 2, 3].map((n) => ({ value: `${n}`, partition: 2 }));
    await producer.send({ topic: 'changed', messages });
    // It knows the leaders of topics whose offsets it was asked for, and of no others.
    await admin.fetchTopicOffsets('changed');
    await admin.deleteTopicRecords({ topic: 'changed', partitions: [{ partition: 2, offset: '2' }] });
    const offsets = await admin.fetchTopicOffsets('changed');
    expect(offsets.find(({ partition }) => partition === 2)).to.include({ low: '2', high: '3' });

    let received = 0;
    await consume('changed', 'unused', () => received++);
    await until(() => received === 1, 'all records have come');
    await Promise.all(consumers.splice(0).map((consumer) => consumer.disconnect()));
    expect(await admin.deleteGroups(['unused'])).to.deep.equal([{ groupId: 'unused', errorCode: 0 }]);
    expect((await admin.describeCluster()).brokers).to.have.length(1);
    expect((await admin.listPartitionReassignments({})).topics).to.deep.equal([]);
  });
});
