import { expect } from 'chai';
import { ErrorCode } from '../protocol/error-codes.ts';
import { makeBatch } from './support/batches.ts';
import { brokerOfEachTest } from './support/running-broker.ts';

const { NONE, POLICY_VIOLATION } = ErrorCode;

describe('the limits of topics and records', () => {
  const broker = brokerOfEachTest({}, 't');

  it('are kept by topics, made by asking for them or on purpose', async () => {
    await broker.restart({ maxPartitions: 10 });
    const errors = await broker.client.createTopics('a', 'b', 'c', 'd');
    expect(errors).to.deep.equal([NONE, NONE, POLICY_VIOLATION, POLICY_VIOLATION]);
    const make = async (numPartitions: number) =>
      (await broker.client.createTopic('made', { numPartitions })).errorCode;
    expect(await make(2)).to.equal(POLICY_VIOLATION);
    expect(await make(1)).to.equal(NONE);
    expect(broker.logged()).to.deep.equal([
      'refused 2 new topics of PEER: --max-partitions is 10',
      'refused 1 new topics of PEER: --max-partitions is 10',
    ]);
    await broker.client.deleteTopics('a');
    expect(await broker.client.createTopics('c')).to.deep.equal([NONE]);
  });

  it('are kept by what is written, also after a restart, and a topic that is deleted makes room', async () => {
    const records = makeBatch(['x'.repeat(1000)]);
    const options = { maxLogBytes: 2.5 * records.length };
    await broker.restart(options);
    await broker.client.createTopics('u');
    const write = async (topic: string) => (await broker.client.produce(topic, 0, -1, records)).errorCode;
    const expectRefused = async () => {
      expect(await write('t')).to.equal(POLICY_VIOLATION);
      const [line, ...others] = broker.logged();
      expect(line).to.match(
        /^refused 1 batches of PEER: no room for \d+ bytes more, where --max-log-bytes is \d+/,
      );
      expect(others).to.deep.equal([]);
    };
    for (const topic of ['t', 'u']) expect(await write(topic)).to.equal(NONE);
    await expectRefused();
    await broker.restart(options);
    await expectRefused();
    await broker.client.deleteTopics('u');
    expect(await write('t')).to.equal(NONE);
    await expectRefused();
  });
});
