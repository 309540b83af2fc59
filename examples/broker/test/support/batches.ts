import { crc32c } from '@node-rs/crc32';

/** Whom an idempotent batch is from, and the sequence of its first record. */
export interface Producer {
  readonly id: number;
  readonly epoch: number;
  readonly sequence: number;
}

/**
 * A record batch as a producer makes it, one record per value, `timestamps[i]` or 0 being its time
 * (ms).
 */
export function makeBatch(
  values: readonly string[],
  timestamps: readonly number[] = [],
  { id, epoch, sequence }: Producer = { id: -1, epoch: -1, sequence: -1 },
): Buffer {
  const base = timestamps[0] ?? 0;
  const records = values.map((value, index) => {
    const body = Buffer.concat([
      Buffer.from([0]),
      varint((timestamps[index] ?? base) - base),
      varint(index),
      varint(-1),
      varint(Buffer.byteLength(value)),
      Buffer.from(value),
      varint(0),
    ]);
    return Buffer.concat([varint(body.length), body]);
  });
  const header = Buffer.alloc(61);
  const batch = Buffer.concat([header, ...records]);
  batch.writeInt32BE(batch.length - 12, 8);
  batch.writeInt32BE(-1, 12);
  batch.writeInt8(2, 16);
  batch.writeInt32BE(values.length - 1, 23);
  batch.writeBigInt64BE(BigInt(base), 27);
  batch.writeBigInt64BE(BigInt(Math.max(base, ...timestamps)), 35);
  batch.writeBigInt64BE(BigInt(id), 43);
  batch.writeInt16BE(epoch, 51);
  batch.writeInt32BE(sequence, 53);
  batch.writeInt32BE(values.length, 57);
  return seal(batch);
}

/** The batch with its records compressed; `codec` is the protocol's number for `compress`. */
export function compressBatch(batch: Buffer, codec: number, compress: (records: Buffer) => Buffer): Buffer {
  const made = Buffer.concat([batch.subarray(0, 61), compress(batch.subarray(61))]);
  made.writeInt32BE(made.length - 12, 8);
  made.writeInt16BE(codec, 21);
  return seal(made);
}

/** Makes the checksum right again, after a test has changed the batch. */
export function seal(batch: Buffer): Buffer {
  batch.writeUInt32BE(crc32c(batch.subarray(21)), 17);
  return batch;
}

/** Zigzag, then seven bits a byte. */
function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value >= 0 ? value * 2 : value * -2 - 1;
  for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  return Buffer.from([...bytes, rest]);
}
