import { expect } from 'chai';
import { type Admin, Kafka, logLevel, Partitioners, type Producer } from 'kafkajs';
import { makeBatch } from './support/batches.ts';
import { type RunningBroker, startNodes } from './support/running-broker.ts';
import { WireClient } from './support/wire-client.ts';

const LATEST = -1;

/** Nodes, replicas of a partition, flushMs. Where there are followers, acks=1 does not wait. */
for (const [count, factor, flushMs] of [
  [1, 1, 0],
  [1, 1, 1000],
  [3, 1, 0],
  [3, 3, 0],
  [3, 3, 1000],
]) {
  const acks = factor === 1 ? 1 : -1;
  const title = `a record that is acknowledged with acks=${acks}, on ${factor} of ${count} nodes, with --flush-ms ${flushMs},`;
  describe(title, () => {
    const leader = 1 % count;
    let nodes: RunningBroker[];
    let admin: Admin;
    let producer: Producer;

    before(async () => {
      nodes = await startNodes(count, { flushMs });
      const kafka = new Kafka({ brokers: nodes.map(({ address }) => address), logLevel: logLevel.NOTHING });
      admin = kafka.admin();
      producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
      await Promise.all([admin.connect(), producer.connect()]);
    });

    after(async () => {
      await Promise.all([admin.disconnect(), producer.disconnect()]);
      await Promise.all(nodes.map(({ broker }) => broker.stop()));
      expect(nodes.flatMap(({ lines }) => lines)).to.deep.equal([]);
    });

    const create = (topic: string) =>
      admin.createTopics({ topics: [{ topic, numPartitions: 2, replicationFactor: factor }] });
    const send = (topic: string, partition: number, records: number) => {
      const messages = Array.from({ length: records }, (_, i) => ({ value: `${i}`, partition }));
      return producer.send({ topic, acks, messages });
    };
    /** The first and the latest offset of both partitions. */
    const offsetsOf = async (topic: string) =>
      (await admin.fetchTopicOffsets(topic))
        .sort((a, b) => a.partition - b.partition)
        .map(({ low, high }) => `${low} to ${high}`);

    it('is below the latest offset, 20 times of 20', async () => {
      await create('wire');
      const client = await WireClient.connect(nodes[leader].port);
      const partition = { partitionIndex: 1, currentLeaderEpoch: -1, timestamp: LATEST, maxNumOffsets: 1 };
      const latest = {
        replicaId: -1,
        isolationLevel: 0,
        topics: [{ name: 'wire', partitions: [partition] }],
      };
      const seen: number[] = [];
      for (let i = 0; i < 20; i++) {
        await client.produce('wire', 1, acks, makeBatch(['a']));
        seen.push((await client.send('ListOffsets', 4, latest)).topics[0].partitions[0].offset);
      }
      client.destroy();
      expect(seen).to.deep.equal(seen.map((_, i) => i + 1));
    });

    it('is counted by fetchTopicOffsets, 20 times of 20', async () => {
      await create('counted');
      const seen: string[] = [];
      for (let i = 0; i < 20; i++) {
        await send('counted', 1, 1);
        seen.push((await offsetsOf('counted'))[1]);
      }
      expect(seen).to.deep.equal(seen.map((_, i) => `0 to ${i + 1}`));
    });

    it('can be deleted at once by deleteTopicRecords', async () => {
      await create('deleted');
      await Promise.all([send('deleted', 0, 13), send('deleted', 1, 7)]);
      expect(await offsetsOf('deleted')).to.deep.equal(['0 to 13', '0 to 7']);
      const deleteBefore = (...offsets: number[]) => {
        const partitions = offsets.map((offset, partition) => ({ partition, offset: `${offset}` }));
        return admin.deleteTopicRecords({ topic: 'deleted', partitions });
      };
      const error = await deleteBefore(7, 8).catch(({ cause }) => cause.partitions);
      expect(error).to.have.length(1);
      expect(error[0]).to.include({ partition: 1, offset: '8' });
      expect(error[0].error.type).to.equal('OFFSET_OUT_OF_RANGE');
      expect(await offsetsOf('deleted')).to.deep.equal(['7 to 13', '0 to 7']);
      await deleteBefore(13, -1);
      expect(await offsetsOf('deleted')).to.deep.equal(['13 to 13', '7 to 7']);
      await send('deleted', 0, 1);
      await deleteBefore(-1);
      expect((await offsetsOf('deleted'))[0]).to.equal('14 to 14');
    });
  });
}
