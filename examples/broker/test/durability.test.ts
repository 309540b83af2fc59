import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ErrorCode } from '../protocol/error-codes.ts';
import { readBatches } from '../protocol/record-batch.ts';
import { makeBatch } from './support/batches.ts';
import { BrokerProcess } from './support/broker-process.ts';
import { brokerOfEachTest, dataFolder } from './support/running-broker.ts';
import { until } from './support/turns.ts';
import { WireClient } from './support/wire-client.ts';

/** All records of a partition, of which each batch has one. */
async function readAll(client: WireClient, topic: string): Promise<string[]> {
  const values: string[] = [];
  for (;;) {
    const { errorCode, records } = await client.fetch(topic, 0, values.length);
    expect(errorCode).to.equal(0);
    const batches = readBatches(Buffer.concat(records));
    if (batches.length === 0) return values;
    for (const { bytes } of batches) values.push(/<([\w.]+)>/.exec(bytes.toString('latin1'))?.[1] ?? '');
  }
}

const committedOffset = async (client: WireClient) => (await client.committed('g', 't')).committedOffset;

describe('what a broker keeps', () => {
  const broker = brokerOfEachTest();

  it('is topics with their ids, records and commits, but not what was deleted, over a restart', async () => {
    await broker.client.createTopics('empty', 'gone', 'full');
    for (const topic of ['gone', 'full']) await broker.client.produce(topic, 0, -1, makeBatch(['<a>']));
    await broker.client.deleteTopics('gone');
    for (let offset = 0; offset < 5; offset++)
      await broker.client.commit('g', 'full', [offset], { metadata: 'm' });
    const metadata = () => broker.client.send('Metadata', 10, { topics: null } as never);
    const before = (await metadata()).topics;
    expect(before.map(({ name }) => name)).to.deep.equal(['empty', 'full']);
    await broker.restart();
    expect((await metadata()).topics).to.deep.equal(before);
    expect(await readAll(broker.client, 'full')).to.deep.equal(['a']);
    const committed = { committedOffset: 4, metadata: 'm' };
    expect(await broker.client.committed('g', 'full')).to.include(committed);
    await broker.client.createTopics('gone');
    expect(await readAll(broker.client, 'gone')).to.deep.equal([]);
    expect(readdirSync(broker.data)).to.deep.equal(['node-0']);
  });

  it('fills one file after the other, and reads on over their ends', async () => {
    await broker.restart({ segmentBytes: 1024 });
    await broker.client.createTopics('t');
    const values = Array.from({ length: 40 }, (_, i) => `${i}`.padEnd(100, '.'));
    const sent = values.map((value) => broker.client.produce('t', 0, -1, makeBatch([`<${value}>`])));
    const answers = await Promise.all(sent);
    expect(answers.map(({ baseOffset }) => baseOffset)).to.deep.equal(values.map((_, index) => index));
    expect(readdirSync(join(broker.data, 'node-0', 'logs', 't-0')).length).to.be.above(4);
    expect(await readAll(broker.client, 't')).to.deep.equal(values);
    await broker.restart();
    expect(await readAll(broker.client, 't')).to.deep.equal(values);
  });

  it('is flushed later, by count or by time, where the options say so', async () => {
    await broker.restart({ flushMessages: 3, flushMs: 20 });
    await broker.client.createTopics('t');
    for (let i = 0; i < 4; i++) {
      const answer = await broker.client.produce('t', 0, -1, makeBatch([`<${i}>`]));
      expect(answer.errorCode).to.equal(ErrorCode.NONE);
    }
    // The high watermark does not wait for the disk, so neither does a produce.
    expect(broker.status.purgatories.produce.parked).to.equal(0);
    await broker.restart();
    expect(await readAll(broker.client, 't')).to.deep.equal(['0', '1', '2', '3']);
  });
});

describe('a broker that is killed', () => {
  it('has every record that it acknowledged with acks=1 and acks=all, once and in order, and every commit', async () => {
    const args = ['--port', '0', '--http', '0', '--data', dataFolder(), '--segment-bytes', '4096'];
    const sent: string[] = [];
    const acknowledged = new Map<number, string>();
    let committed = -1;
    for (let round = 0; round < 3; round++) {
      const broker = await BrokerProcess.start(args);
      const client = await WireClient.connect(broker.ports[0]);
      await client.createTopics('t');
      const enough = acknowledged.size + 50;
      const closed = client.closed();
      const produce = async () => {
        const value = `${sent.length}`;
        const acks = sent.push(value) % 2 === 0 ? 1 : -1;
        const { errorCode, baseOffset } = await client.produce('t', 0, acks, makeBatch([`<${value}>`]));
        expect(errorCode).to.equal(0);
        acknowledged.set(baseOffset, value);
      };
      const commit = async () => {
        const offset = committed + 1;
        const [errorCode] = await client.commit('g', 't', [offset]);
        if (errorCode === 0) committed = offset;
      };
      const loop = async (work: () => Promise<void>) => {
        while (!client.socket.destroyed) await Promise.race([work(), closed]);
      };
      expect(await committedOffset(client)).to.be.at.least(committed);
      const loops = [loop(produce), loop(produce), loop(produce), loop(produce), loop(commit)];
      await until(() => acknowledged.size >= enough, 'enough is acknowledged');
      await broker.end('SIGKILL');
      await Promise.all(loops);
    }
    const broker = await BrokerProcess.start(args);
    const client = await WireClient.connect(broker.ports[0]);
    const kept = await readAll(client, 't');
    expect(await committedOffset(client)).to.be.within(committed, committed + 1);
    expect(committed).to.be.above(0);
    client.destroy();
    await broker.end('SIGTERM');
    expect([...acknowledged].filter(([offset, value]) => kept[offset] !== value)).to.deep.equal([]);
    expect(new Set(kept).size, 'nothing twice').to.equal(kept.length);
    expect(kept, 'in the order it was sent').to.deep.equal(sent.filter((value) => kept.includes(value)));
  });
});
