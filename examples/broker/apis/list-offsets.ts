import { LEADER_EPOCH, type Partition } from '../log/partition.ts';
import { isLegalTopicName } from '../log/topics.ts';
import { ErrorCode } from '../protocol/error-codes.ts';
import type { Handler } from './context.ts';
import { epochError } from './fetch.ts';
import { firstTime } from './first-time.ts';

const LATEST = -1;
const EARLIEST = -2;

/** The first offset, the high watermark, or the first record that is not older than a timestamp (-1 when there is none). */
export const listOffsets: Handler<'ListOffsets'> = (exchange, { topics }) => {
  const isFirst = firstTime();
  exchange.respond({
    topics: exchange.request.topics.map(({ name, partitions }) => ({
      name,
      partitions: partitions
        .filter(({ partitionIndex }) => isFirst(`${name}-${partitionIndex}`))
        .map(({ partitionIndex, currentLeaderEpoch, timestamp }) => {
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
          return {
            partitionIndex,
            errorCode,
            ...lookUp(partition, timestamp, exchange.request.replicaId >= 0),
            leaderEpoch: LEADER_EPOCH,
          };
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
  if (timestamp === EARLIEST) return { offset: log.startOffset, timestamp: -1 };
  return log.findTimestamp(timestamp, highWatermark) ?? { offset: -1, timestamp: -1 };
}
