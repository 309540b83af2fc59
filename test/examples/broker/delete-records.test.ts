import { expect } from 'chai';
import { ErrorCode } from '../../../examples/broker/protocol/error-codes.ts';
import { until } from '../../support/turns.ts';
import { makeBatch } from './support/batches.ts';
import { dataFolder, type RunningBroker, startBroker } from './support/running-broker.ts';
import { fetchRequest, WireClient } from './support/wire-client.ts';

const { NONE, OFFSET_OUT_OF_RANGE, UNKNOWN_TOPIC_OR_PARTITION } = ErrorCode;

describe('records that a client deletes', () => {
  let data: string;
  let running: RunningBroker;
  let client: WireClient;

  beforeEach(async () => {
    data = dataFolder();
    await start();
    await client.createTopics('t');
    // Twelve records in batches of three, one a file.
    for (let i = 0; i < 4; i++) {
      const values = [0, 1, 2].map((n) => `${3 * i + n} `.repeat(100));
      const times = [0, 1, 2].map((n) => 1000 + 3 * i + n);
      await client.produce('t', 0, -1, makeBatch(values, times));
    }
  });

  afterEach(stop);

  async function start(): Promise<void> {
    running = await startBroker({ data, partitions: 1, segmentBytes: 1024 });
    client = await WireClient.connect(running.port);
  }

  async function stop(): Promise<void> {
    client.destroy();
    await running.broker.stop();
  }

  const deleteBefore = async (offset: number, partitionIndex = 0) => {
    const topics = [{ name: 't', partitions: [{ partitionIndex, offset }] }];
    const answer = await client.send('DeleteRecords', 2, { topics, timeoutMs: 1000 });
    const { lowWatermark, errorCode } = answer.topics[0].partitions[0];
    return [errorCode, lowWatermark];
  };
  const fetchFrom = async (offset: number) => {
    const { errorCode, logStartOffset, highWatermark, records } = await client.fetch('t', 0, offset, {
      maxWaitMs: 0,
      minBytes: 1,
    });
    return { errorCode, logStartOffset, highWatermark, bytes: Buffer.concat(records).length };
  };
  const find = async (timestamp: number) => {
    const topics = [{ name: 't', partitions: [{ partitionIndex: 0, timestamp }] }];
    const answer = await client.send('ListOffsets', 7, { replicaId: -1, isolationLevel: 0, topics });
    return answer.topics[0].partitions[0].offset;
  };

  it('are gone from the start of the partition, in the middle of a batch too, also after a restart', async () => {
    expect(await deleteBefore(5)).to.deep.equal([NONE, 5]);
    for (let round = 0; round < 2; round++) {
      expect((await fetchFrom(4)).errorCode).to.equal(OFFSET_OUT_OF_RANGE);
      expect(await fetchFrom(5)).to.include({ errorCode: NONE, logStartOffset: 5, highWatermark: 12 });
      expect((await fetchFrom(5)).bytes).to.be.above(0);
      expect(await find(-2), 'the earliest').to.equal(5);
      expect(await find(1000), 'a time before it').to.equal(5);
      expect(await find(1006)).to.equal(6);
      expect(await find(-3), 'the latest').to.equal(11);
      await stop();
      await start();
    }
  });

  it('may be all that there are, and offsets go on where they were', async () => {
    expect(await deleteBefore(-1)).to.deep.equal([NONE, 12]);
    expect(await find(-2)).to.equal(12);
    expect(await find(1000)).to.equal(-1);
    expect(await find(-3)).to.equal(-1);
    await stop();
    await start();
    expect(await fetchFrom(12)).to.include({ errorCode: NONE, logStartOffset: 12, highWatermark: 12 });
    const produced = await client.produce('t', 0, -1, makeBatch(['x']));
    expect(produced).to.include({ baseOffset: 12, logStartOffset: 12 });
  });

  it('are not those beyond the high watermark or of nobody, and none comes back', async () => {
    expect(await deleteBefore(13)).to.deep.equal([OFFSET_OUT_OF_RANGE, -1]);
    expect(await deleteBefore(-2)).to.deep.equal([OFFSET_OUT_OF_RANGE, -1]);
    expect(await deleteBefore(1, 7)).to.deep.equal([UNKNOWN_TOPIC_OR_PARTITION, -1]);
    expect(await deleteBefore(6)).to.deep.equal([NONE, 6]);
    expect(await deleteBefore(2), 'before the start').to.deep.equal([NONE, 6]);
  });

  it('end a fetch that waits for more than is left of them', async () => {
    const waiting = client.send(
      'Fetch',
      11,
      fetchRequest('t', 0, 3, { maxWaitMs: 3_600_000, minBytes: 1_000_000 }),
    );
    await until(() => running.broker.status().purgatories.fetch.numDelayed === 1, 'that many wait');
    const other = await WireClient.connect(running.port);
    const topics = [{ name: 't', partitions: [{ partitionIndex: 0, offset: 6 }] }];
    await other.send('DeleteRecords', 0, { topics, timeoutMs: 1000 });
    other.destroy();
    const [{ errorCode, logStartOffset }] = (await waiting).responses[0].partitions;
    expect([errorCode, logStartOffset]).to.deep.equal([OFFSET_OUT_OF_RANGE, 6]);
  });
});
