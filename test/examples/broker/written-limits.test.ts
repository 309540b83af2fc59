import { expect } from 'chai';
import type { BrokerOptions } from '../../../examples/broker/options.ts';
import { ErrorCode } from '../../../examples/broker/protocol/error-codes.ts';
import { makeBatch } from './support/batches.ts';
import { dataFolder, type RunningBroker, startBroker } from './support/running-broker.ts';
import { WireClient } from './support/wire-client.ts';

const { NONE, POLICY_VIOLATION } = ErrorCode;

describe('the limits of topics and records', () => {
  let running: RunningBroker;
  let client: WireClient;

  async function start(options: Partial<BrokerOptions>): Promise<void> {
    running = await startBroker(options);
    client = await WireClient.connect(running.port);
    await client.createTopics('t');
  }

  async function stop(): Promise<void> {
    client.destroy();
    await running.broker.stop();
  }

  afterEach(stop);

  it('are kept by topics, made by asking for them or on purpose', async () => {
    await start({ maxPartitions: 10 });
    expect(await client.createTopics('a', 'b', 'c', 'd')).to.deep.equal([
      NONE,
      NONE,
      POLICY_VIOLATION,
      POLICY_VIOLATION,
    ]);
    const make = async (numPartitions: number) => {
      const topic = { name: 'made', numPartitions, replicationFactor: 1, assignments: [], configs: [] };
      const request = { topics: [topic], timeoutMs: 1000, validateOnly: false };
      return (await client.send('CreateTopics', 4, request)).topics[0].errorCode;
    };
    expect(await make(2)).to.equal(POLICY_VIOLATION);
    expect(await make(1)).to.equal(NONE);
    expect(running.lines.map((line) => line.replace(/:\d+:/, ':'))).to.deep.equal([
      'refused 2 new topics of 127.0.0.1: --max-partitions is 10',
      'refused 1 new topics of 127.0.0.1: --max-partitions is 10',
    ]);
    await client.send('DeleteTopics', 4, { topics: [], topicNames: ['a'], timeoutMs: 1000 });
    expect(await client.createTopics('c')).to.deep.equal([NONE]);
  });

  it('are kept by what is written, also after a restart, and a topic that is deleted makes room', async () => {
    const data = dataFolder();
    const records = makeBatch(['x'.repeat(1000)]);
    const options = { data, maxLogBytes: 2.5 * records.length };
    await start(options);
    const write = async (topic: string) => {
      return (await client.produce(topic, 0, -1, records)).errorCode;
    };
    await client.createTopics('u');
    for (const topic of ['t', 'u']) expect(await write(topic)).to.equal(NONE);
    expect(await write('t')).to.equal(POLICY_VIOLATION);
    expect(running.lines).to.have.length(1);
    expect(running.lines[0]).to.match(
      /^refused 1 batches of 127\.0\.0\.1:\d+: no room for \d+ bytes more, where --max-log-bytes is \d+/,
    );
    await stop();
    await start(options);
    expect(await write('t')).to.equal(POLICY_VIOLATION);
    await client.send('DeleteTopics', 4, { topics: [], topicNames: ['u'], timeoutMs: 1000 });
    expect(await write('t')).to.equal(NONE);
    expect(await write('t')).to.equal(POLICY_VIOLATION);
  });
});
