import { Admin, Consumer, type Message, ProduceAcks, Producer } from '@platformatic/kafka';
import { expect } from 'chai';
import { type RunningBroker, startBroker } from './support/running-broker.ts';
import { until } from './support/turns.ts';

describe('@platformatic/kafka', () => {
  let running: RunningBroker;
  let producer: Producer;
  const closing: (() => Promise<unknown>)[] = [];

  before(async () => {
    running = await startBroker();
    producer = new Producer({
      clientId: 'test',
      bootstrapBrokers: [running.address],
      autocreateTopics: true,
    });
  });

  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  after(async () => {
    await producer.close();
    await running.broker.stop();
    expect(running.lines, 'what the broker had to complain of').to.deep.equal([]);
  });

  async function consume(
    topic: string,
    onMessage: (message: Message<Buffer, Buffer, Buffer, Buffer>) => void,
  ): Promise<void> {
    const consumer = new Consumer({
      clientId: 'test',
      groupId: `${topic}-group`,
      bootstrapBrokers: [running.address],
      maxWaitTime: 1000,
    });
    const stream = await consumer.consume({
      topics: [topic],
      mode: 'earliest',
      sessionTimeout: 10_000,
      heartbeatInterval: 500,
    });
    stream.on('data', onMessage);
    closing.push(
      () => stream.close(),
      () => consumer.close(),
    );
  }

  it('produces with acks 0, 1 and all, and reads it all from the beginning, byte for byte', async () => {
    const admin = new Admin({ clientId: 'test', bootstrapBrokers: [running.address] });
    closing.push(() => admin.close());
    await admin.createTopics({ topics: ['bytes'], partitions: 1, replicas: 1 });
    const sent = [ProduceAcks.NO_RESPONSE, ProduceAcks.LEADER, ProduceAcks.ALL, ProduceAcks.ALL].map(
      (acks, i) => ({
        acks,
        key: Buffer.from([i, 0, 255]),
        value: i === 3 ? Buffer.alloc(900_000, 'large and ') : Buffer.from(`value ${i} \0 ü`),
        header: Buffer.from([255 - i]),
      }),
    );
    for (const { acks, key, value, header } of sent) {
      await producer.send({
        acks,
        messages: [
          { topic: 'bytes', partition: 0, key, value, headers: new Map([[Buffer.from('h'), header]]) },
        ],
      });
      if (acks === ProduceAcks.NO_RESPONSE)
        await until(
          () => running.broker.status().topics[0].partitions[0].highWatermark === 1,
          'the log has that record',
        );
    }
    const received: Message<Buffer, Buffer, Buffer, Buffer>[] = [];
    await consume('bytes', (message) => received.push(message));
    await until(() => received.length === sent.length, 'all records have come');
    for (const [i, { key, value, headers, offset }] of received.entries()) {
      expect(offset).to.equal(BigInt(i));
      expect(key.equals(sent[i].key), 'key').to.equal(true);
      expect(value.equals(sent[i].value), 'value').to.equal(true);
      expect([...headers.values()], 'headers').to.deep.equal([sent[i].header]);
    }
  });

  it('has the records of two idempotent producers kept, each with an id of its own', async () => {
    const ids = new Set<bigint | undefined>();
    for (const offset of [0n, 1n]) {
      const idempotent = new Producer({
        clientId: 'test',
        bootstrapBrokers: [running.address],
        idempotent: true,
        autocreateTopics: true,
      });
      closing.push(() => idempotent.close());
      const { offsets } = await idempotent.send({
        messages: [{ topic: 'idempotent', partition: 0, value: Buffer.from('once') }],
      });
      expect(offsets?.[0].offset).to.equal(offset);
      ids.add(idempotent.producerId);
    }
    expect(ids.size).to.equal(2);
  });

  it('lists topics and groups, and deletes a group that has no members', async () => {
    await producer.send({ messages: [{ topic: 'listed', value: Buffer.from('x') }] });
    let received = 0;
    await consume('listed', () => received++);
    await until(() => received === 1, 'all records have come');
    const admin = new Admin({ clientId: 'test', bootstrapBrokers: [running.address] });
    expect(await admin.listTopics()).to.include('listed');
    expect((await admin.listGroups()).get('listed-group')).to.include({ state: 'STABLE' });
    for (const close of closing.splice(0)) await close();
    await until(
      async () => (await admin.listGroups()).get('listed-group')?.state !== 'STABLE',
      'the group has lost its members',
    );
    await admin.deleteGroups({ groups: ['listed-group'] });
    expect([...(await admin.listGroups()).keys()]).not.to.include('listed-group');
    await admin.close();
  });
});
