import { expect } from 'chai';
import fc from 'fast-check';
import { ErrorCode } from '../../protocol/error-codes.ts';
import { placeBatch, type RecordBatchError, readBatches } from '../../protocol/record-batch.ts';
import { makeBatch, seal } from '../support/batches.ts';

function errorOf(records: Buffer): number | undefined {
  try {
    readBatches(records);
    return undefined;
  } catch (error) {
    return (error as RecordBatchError).errorCode;
  }
}

describe('a record batch', () => {
  it('is read with its offsets and times, several one after the other', () => {
    const [first, second, ...rest] = readBatches(
      Buffer.concat([makeBatch(['a', 'b'], [5, 9]), makeBatch(['c'])]),
    );
    expect(first).to.include({
      baseOffset: 0,
      lastOffsetDelta: 1,
      baseTimestamp: 5,
      maxTimestamp: 9,
      codec: 0,
    });
    expect(second).to.include({ lastOffsetDelta: 0 });
    expect(rest).to.deep.equal([]);
  });

  it('is refused with error 43 when its magic is not 2', () => {
    const old = makeBatch(['a']);
    old.writeInt8(1, 16);
    expect(errorOf(old)).to.equal(ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT);
  });

  it('is refused when any byte under the checksum has changed, or its end is missing', () => {
    const batch = makeBatch(['some value', 'another']);
    fc.assert(
      fc.property(
        fc.integer({ min: 21, max: batch.length - 1 }),
        fc.integer({ min: 1, max: 255 }),
        (at, change) => {
          const broken = Buffer.from(batch);
          broken[at] ^= change;
          expect(errorOf(broken)).to.equal(ErrorCode.CORRUPT_MESSAGE);
          expect(errorOf(batch.subarray(0, at))).to.equal(ErrorCode.CORRUPT_MESSAGE);
        },
      ),
    );
  });

  it('is refused when its length is absurd or its count does not fit its offsets', () => {
    for (const length of [-1, 0, 2 ** 31 - 1]) {
      const batch = makeBatch(['a']);
      batch.writeInt32BE(length, 8);
      expect(errorOf(batch), `${length}`).to.equal(ErrorCode.CORRUPT_MESSAGE);
    }
    const miscounted = makeBatch(['a', 'b']);
    miscounted.writeInt32BE(9, 57);
    expect(errorOf(seal(miscounted))).to.equal(ErrorCode.INVALID_RECORD);
  });

  it('gets its offset and leader epoch without a change under the checksum', () => {
    const [batch] = readBatches(makeBatch(['a', 'b']));
    const placed = placeBatch(batch, 70);
    const [again] = readBatches(placed.bytes);
    expect(again.baseOffset).to.equal(70);
    expect([batch.leaderEpoch, again.leaderEpoch]).to.deep.equal([-1, 0]);
    expect(placed.bytes.subarray(16).equals(batch.bytes.subarray(16))).to.equal(true);
    expect(batch.baseOffset, 'the original').to.equal(0);
  });
});
