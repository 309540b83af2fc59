import { ErrorCode } from '../protocol/error-codes.ts';
import type { Context, Handler } from './context.ts';
import { firstTime } from './first-time.ts';
import { unlessDiskIsFull } from './on-full-disk.ts';

/** Stands for the high watermark. */
const ALL = -1;

/**
 * Moves the start of partitions that this node leads; their followers come after it with their next
 * fetch.
 */
export const deleteRecords: Handler<'DeleteRecords'> = (exchange, context) => {
  const isFirst = firstTime();
  exchange.respond({
    topics: exchange.request.topics.map(({ name, partitions }) => ({
      name,
      partitions: partitions
        .filter(({ partitionIndex }) => isFirst(`${name}-${partitionIndex}`))
        .map(({ partitionIndex, offset }) => ({
          partitionIndex,
          ...deleteBefore(context, name, partitionIndex, offset),
        })),
    })),
  });
};

function deleteBefore(context: Context, name: string, index: number, offset: number) {
  const partition = context.topics.get(name)?.partitions[index];
  const refused = (errorCode: number) => ({ lowWatermark: -1, errorCode });
  if (partition === undefined) return refused(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
  if (!partition.isLed) return refused(ErrorCode.NOT_LEADER_OR_FOLLOWER);
  const to = offset === ALL ? partition.highWatermark : offset;
  if (to < 0 || to > partition.highWatermark) return refused(ErrorCode.OFFSET_OUT_OF_RANGE);
  const errorCode = unlessDiskIsFull(
    context,
    `to delete of "${partition.key}"`,
    ErrorCode.KAFKA_STORAGE_ERROR,
    () => partition.deleteBefore(to),
  );
  return { lowWatermark: partition.log.startOffset, errorCode };
}
