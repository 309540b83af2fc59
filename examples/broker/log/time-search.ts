/**
 * Looks for records by their times (ms). A batch says how late its latest record is, but only its
 * records tell which that is, and whether it is true.
 *
 * What is read and decompressed for a request is bounded. What is done at once is, too: one search
 * is under way at a time, it decompresses in another thread, and it looks at a batch, or at some
 * thousand records of one, a turn. So everybody else goes on, whatever a batch says.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type FoundTime, findTimestamp } from '../protocol/record-times.ts';
import { ByteBudget } from '../storage/byte-budget.ts';
import type { PartitionLog } from './partition-log.ts';

const MAX_BYTES = 64 * 1024 * 1024;
/** What is read to find a batch. */
const BLOCK_BYTES = 4096;

/** The search of one request. */
export class TimeSearch {
  readonly #room = new ByteBudget(MAX_BYTES);

  /**
   * The first record before `toOffset` that is not older than `timestamp`. When MAX_BYTES were
   * read, it is the first record of a batch that says that it has one, with the time that was asked
   * for: perhaps too early, never too late. O(bytes).
   */
  async find(log: PartitionLog, timestamp: number, toOffset: number): Promise<FoundTime | undefined> {
    for (let from = 0; ; ) {
      // Anew after each batch: records may have been deleted, and the log closed.
      from = Math.max(from, log.startOffset);
      const batch = log.findBatch(timestamp, from, toOffset, this.#room.bytesLeft);
      if (batch === undefined) return undefined;
      const found = await findTimestamp(batch, timestamp, from, this.#room);
      if (found !== undefined) return found;
      this.#room.add(BLOCK_BYTES);
      await nextTurn();
      from = batch.baseOffset + batch.lastOffsetDelta + 1;
    }
  }

  /**
   * The first record with the largest timestamp, of the batches that lie before `toOffset` as a
   * whole; where none does, the first record there is.
   */
  findLatest(log: PartitionLog, toOffset: number): Promise<FoundTime | undefined> {
    return this.find(log, log.maxTimestampBefore(toOffset), toOffset);
  }
}

/** Has searches wait for each other. */
export class TimeSearches {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(search: (search: TimeSearch) => Promise<T>): Promise<T> {
    const result = this.#last.then(() => search(new TimeSearch()));
    this.#last = result.catch(() => {});
    return result;
  }
}
