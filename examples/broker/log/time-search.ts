/**
 * Looks for records by their timestamps (ms) in the segments of a log, from `fromOffset` on.
 * O(bytes / 4 KiB).
 */
import { readBatches } from '../protocol/record-batch.ts';
import { findTimestamp } from '../protocol/record-times.ts';
import type { Segment } from './segment.ts';

export interface FoundTime {
  readonly offset: number;
  readonly timestamp: number;
}

/**
 * The first record that is not older than `timestamp`, in a batch that begins before `toOffset`.
 */
export function findTime(
  segments: readonly Segment[],
  timestamp: number,
  fromOffset: number,
  toOffset: number,
): FoundTime | undefined {
  for (const segment of segments) {
    let from = Math.max(segment.baseOffset, fromOffset);
    for (;;) {
      const located = segment.locateTimestamp(timestamp, from);
      if (located === undefined) break;
      const { position, header } = located;
      if (header.baseOffset >= toOffset) return undefined;
      const [batch] = readBatches(segment.read(position, header.size));
      const found = findTimestamp(batch, timestamp, from);
      if (found !== undefined) return found;
      from = header.baseOffset + header.lastOffsetDelta + 1;
    }
  }
  return undefined;
}

/**
 * The first record with the largest timestamp, of the batches that lie between the two offsets as a
 * whole; where none does, the first record there is.
 */
export function findLatest(
  segments: readonly Segment[],
  fromOffset: number,
  toOffset: number,
): FoundTime | undefined {
  let latest = -1;
  for (const segment of segments)
    latest = Math.max(latest, segment.maxTimestampBetween(fromOffset, toOffset));
  return findTime(segments, latest, fromOffset, toOffset);
}
