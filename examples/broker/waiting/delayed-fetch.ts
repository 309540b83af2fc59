/**
 * A fetch that waits for `minBytes` below the high watermark of the partitions that it watches, or
 * for its deadline.
 *
 * It answers early as well when one of them has an error to tell (deleted, offset out of range).
 * Trying is O(partitions x log batches), reading happens once, in the answer. (Kafka:
 * DelayedFetch.)
 */
import type { Partition } from '../log/partition.ts';
import { ErrorCode } from '../protocol/error-codes.ts';
import { WaitingOperation } from './waiting-room.ts';

/** What is wanted of one partition, or why nothing can be had of it. */
export interface PartitionFetch {
  readonly index: number;
  readonly partition: Partition | undefined;
  /** Of the request alone: unknown topic, wrong epoch. */
  readonly errorCode: number;
  readonly fetchOffset: number;
  readonly maxBytes: number;
}

/**
 * Up to where a partition is shown: consumers to the high watermark, followers to all that is kept.
 */
export type Reader = 'consumer' | 'follower';

export interface FetchedPartition {
  readonly errorCode: number;
  readonly highWatermark: number;
  readonly logStartOffset: number;
  readonly records: Buffer[];
}

export class DelayedFetch extends WaitingOperation {
  readonly #fetches: readonly PartitionFetch[];
  readonly #minBytes: number;
  readonly #room: () => number;
  readonly #reader: Reader;
  readonly #respond: (fetched: FetchedPartition[]) => void;

  /**
   * `room` tells, when it is asked for, how many bytes the answer may have; below 0 it gets none.
   */
  constructor(
    maxWaitMs: number,
    minBytes: number,
    room: () => number,
    reader: Reader,
    fetches: readonly PartitionFetch[],
    respond: (fetched: FetchedPartition[]) => void,
  ) {
    super(maxWaitMs);
    this.#fetches = fetches;
    this.#minBytes = minBytes;
    this.#room = room;
    this.#reader = reader;
    this.#respond = respond;
  }

  override tryComplete(): boolean {
    let bytes = 0;
    for (const fetch of this.#fetches) {
      if (errorOf(fetch) !== ErrorCode.NONE) return this.forceComplete();
      const partition = fetch.partition as Partition;
      const available = partition.log.bytesBetween(fetch.fetchOffset, this.#limitOf(partition));
      bytes += Math.min(available, fetch.maxBytes);
    }
    return bytes >= this.#minBytes && this.forceComplete();
  }

  #limitOf({ keptOffset, highWatermark }: Partition): number {
    return this.#reader === 'follower' ? keptOffset : highWatermark;
  }

  /**
   * Partitions are served in the order of the request; the first batch of all is served however
   * large, so that a consumer gets on.
   */
  protected override answer(): void {
    let room = this.#room();
    let empty = room >= 0;
    this.#respond(
      this.#fetches.map((fetch) => {
        const errorCode = errorOf(fetch);
        const { partition } = fetch;
        if (partition === undefined || errorCode !== ErrorCode.NONE) {
          return {
            errorCode,
            highWatermark: partition?.highWatermark ?? -1,
            logStartOffset: partition?.log.startOffset ?? -1,
            records: [],
          };
        }
        const { log, highWatermark } = partition;
        const records = log.read(
          fetch.fetchOffset,
          this.#limitOf(partition),
          Math.max(0, Math.min(room, fetch.maxBytes)),
          empty,
        );
        for (const batch of records) room -= batch.length;
        empty &&= records.length === 0;
        return { errorCode, highWatermark, logStartOffset: log.startOffset, records };
      }),
    );
  }
}

function errorOf({ errorCode, partition, fetchOffset }: PartitionFetch): number {
  if (errorCode !== ErrorCode.NONE) return errorCode;
  if (partition === undefined || partition.isDeleted) return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION;
  if (!partition.isLed) return ErrorCode.NOT_LEADER_OR_FOLLOWER;
  const inRange = fetchOffset >= partition.log.startOffset && fetchOffset <= partition.log.endOffset;
  return inRange ? ErrorCode.NONE : ErrorCode.OFFSET_OUT_OF_RANGE;
}
