/**
 * Looks for a record in a batch by its time, the one question for which the broker reads records.
 * A record begins with its length, its attributes (a byte), and its time and its offset as sums
 * above those of the batch. The numbers are varints.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ByteBudget } from '../storage/byte-budget.ts';
import { decompressed } from './compression.ts';
import { type BatchHeader, HEADER_BYTES } from './record-batch.ts';

/** A record and its time (ms). */
export interface FoundTime {
  readonly offset: number;
  readonly timestamp: number;
  /** It is the first of a batch whose records could not be read. */
  readonly isGuess?: boolean;
}

export interface FoundBatch extends BatchHeader {
  /** The whole batch, header included. Undefined where it was too large to read. */
  readonly bytes: Buffer | undefined;
}

/** About a millisecond. */
const RECORDS_A_TURN = 5000;

/**
 * The first record of the batch, from `fromOffset` on, that is not older than `timestamp` (ms);
 * undefined when there is none. Where the records cannot be read, for want of `room` or of their
 * codec, it is the first from there on, with the time that was asked for: perhaps too early, never
 * too late. O(records), and O(bytes) where they are compressed, over many turns. `room` is taken.
 */
export async function findTimestamp(
  batch: FoundBatch,
  timestamp: number,
  fromOffset: number,
  room: ByteBudget,
): Promise<FoundTime | undefined> {
  const { baseOffset, baseTimestamp, maxTimestamp, isLogAppendTime } = batch;
  const first = Math.max(baseOffset, fromOffset);
  if (isLogAppendTime)
    return maxTimestamp >= timestamp ? { offset: first, timestamp: maxTimestamp } : undefined;
  const unreadable = { offset: first, timestamp: Math.max(baseTimestamp, timestamp), isGuess: true };
  const records = await recordsOf(batch, room);
  if (records === undefined) return unreadable;
  for (let at = 0, seen = 1; at < records.length; seen++) {
    if (seen % RECORDS_A_TURN === 0) await nextTurn();
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

async function recordsOf({ codec, bytes }: FoundBatch, room: ByteBudget): Promise<Buffer | undefined> {
  const written = bytes?.subarray(HEADER_BYTES);
  if (written === undefined || codec !== 0) return written && decompressed(written, codec, room);
  room.add(written.length);
  return written;
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
