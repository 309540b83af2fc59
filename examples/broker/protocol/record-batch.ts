/**
 * What a broker must know of a record batch (format v2), and nothing more: its records stay opaque,
 * compressed or not.
 *
 * Layout, big-endian: baseOffset 0-7, batchLength 8-11 (of what follows), partitionLeaderEpoch
 * 12-15, magic 16, crc 17-20, attributes 21-22, lastOffsetDelta 23-26, baseTimestamp 27-34,
 * maxTimestamp 35-42, producerId 43-50, producerEpoch 51-52, baseSequence 53-56, recordCount 57-60,
 * records from 61. The CRC32C covers byte 21 to the end, so the broker may give a batch its offset
 * and epoch without computing it again.
 */
import { crc32c } from '@node-rs/crc32';
import { ErrorCode } from './error-codes.ts';
import { safeInt64 } from './reader.ts';

const LENGTH_AT = 8;
const EPOCH_AT = 12;
const MAGIC_AT = 16;
const CRC_AT = 17;
const CRC_FROM = 21;
const MAX_TIMESTAMP_AT = 35;
const COUNT_AT = 57;
const RECORDS_AT = 61;
const COMPRESSION_MASK = 0x07;
/** In the attributes: all records have the maxTimestamp for their time. */
const LOG_APPEND_TIME = 0x08;

/** Of every batch in a log. Leadership is static: the first epoch is the only one. */
export const LEADER_EPOCH = 0;
/** As many bytes of a batch tell what a broker must know of it. */
export const HEADER_BYTES: number = RECORDS_AT;

export interface BatchHeader {
  /** Of the whole batch, in bytes. */
  readonly size: number;
  readonly baseOffset: number;
  readonly leaderEpoch: number;
  readonly lastOffsetDelta: number;
  readonly baseTimestamp: number;
  readonly maxTimestamp: number;
  /** How its records are compressed, as the protocol numbers it; 0 where they are not. */
  readonly codec: number;
  /** All its records have `maxTimestamp` for their time, whatever is written in them. */
  readonly isLogAppendTime: boolean;
  /** -1 for a producer that is not idempotent; its epoch and sequence mean nothing then. */
  readonly producerId: number;
  readonly producerEpoch: number;
  readonly baseSequence: number;
}

export interface RecordBatch extends BatchHeader {
  /** The whole batch, header included; a view of what it was read from. */
  readonly bytes: Buffer;
}

/** Why a batch is refused, as an error code of the protocol. */
export class RecordBatchError extends Error {
  override readonly name = 'RecordBatchError';
  readonly errorCode: number;

  constructor(errorCode: number, message: string) {
    super(message);
    this.errorCode = errorCode;
  }
}

/**
 * The batches that `records` holds, checked: whole, of magic 2, with the right checksum and a count
 * that fits the offsets. Throws RecordBatchError for the first that is not. O(bytes).
 */
export function readBatches(records: Buffer): RecordBatch[] {
  const batches: RecordBatch[] = [];
  for (let at = 0; at < records.length; ) {
    const batch = readBatch(records.subarray(at));
    batches.push(batch);
    at += batch.bytes.length;
  }
  return batches;
}

function readBatch(rest: Buffer): RecordBatch {
  if (rest.length > MAGIC_AT && rest[MAGIC_AT] !== 2) {
    throw new RecordBatchError(
      ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT,
      `magic ${rest[MAGIC_AT]}, where 2 is the only one taken`,
    );
  }
  const size = rest.length < RECORDS_AT ? -1 : readHeader(rest, 0).size;
  if (size < RECORDS_AT || size > rest.length) {
    throw new RecordBatchError(ErrorCode.CORRUPT_MESSAGE, `a batch of ${size} bytes in ${rest.length}`);
  }
  const bytes = rest.subarray(0, size);
  if (crc32c(bytes.subarray(CRC_FROM)) !== bytes.readUInt32BE(CRC_AT)) {
    throw new RecordBatchError(ErrorCode.CORRUPT_MESSAGE, 'the checksum does not fit');
  }
  const lastOffsetDelta = bytes.readInt32BE(23);
  if (lastOffsetDelta < 0 || bytes.readInt32BE(COUNT_AT) !== lastOffsetDelta + 1) {
    throw new RecordBatchError(
      ErrorCode.INVALID_RECORD,
      `${bytes.readInt32BE(COUNT_AT)} records for ${lastOffsetDelta + 1} offsets`,
    );
  }
  return { ...readHeader(bytes, 0), bytes };
}

/**
 * Whether `bytes` begins with a whole batch, whatever length that says it has: its checksum fits
 * where it ends. A few of a billion others fit by chance. O(bytes).
 */
export function beginsWithBatch(bytes: Buffer): boolean {
  const expected = bytes.readUInt32BE(CRC_AT);
  let checksum = 0; // of nothing
  for (let at = CRC_FROM; at < bytes.length; at++) {
    checksum = crc32c(bytes.subarray(at, at + 1), checksum);
    if (checksum === expected) return true;
  }
  return false;
}

/**
 * The header of the batch at `at`, of which HEADER_BYTES must be there; nothing in it is checked.
 */
export function readHeader(bytes: Buffer, at: number): BatchHeader {
  return {
    size: LENGTH_AT + 4 + bytes.readInt32BE(at + LENGTH_AT),
    baseOffset: safeInt64(bytes, at),
    leaderEpoch: bytes.readInt32BE(at + EPOCH_AT),
    lastOffsetDelta: bytes.readInt32BE(at + 23),
    baseTimestamp: safeInt64(bytes, at + 27),
    maxTimestamp: safeInt64(bytes, at + 35),
    codec: bytes.readInt16BE(at + CRC_FROM) & COMPRESSION_MASK,
    isLogAppendTime: (bytes.readInt16BE(at + CRC_FROM) & LOG_APPEND_TIME) !== 0,
    producerId: safeInt64(bytes, at + 43),
    producerEpoch: bytes.readInt16BE(at + 51),
    baseSequence: bytes.readInt32BE(at + 53),
  };
}

/**
 * How many records are in batches that lie one behind the other and were checked when they came in.
 * O(batches).
 */
export function countRecords(batches: Buffer): number {
  let records = 0;
  for (
    let at = 0;
    at + RECORDS_AT <= batches.length;
    at += LENGTH_AT + 4 + batches.readInt32BE(at + LENGTH_AT)
  )
    records += batches.readInt32BE(at + COUNT_AT);
  return records;
}

/** A copy of the batch as the log keeps it, with the offset that the broker gives it. */
export function placeBatch(batch: RecordBatch, baseOffset: number): RecordBatch {
  const bytes = Buffer.from(batch.bytes);
  bytes.writeBigInt64BE(BigInt(baseOffset), 0);
  bytes.writeInt32BE(LEADER_EPOCH, EPOCH_AT);
  return { ...batch, bytes, baseOffset, leaderEpoch: LEADER_EPOCH };
}

/** A copy of the batch whose records all have `nowMs` (wall clock) for their time. O(bytes). */
export function stampBatch(batch: RecordBatch, nowMs: number): RecordBatch {
  const bytes = Buffer.from(batch.bytes);
  bytes.writeInt16BE(bytes.readInt16BE(CRC_FROM) | LOG_APPEND_TIME, CRC_FROM);
  bytes.writeBigInt64BE(BigInt(nowMs), MAX_TIMESTAMP_AT);
  bytes.writeUInt32BE(crc32c(bytes.subarray(CRC_FROM)), CRC_AT);
  return { ...readHeader(bytes, 0), bytes };
}
