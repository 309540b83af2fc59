import * as zlib from 'node:zlib';
import { expect } from 'chai';
import { placeBatch, readBatches, stampBatch } from '../../../../examples/broker/protocol/record-batch.ts';
import { findTimestamp } from '../../../../examples/broker/protocol/record-times.ts';
import { compressBatch, makeBatch, seal } from '../support/batches.ts';

const [GZIP, SNAPPY, LZ4, ZSTD] = [1, 2, 3, 4];
const { zstdCompressSync } = zlib as { zstdCompressSync?: (records: Buffer) => Buffer };

describe('the records of a batch, by their time', () => {
  const bytes = makeBatch(['a', 'b', 'c', 'd'], [1000, 1500, 1200, 90_000]);
  const read = (batch: Buffer) => placeBatch(readBatches(batch)[0], 10);

  const readable: [string, Buffer][] = [
    ['as they are', bytes],
    ['compressed by gzip', compressBatch(bytes, GZIP, zlib.gzipSync)],
  ];
  if (zstdCompressSync) readable.push(['compressed by zstd', compressBatch(bytes, ZSTD, zstdCompressSync)]);
  for (const [how, batch] of readable) {
    it(`are found, the first that is not older, ${how}`, () => {
      const placed = read(batch);
      expect(findTimestamp(placed, 0)).to.deep.equal({ offset: 10, timestamp: 1000 });
      expect(findTimestamp(placed, 1001)).to.deep.equal({ offset: 11, timestamp: 1500 });
      expect(findTimestamp(placed, 1501)).to.deep.equal({ offset: 13, timestamp: 90_000 });
      expect(findTimestamp(placed, 1001, 12), 'from an offset on').to.deep.equal({
        offset: 12,
        timestamp: 1200,
      });
      expect(findTimestamp(placed, 90_001)).to.equal(undefined);
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
    it(`are the first of the batch, with the time that was asked for, ${which}`, () => {
      expect(findTimestamp(read(batch), 1500)).to.deep.equal({ offset: 10, timestamp: 1500 });
      expect(findTimestamp(read(batch), 700)).to.deep.equal({ offset: 10, timestamp: 1000 });
    });
  }

  it('all have the time at which the broker got them, where that counts', () => {
    const stamped = placeBatch(stampBatch(readBatches(readable[1][1])[0], 5000), 10);
    expect(findTimestamp(stamped, 1500)).to.deep.equal({ offset: 10, timestamp: 5000 });
    expect(findTimestamp(stamped, 5001)).to.equal(undefined);
  });
});
