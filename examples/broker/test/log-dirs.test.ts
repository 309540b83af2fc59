import { resolve } from 'node:path';
import { Admin } from '@platformatic/kafka';
import { expect } from 'chai';
import { makeBatch } from './support/batches.ts';
import { brokerOfEachTest, dataFolder, startNodes } from './support/running-broker.ts';
import { until } from './support/turns.ts';
import { WireClient } from './support/wire-client.ts';

describe('the folder of the logs', () => {
  const broker = brokerOfEachTest();

  it('is told with the size of each log that is asked for, each once, or of all', async () => {
    const { client, data } = broker;
    await client.createTopic('two', { numPartitions: 2 });
    await client.createTopic('one', { numPartitions: 1 });
    const batch = makeBatch(['a', 'b']);
    await client.produce('two', 1, -1, batch);
    const full = { partitionIndex: 1, partitionSize: batch.length, offsetLag: 0, isFutureKey: false };
    const empty = { partitionIndex: 0, partitionSize: 0, offsetLag: 0, isFutureKey: false };
    for (const version of [0, 1, 2, 3, 4]) {
      const ask = async (topics: { topic: string; partitions: number[] }[] | null) => {
        const { results } = await client.send('DescribeLogDirs', version, { topics });
        expect(results).to.have.length(1);
        expect(results[0]).to.include({ errorCode: 0, logDir: resolve(data, 'node-0', 'logs') });
        return results[0].topics;
      };
      const named = [
        { topic: 'two', partitions: [1, 1, 7, -1] },
        { topic: 'two', partitions: [1] },
        { topic: 'none', partitions: [0] },
      ];
      expect(await ask(named), `${version}`).to.deep.equal([{ name: 'two', partitions: [full] }]);
      expect(await ask(null), `${version}`).to.deep.equal([
        { name: 'two', partitions: [empty, full] },
        { name: 'one', partitions: [empty] },
      ]);
    }
  });

  it('is told by each of three nodes, of the partitions that it replicates', async () => {
    const nodes = await startNodes(3, { data: dataFolder() });
    const admin = new Admin({ clientId: 'test', bootstrapBrokers: [nodes[1].address] });
    await admin.createTopics({ topics: ['t'], partitions: 4, replicas: 2 });
    const client = await WireClient.connect(nodes[0].port);
    const batch = makeBatch(['a']);
    await client.produce('t', 0, -1, batch);
    const seen = async () => {
      const answers = await admin.describeLogDirs({ topics: [{ name: 't', partitions: [0, 2, 3] }] });
      return answers.map(({ broker, results }) => {
        const partitions = results[0].topics.flatMap((topic) => topic.partitions);
        const sizes = partitions.map(({ partitionIndex: p, partitionSize }) => `${p}: ${partitionSize}`);
        return `node ${broker} has ${sizes.join(', ')}`;
      });
    };
    const expected = [
      `node 0 has 0: ${batch.length}, 2: 0, 3: 0`,
      `node 1 has 0: ${batch.length}, 3: 0`,
      'node 2 has 2: 0',
    ];
    await until(async () => `${await seen()}` === `${expected}`, 'the folder has that size');
    await admin.close();
    client.destroy();
    await Promise.all(nodes.map(({ broker }) => broker.stop()));
  });
});
