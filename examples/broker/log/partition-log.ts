import type { RecordBatch } from '../protocol/record-batch.ts';
import type { FoundBatch } from '../protocol/record-times.ts';

/**
 * The log of one partition: record batches in offset order, appended at the end and never changed.
 *
 * Offsets are given by the log, without gaps. Reading and measuring work on whole batches, and see
 * what was appended at once; what is *durable* is another matter, and only `flush` tells.
 */
export interface PartitionLog {
  /** The first offset that is there: 0 until something is deleted. */
  readonly startOffset: number;
  /** The offset that the next record will get. */
  readonly endOffset: number;

  /**
   * Gives the batch its offset and appends a copy of it; returns that offset. Throws a FullDisk,
   * and is unchanged, where there is no room. O(bytes).
   */
  append(batch: RecordBatch): number;

  /**
   * Resolves to the end offset that was durable when it returned: everything appended before the
   * call is.
   */
  flush(): Promise<number>;

  /**
   * The stored batches from the one that holds `fromOffset` up to `toOffset` (exclusive), at most
   * `maxBytes` of them, but with `atLeastOne` always the first. Whole batches, not copied. O(log n
   * + batches).
   */
  read(fromOffset: number, toOffset: number, maxBytes: number, atLeastOne: boolean): Buffer[];

  /** How many bytes such a read has, without a limit. O(log n). */
  bytesBetween(fromOffset: number, toOffset: number): number;

  /**
   * The first batch with a record at or behind `fromOffset` that begins before `toOffset` and says
   * that it has a record as late as `timestamp` (ms). Its bytes are there when they are at most
   * `maxBytes`. O(bytes of the log / 4 KiB).
   */
  findBatch(
    timestamp: number,
    fromOffset: number,
    toOffset: number,
    maxBytes: number,
  ): FoundBatch | undefined;

  /**
   * The largest timestamp of the batches that lie before `toOffset` as a whole, -1 when there is
   * none. O(bytes / 4 KiB).
   */
  maxTimestampBefore(toOffset: number): number;

  /**
   * Where the log would start without the oldest files of which all is older than `beforeMs` (wall
   * clock), and without as many of them as leave `maxBytes` or more; what lies at or behind
   * `toOffset` stays. O(files).
   */
  retainedFrom(beforeMs: number, maxBytes: number, toOffset: number): number;

  /**
   * Forgets what lies before `offset`, for good when it returns; where that is behind the end, the
   * log is empty and goes on there. O(files).
   */
  deleteBefore(offset: number): void;

  /**
   * Forgets the batch that holds `offset` and all after it: for a follower whose leader does not
   * have them. Where `offset` lies before the start, the log is empty and goes on there.
   */
  truncateTo(offset: number): void;

  close(): void;

  /** Closes it and takes what is kept of it off the disk. */
  delete(): void;
}
