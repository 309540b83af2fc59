import { expect } from 'chai';
import { type Consumer, Kafka, logLevel, Partitioners } from 'kafkajs';
import { BrokerProcess } from './support/broker-process.ts';
import { freePorts } from './support/free-ports.ts';
import { dataFolder } from './support/running-broker.ts';
import { pause, until } from './support/turns.ts';

const TOPIC = 't';

/** A broker that is stopped and started again, and a producer that does not stop for that. */
async function startLoad() {
  const args = ['--port', `${await freePorts(1)}`, '--http', '0', '--data', dataFolder()];
  let broker = await BrokerProcess.start(args);
  const address = `127.0.0.1:${broker.ports[0]}`;
  const kafka = new Kafka({
    brokers: [address],
    logLevel: logLevel.NOTHING,
    // A client that gives up would join anew.
    retry: { retries: 200, initialRetryTime: 50, maxRetryTime: 200 },
  });
  const producer = kafka.producer({ idempotent: true, createPartitioner: Partitioners.DefaultPartitioner });
  await producer.connect();
  let sent = 0;
  let isOver = false;
  const send = async () => {
    const messages = Array.from({ length: 10 }, (_, i) => ({ value: `${sent + i}`, partition: i % 3 }));
    await producer.send({ topic: TOPIC, messages });
    sent += messages.length;
  };
  await send();
  const sending = (async () => {
    // Paced, or the topic would grow faster than it is read.
    for (; !isOver; await pause(5)) await send();
  })();
  return {
    kafka,
    address,
    /** How many records are in the topic. */
    get sent() {
      return sent;
    },
    async restart(signal: NodeJS.Signals): Promise<void> {
      await broker.end(signal);
      expect(broker.complaints).to.deep.equal([]);
      // Long enough for its clients to notice.
      await pause(300);
      broker = await BrokerProcess.start(args);
    },
    async finish(): Promise<void> {
      isOver = true;
      await sending;
      await producer.disconnect();
    },
    async stop(): Promise<void> {
      await broker.end('SIGTERM');
      expect(broker.complaints).to.deep.equal([]);
    },
  };
}

type Load = Awaited<ReturnType<typeof startLoad>>;

describe('a group whose coordinator is started again within the sessions of its members', () => {
  let load: Load;

  beforeEach(async () => {
    load = await startLoad();
  });

  afterEach(() => load.stop());

  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    it(`reads nothing twice after ${signal}, with members of kafkajs that commit every five seconds`, async () => {
      let records = 0;
      let joins = 0;
      const offsets = new Set<string>();
      const startMember = async (): Promise<Consumer> => {
        const consumer = load.kafka.consumer({ groupId: 'g', heartbeatInterval: 200, maxWaitTimeInMs: 100 });
        await consumer.connect();
        await consumer.subscribe({ topic: TOPIC, fromBeginning: true });
        consumer.on(consumer.events.GROUP_JOIN, () => joins++);
        await consumer.run({
          autoCommitInterval: 5000,
          eachMessage: async ({ partition, message }) => {
            records++;
            offsets.add(`${partition}/${message.offset}`);
          },
        });
        return consumer;
      };
      const members = [await startMember(), await startMember()];
      await until(() => joins >= 3, 'both members have joined');
      const recordsAtJoin = records;
      // A client of kafkajs whose broker goes away while it is still joining crashes, and joins anew.
      await until(() => records > recordsAtJoin + 300, 'the group reads on');
      const recordsBefore = records;
      await load.restart(signal);
      await until(() => records > recordsBefore + 300, 'the group reads on');
      await load.finish();
      await until(() => offsets.size === load.sent, 'every record has come');
      // A member of kafkajs may crash when its broker is away. It joins anew then, by itself.
      expect(records).to.equal(load.sent);
      await Promise.all(members.map((member) => member.disconnect()));
    });
  }
});
