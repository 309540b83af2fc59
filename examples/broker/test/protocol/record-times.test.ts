import * as zlib from 'node:zlib';
import { expect } from 'chai';
import { placeBatch, type RecordBatch, readBatches, stampBatch } from '../../protocol/record-batch.ts';
import { findTimestamp } from '../../protocol/record-times.ts';
import { ByteBudget } from '../../storage/byte-budget.ts';
import { compressBatch, makeBatch, seal } from '../support/batches.ts';

const [GZIP, SNAPPY, LZ4, ZSTD] = [1, 2, 3, 4];
const { zstdCompressSync } = zlib as { zstdCompressSync?: (records: Buffer) => Buffer };

describe('the records of a batch, by their time', () => {
  const bytes = makeBatch(['a', 'b', 'c', 'd'], [1000, 1500, 1200, 90_000]);
  const find = (batch: RecordBatch, timestamp: number, fromOffset = batch.baseOffset) =>
    findTimestamp(batch, timestamp, fromOffset, new ByteBudget(Infinity));
  const read = (batch: Buffer) => placeBatch(readBatches(batch)[0], 10);

  const readable: [string, Buffer][] = [
    ['as they are', bytes],
    ['compressed by gzip', compressBatch(bytes, GZIP, zlib.gzipSync)],
  ];
  if (zstdCompressSync) readable.push(['compressed by zstd', compressBatch(bytes, ZSTD, zstdCompressSync)]);
  for (const [how, batch] of readable) {
    it(`are found, the first that is not older, ${how}`, async () => {
      const placed = read(batch);
      expect(await find(placed, 0)).to.deep.equal({ offset: 10, timestamp: 1000 });
      expect(await find(placed, 1001)).to.deep.equal({ offset: 11, timestamp: 1500 });
      expect(await find(placed, 1501)).to.deep.equal({ offset: 13, timestamp: 90_000 });
      expect(await find(placed, 1001, 12), 'from an offset on').to.deep.equal({
        offset: 12,
        timestamp: 1200,
      });
      expect(await find(placed, 90_001)).to.equal(undefined);
    });
  }

  const huge = makeBatch(['x'.repeat(17 * 1024 * 1024)], [1000]);
  const unreadable: Record<string, Buffer> = {
    'of snappy': compressBatch(bytes, SNAPPY, (records) => records),
    'of lz4': compressBatch(bytes, LZ4, (records) => records),
    'of a codec that nobody knows': compressBatch(bytes, 7, (records) => records),
    'that are no gzip': compressBatch(bytes, GZIP, (records) => records),
    'of more than 16 MiB': compressBatch(huge, GZIP, zlib.gzipSync),
    'that do not parse': seal(Buffer.from(bytes).fill(0xff, 61)),
  };
  for (const [which, batch] of Object.entries(unreadable)) {
    it(`are the first of the batch, with the time that was asked for, ${which}`, async () => {
      expect(await find(read(batch), 1500)).to.deep.equal({ offset: 10, timestamp: 1500, isGuess: true });
      expect(await find(read(batch), 700)).to.deep.equal({ offset: 10, timestamp: 1000, isGuess: true });
    });
  }

  it('take room, what they are decompressed to or what was tried, and are not read where there is none', async () => {
    const gzipped = read(readable[1][1]);
    const room = new ByteBudget(1000);
    await findTimestamp(gzipped, 1500, 10, room);
    expect(room.bytesLeft).to.equal(1000 - (bytes.length - 61));
    await findTimestamp(read(unreadable['of more than 16 MiB']), 1500, 10, room);
    expect(room.bytesLeft).to.equal(0);
    expect(await findTimestamp(gzipped, 1500, 10, room)).to.include({ offset: 10, isGuess: true });
  });

  it('all have the time at which the broker got them, where that counts', async () => {
    const stamped = placeBatch(stampBatch(readBatches(readable[1][1])[0], 5000), 10);
    expect(await find(stamped, 1500)).to.deep.equal({ offset: 10, timestamp: 5000 });
    expect(await find(stamped, 5001)).to.equal(undefined);
  });
});
