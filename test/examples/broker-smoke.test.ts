/** The broker at its work, in short. Everything in test/examples/broker looks closer. */
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { expect } from 'chai';
import { Kafka, logLevel, Partitioners } from 'kafkajs';
import { startBroker } from './broker/support/running-broker.ts';
import { HOUR_MS, WireClient } from './broker/support/wire-client.ts';

describe('the broker', () => {
  it('has acknowledgements and fetches wait, answers each early or at its deadline, and ends clean', async () => {
    const { broker, port, address, lines } = await startBroker();
    const kafka = new Kafka({ brokers: [address], logLevel: logLevel.NOTHING });
    const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
    await producer.connect();
    const produce = (value: string) =>
      producer.send({ topic: 'smoke', acks: -1, messages: [{ value, partition: 0 }] });
    await produce('first');
    expect(broker.status().purgatories.produce, 'waited for the disk').to.include({
      completedEarly: 1,
      expired: 0,
    });

    const consumer = kafka.consumer({ groupId: 'readers', maxWaitTimeInMs: 200 });
    await consumer.connect();
    await consumer.subscribe({ topic: 'smoke', fromBeginning: true });
    const read: string[] = [];
    const both = new Promise<void>((resolve) => {
      void consumer.run({
        eachMessage: async ({ message }) => {
          if (read.push(`${message.value}`) === 1) await produce('second');
          else resolve();
        },
      });
    });
    await both;
    expect(read).to.deep.equal(['first', 'second']);

    const client = await WireClient.connect(port);
    const before = performance.now();
    const atDeadline = await client.fetch('smoke', 0, 2, { maxWaitMs: 50 });
    expect(performance.now() - before, 'never early').to.be.at.least(49);
    expect(atDeadline).to.include({ errorCode: 0, highWatermark: 2 });

    const waiting = client.fetch('smoke', 0, 2, { maxWaitMs: HOUR_MS });
    await Promise.all([consumer.disconnect(), producer.disconnect()]);
    await broker.stop();
    expect((await waiting).highWatermark, 'answered at the end').to.equal(2);
    await client.closed();
    const [refused] = await once(createConnection(port, '127.0.0.1'), 'error');
    expect(refused.code).to.equal('ECONNREFUSED');
    expect(lines).to.deep.equal([]);
  });
});
