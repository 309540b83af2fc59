/**
 * A log in memory. Owns its batches and, for each, how many bytes came before it: two arrays that only grow, searched by
 * halving. It forgets nothing while the broker runs, and everything when it stops.
 */
import { findTimestamp, placeBatch, type RecordBatch } from '../protocol/record-batch.ts';
import type { PartitionLog } from './partition-log.ts';

export class MemoryLog implements PartitionLog {
  readonly startOffset = 0;
  readonly #batches: RecordBatch[] = [];
  /** Bytes in all batches before this one. */
  readonly #positions: number[] = [];
  #endOffset = 0;
  #size = 0;

  get endOffset(): number {
    return this.#endOffset;
  }

  append(batch: RecordBatch, leaderEpoch: number): number {
    const baseOffset = this.#endOffset;
    this.#batches.push(placeBatch(batch, baseOffset, leaderEpoch));
    this.#positions.push(this.#size);
    this.#size += batch.bytes.length;
    this.#endOffset += batch.lastOffsetDelta + 1;
    return baseOffset;
  }

  /** Memory has nothing to sync, but it answers in a later turn, as a file would: one flush covers a turn's appends. */
  flush(): Promise<number> {
    return new Promise((resolve) => setImmediate(() => resolve(this.#endOffset)));
  }

  read(fromOffset: number, toOffset: number, maxBytes: number, atLeastOne: boolean): Buffer[] {
    const chunks: Buffer[] = [];
    const end = this.#indexOf(toOffset);
    let room = maxBytes;
    for (let index = this.#indexOf(fromOffset); index < end; index++) {
      const { bytes } = this.#batches[index];
      room -= bytes.length;
      if (room < 0 && !(atLeastOne && chunks.length === 0)) break;
      chunks.push(bytes);
    }
    return chunks;
  }

  bytesBetween(fromOffset: number, toOffset: number): number {
    return Math.max(
      0,
      this.#positionOf(this.#indexOf(toOffset)) - this.#positionOf(this.#indexOf(fromOffset)),
    );
  }

  findTimestamp(timestamp: number, toOffset: number): { offset: number; timestamp: number } | undefined {
    const batch = this.#batches.find(({ maxTimestamp }) => maxTimestamp >= timestamp);
    return batch !== undefined && batch.baseOffset < toOffset ? findTimestamp(batch, timestamp) : undefined;
  }

  close(): void {
    this.#batches.length = 0;
    this.#positions.length = 0;
  }

  /** The index of the batch that holds `offset`; at or past the end, the number of batches. */
  #indexOf(offset: number): number {
    let low = 0;
    let high = this.#batches.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const { baseOffset, lastOffsetDelta } = this.#batches[middle];
      if (baseOffset + lastOffsetDelta < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #positionOf(index: number): number {
    return this.#positions[index] ?? this.#size;
  }
}
