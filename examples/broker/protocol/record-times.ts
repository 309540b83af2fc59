/**
 * Looks for a record in a batch by its time, the one question for which the broker reads records.
 * A record begins with its length, its attributes (a byte), and its time and its offset as sums
 * above those of the batch. The numbers are varints.
 */
import { decompressed } from './compression.ts';
import { HEADER_BYTES, type RecordBatch } from './record-batch.ts';

/**
 * The first record of the batch, from `fromOffset` on, that is not older than `timestamp` (ms);
 * undefined when there is none. Where the records cannot be read, it is the first from there on,
 * with the time that was asked for: perhaps too early, never too late. O(records), and O(bytes)
 * where they are compressed.
 */
export function findTimestamp(
  batch: RecordBatch,
  timestamp: number,
  fromOffset: number = batch.baseOffset,
): { offset: number; timestamp: number } | undefined {
  const { baseOffset, baseTimestamp, maxTimestamp, isLogAppendTime, codec } = batch;
  const first = Math.max(baseOffset, fromOffset);
  if (isLogAppendTime)
    return maxTimestamp >= timestamp ? { offset: first, timestamp: maxTimestamp } : undefined;
  const unreadable = { offset: first, timestamp: Math.max(baseTimestamp, timestamp) };
  const written = batch.bytes.subarray(HEADER_BYTES);
  const records = codec === 0 ? written : decompressed(written, codec);
  if (records === undefined) return unreadable;
  for (let at = 0; at < records.length; ) {
    const length = varint(records, at);
    const timestampDelta = varint(records, length.next + 1);
    const offsetDelta = varint(records, timestampDelta.next);
    if (!(length.value > 0 && offsetDelta.value >= 0 && offsetDelta.value <= batch.lastOffsetDelta))
      return unreadable;
    const offset = baseOffset + offsetDelta.value;
    const recordTimestamp = baseTimestamp + timestampDelta.value;
    if (offset >= fromOffset && recordTimestamp >= timestamp) return { offset, timestamp: recordTimestamp };
    at = length.next + length.value;
  }
  return undefined;
}

/** A zigzag LEB128 number and where it ends; NaN past the end of the buffer. */
function varint(bytes: Buffer, at: number): { value: number; next: number } {
  let raw = 0;
  let next = at;
  let scale = 1;
  for (;;) {
    const byte = bytes[next++] ?? Number.NaN;
    raw += (byte & 0x7f) * scale;
    if (Number.isNaN(byte)) return { value: Number.NaN, next };
    if (byte < 0x80 || scale > 2 ** 56) break;
    scale *= 0x80;
  }
  return { value: raw % 2 === 0 ? raw / 2 : -(raw + 1) / 2, next };
}
