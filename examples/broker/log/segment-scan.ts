/**
 * Walks the batches of a segment file from its start, through a window, so that a file of any size
 * takes little memory.
 */
import { fstatSync } from 'node:fs';
import {
  type BatchHeader,
  beginsWithBatch,
  HEADER_BYTES,
  LEADER_EPOCH,
  RecordBatchError,
  readBatches,
  readHeader,
} from '../protocol/record-batch.ts';
import { readWhole } from '../storage/read-whole.ts';

const WINDOW_BYTES = 64 * 1024;

/**
 * Calls `onBatch` for each batch up to the first that is not whole, not at the offset that is due
 * or not what its checksum says. Returns where that one begins, which is the end of the file where
 * there is none. O(bytes).
 */
export function scanBatches(fd: number, baseOffset: number, onBatch: (header: BatchHeader) => void): number {
  const fileSize = fstatSync(fd).size;
  let window: Buffer = Buffer.alloc(0);
  let windowAt = 0;
  let position = 0;
  let offset = baseOffset;
  while (position + HEADER_BYTES <= fileSize) {
    const header = readHeader(bytesAt(HEADER_BYTES), 0);
    const { size, lastOffsetDelta, leaderEpoch } = header;
    if (size < HEADER_BYTES || position + size > fileSize) break;
    if (header.baseOffset !== offset || leaderEpoch !== LEADER_EPOCH || !isWhole(bytesAt(size))) break;
    onBatch(header);
    offset += lastOffsetDelta + 1;
    position += size;
  }
  return position;

  function bytesAt(length: number): Buffer {
    if (position < windowAt || position + length > windowAt + window.length) {
      window = readWhole(fd, position, Math.min(Math.max(length, WINDOW_BYTES), fileSize - position));
      windowAt = position;
    }
    return window.subarray(position - windowAt, position - windowAt + length);
  }
}

function isWhole(bytes: Buffer): boolean {
  try {
    return readBatches(bytes).length === 1;
  } catch (error) {
    if (error instanceof RecordBatchError) return false;
    throw error;
  }
}

/**
 * Whether `rest`, which is where a log ends and no batch of it, is what a crash leaves of an append
 * at `offset`: the beginning of one batch, or zeros. O(bytes).
 */
export function isTorn(rest: Buffer, offset: number): boolean {
  if (rest.length < HEADER_BYTES || rest.every((byte) => byte === 0)) return true;
  const { size, baseOffset } = readHeader(rest, 0);
  return baseOffset === offset && size > rest.length && !beginsWithBatch(rest);
}
