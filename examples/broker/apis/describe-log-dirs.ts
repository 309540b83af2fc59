import { resolve } from 'node:path';
import { ErrorCode } from '../protocol/error-codes.ts';
import type { Context, Handler } from './context.ts';
import { firstTime } from './first-time.ts';

/**
 * How large the logs are that this node keeps, and how far they are behind what is acknowledged: of
 * the partitions that are named, or of all. Each node tells of its own, which are in one folder. How
 * much the disk has is left out. O(partitions x files).
 */
export const describeLogDirs: Handler<'DescribeLogDirs'> = (exchange, context) => {
  const isFirst = firstTime();
  const topics = (exchange.request.topics ?? everything(context))
    .map(({ topic, partitions }) => ({
      name: topic,
      partitions: partitions
        .filter((index) => isFirst(`${topic}-${index}`))
        .flatMap((index) => replicaHere(context, topic, index)),
    }))
    .filter(({ partitions }) => partitions.length > 0);
  const { options, cluster } = context;
  const logDir = resolve(options.data, `node-${cluster.self.id}`, 'logs');
  exchange.respond({ results: [{ errorCode: ErrorCode.NONE, logDir, topics }] });
};

const everything = ({ topics }: Context) =>
  topics.all().map(({ name, partitions }) => ({ topic: name, partitions: [...partitions.keys()] }));

/** Nothing, where this node does not keep the partition: the others do, or nobody knows it. */
function replicaHere({ topics, cluster }: Context, name: string, partitionIndex: number) {
  const partition = topics.get(name)?.partitions[partitionIndex];
  if (!partition?.replicaIds.includes(cluster.self.id)) return [];
  const { log, highWatermark } = partition;
  const partitionSize = log.bytesBetween(log.startOffset, log.endOffset);
  return [{ partitionIndex, partitionSize, offsetLag: Math.max(highWatermark - log.endOffset, 0) }];
}
