/**
 * Walks the batches of a segment file from its start, through a window, so that a file of any size
 * takes little memory.
 */
import { fstatSync, readSync } from 'node:fs';
import {
  type BatchHeader,
  HEADER_BYTES,
  RecordBatchError,
  readBatches,
  readHeader,
} from '../protocol/record-batch.ts';

const WINDOW_BYTES = 64 * 1024;

/**
 * Calls `onBatch` for each batch up to the first that is not whole, not at the offset that is due
 * or, with `isChecked`, not what its checksum says; returns how many bytes there are from that one
 * on. O(batches), and O(bytes) with `isChecked`.
 */
export function scanBatches(
  fd: number,
  baseOffset: number,
  isChecked: boolean,
  onBatch: (header: BatchHeader) => void,
): number {
  const fileSize = fstatSync(fd).size;
  let window: Buffer = Buffer.alloc(0);
  let windowAt = 0;
  let position = 0;
  let offset = baseOffset;
  while (position + HEADER_BYTES <= fileSize) {
    const header = readHeader(bytesAt(HEADER_BYTES), 0);
    const { size, lastOffsetDelta } = header;
    if (size < HEADER_BYTES || position + size > fileSize) break;
    if (header.baseOffset !== offset || lastOffsetDelta < 0) break;
    if (isChecked && !isWhole(bytesAt(size))) break;
    onBatch(header);
    offset += lastOffsetDelta + 1;
    position += size;
  }
  return fileSize - position;

  function bytesAt(length: number): Buffer {
    if (position < windowAt || position + length > windowAt + window.length) {
      window = Buffer.allocUnsafe(Math.min(Math.max(length, WINDOW_BYTES), fileSize - position));
      windowAt = position;
      for (let have = 0; have < window.length; ) {
        const bytes = readSync(fd, window, have, window.length - have, position + have);
        if (bytes === 0) throw new Error('a segment became shorter while it was read');
        have += bytes;
      }
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
