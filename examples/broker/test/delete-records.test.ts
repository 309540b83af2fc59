import { expect } from 'chai';
import { ErrorCode } from '../protocol/error-codes.ts';
import { makeBatch } from './support/batches.ts';
import { brokerOfEachTest } from './support/running-broker.ts';
import { HOUR_MS } from './support/wire-client.ts';

const { NONE, OFFSET_OUT_OF_RANGE, UNKNOWN_TOPIC_OR_PARTITION } = ErrorCode;

describe('records that a client deletes', () => {
  const broker = brokerOfEachTest({ partitions: 1, segmentBytes: 1024 }, 't');

  beforeEach(async () => {
    // Twelve records in batches of three, one a file.
    for (let i = 0; i < 4; i++) {
      const values = [0, 1, 2].map((n) => `${3 * i + n} `.repeat(100));
      const times = [0, 1, 2].map((n) => 1000 + 3 * i + n);
      await broker.client.produce('t', 0, -1, makeBatch(values, times));
    }
  });

  const deleteBefore = async (offset: number, partition = 0) => {
    const { lowWatermark, errorCode } = await broker.client.deleteBefore('t', offset, partition);
    return [errorCode, lowWatermark];
  };
  const fetchFrom = async (offset: number) => {
    const { errorCode, logStartOffset, highWatermark, records } = await broker.client.fetch('t', 0, offset);
    return { errorCode, logStartOffset, highWatermark, bytes: Buffer.concat(records).length };
  };
  const find = async (timestamp: number) => (await broker.client.findOffset('t', timestamp)).offset;

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
      await broker.restart();
    }
  });

  it('may be all that there are, and offsets go on where they were', async () => {
    expect(await deleteBefore(-1)).to.deep.equal([NONE, 12]);
    expect(await find(-2)).to.equal(12);
    expect(await find(1000)).to.equal(-1);
    expect(await find(-3)).to.equal(-1);
    await broker.restart();
    expect(await fetchFrom(12)).to.include({ errorCode: NONE, logStartOffset: 12, highWatermark: 12 });
    const produced = await broker.client.produce('t', 0, -1, makeBatch(['x']));
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
    const waiting = broker.client.fetch('t', 0, 3, { maxWaitMs: HOUR_MS, minBytes: 1_000_000 });
    await broker.untilParked('fetch', 1);
    await (await broker.newClient()).deleteBefore('t', 6);
    const { errorCode, logStartOffset } = await waiting;
    expect([errorCode, logStartOffset]).to.deep.equal([OFFSET_OUT_OF_RANGE, 6]);
  });
});
