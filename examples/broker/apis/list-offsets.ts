import type { Partition } from '../log/partition.ts';
import { isLegalTopicName } from '../log/topics.ts';
import { ErrorCode } from '../protocol/error-codes.ts';
import { LEADER_EPOCH } from '../protocol/record-batch.ts';
import type { Handler } from './context.ts';
import { epochError } from './fetch.ts';
import { firstTime } from './first-time.ts';

/** What a timestamp below 0 asks for. */
const LATEST = -1;
const EARLIEST = -2;
/** The record with the largest timestamp (KIP-734). */
const MAX_TIMESTAMP = -3;
/** The first offset on this node's own disk (KIP-405), and all that there is is there. */
const EARLIEST_LOCAL = -4;
/** The last offset on remote disks (KIP-1005), where nothing is. */
const LATEST_TIERED = -5;

/**
 * The first offset, the high watermark, the latest record by time, or the first record that is not
 * older than a timestamp (-1 when there is none). Version 0 has a list of offsets instead, of which
 * this broker fills in one.
 */
export const listOffsets: Handler<'ListOffsets'> = (exchange, { topics }) => {
  const isFirst = firstTime();
  exchange.respond({
    topics: exchange.request.topics.map(({ name, partitions }) => ({
      name,
      partitions: partitions
        .filter(({ partitionIndex }) => isFirst(`${name}-${partitionIndex}`))
        .map(({ partitionIndex, currentLeaderEpoch, timestamp, maxNumOffsets }) => {
          const partition = topics.get(name)?.partitions[partitionIndex];
          if (partition === undefined) {
            const errorCode = isLegalTopicName(name)
              ? ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
              : ErrorCode.INVALID_TOPIC_EXCEPTION;
            return { partitionIndex, errorCode };
          }
          const errorCode = partition.isLed
            ? epochError(currentLeaderEpoch)
            : ErrorCode.NOT_LEADER_OR_FOLLOWER;
          if (errorCode !== ErrorCode.NONE) return { partitionIndex, errorCode };
          const found = lookUp(partition, timestamp, exchange.request.replicaId >= 0);
          // What lies before a time ends, where no record is so late, with the log.
          const before = found.offset === -1 ? partition.highWatermark : found.offset;
          const oldStyleOffsets = maxNumOffsets > 0 ? [before] : [];
          return { partitionIndex, errorCode, ...found, oldStyleOffsets, leaderEpoch: LEADER_EPOCH };
        }),
    })),
  });
};

function lookUp(
  { log, highWatermark }: Partition,
  timestamp: number,
  isFollower: boolean,
): { offset: number; timestamp: number } {
  if (timestamp === LATEST) return { offset: isFollower ? log.endOffset : highWatermark, timestamp: -1 };
  if (timestamp === EARLIEST || timestamp === EARLIEST_LOCAL)
    return { offset: log.startOffset, timestamp: -1 };
  if (timestamp === LATEST_TIERED) return { offset: -1, timestamp: -1 };
  const found =
    timestamp === MAX_TIMESTAMP
      ? log.findMaxTimestamp(highWatermark)
      : log.findTimestamp(timestamp, highWatermark);
  return found ?? { offset: -1, timestamp: -1 };
}
