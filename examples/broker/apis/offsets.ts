/** OffsetCommit and OffsetFetch: where groups left off. */
import { ErrorCode } from '../protocol/error-codes.ts';
import type { Context, Handler } from './context.ts';
import { firstTime } from './first-time.ts';

const MANY_GROUPS_FROM = 8;

export const offsetCommit: Handler<'OffsetCommit'> = (exchange, context) => {
  const { groups, offsets, topics, log } = context;
  const { offsetMetadataMaxBytes } = context.options;
  const { request } = exchange;
  const refusal = groups.checkCommit(request);
  let refused = 0;
  let broken = '';
  const refuse = (rule: string, errorCode: number) => {
    refused++;
    broken = rule;
    return errorCode;
  };
  const commit = (
    topic: string,
    partition: (typeof request.topics)[number]['partitions'][number],
  ): number => {
    const { partitionIndex, committedOffset, committedLeaderEpoch, committedMetadata } = partition;
    if (refusal !== ErrorCode.NONE) return refusal;
    if (topics.get(topic)?.partitions[partitionIndex] === undefined)
      return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION;
    if (Buffer.byteLength(committedMetadata ?? '') > offsetMetadataMaxBytes)
      return refuse(
        `--offset-metadata-max-bytes is ${offsetMetadataMaxBytes}`,
        ErrorCode.OFFSET_METADATA_TOO_LARGE,
      );
    const rule = offsets.commit(request.groupId, topic, partitionIndex, {
      offset: committedOffset,
      leaderEpoch: committedLeaderEpoch,
      metadata: committedMetadata ?? '',
    });
    return rule === undefined ? ErrorCode.NONE : refuse(rule, ErrorCode.COORDINATOR_NOT_AVAILABLE);
  };
  const results = request.topics.map(({ name, partitions }) => ({
    name,
    partitions: partitions.map((partition) => ({
      partitionIndex: partition.partitionIndex,
      errorCode: commit(name, partition),
    })),
  }));
  if (refused > 0) log(`refused ${refused} commits of ${exchange.owner.peer}: ${broken}`, 'limited');
  // A commit that is answered survives. Nothing may go on after a flush that failed: its rejection
  // is left to end the process.
  void offsets.flush().then(() => exchange.respond({ topics: results }));
};

export const offsetFetch: Handler<'OffsetFetch'> = (exchange, context) => {
  const { request } = exchange;
  if (exchange.version < MANY_GROUPS_FROM) {
    const { groupId, topics } = request;
    const errorCode = coordinatorError(context, groupId);
    exchange.respond({ topics: fetchOffsets(context, groupId, topics), errorCode, groups: [] });
    return;
  }
  const isFirst = firstTime();
  exchange.respond({
    topics: [],
    groups: request.groups
      .filter(({ groupId }) => isFirst(groupId))
      .map(({ groupId, topics }) => ({
        groupId,
        topics: fetchOffsets(context, groupId, topics),
        errorCode: coordinatorError(context, groupId),
      })),
  });
};

type WantedOffsets = readonly { name: string; partitionIndexes: number[] }[] | null;

/**
 * An offset of -1 says that nothing was committed; without a list of topics, only what was
 * committed is answered.
 */
function fetchOffsets(context: Context, groupId: string, wanted: WantedOffsets) {
  const { offsets } = context;
  const errorCode = coordinatorError(context, groupId);
  const topics =
    wanted ?? [...offsets.all(groupId)].map(([name, partitionIndexes]) => ({ name, partitionIndexes }));
  const isFirst = firstTime();
  return topics.map(({ name, partitionIndexes }) => ({
    name,
    partitions: partitionIndexes
      .filter((partitionIndex) => isFirst(`${name}-${partitionIndex}`))
      .map((partitionIndex) => {
        const committed = offsets.get(groupId, name, partitionIndex);
        return {
          partitionIndex,
          committedOffset: committed?.offset ?? -1,
          committedLeaderEpoch: committed?.leaderEpoch ?? -1,
          metadata: committed?.metadata ?? '',
          errorCode,
        };
      }),
  }));
}

function coordinatorError({ cluster }: Context, groupId: string): number {
  return cluster.isSelf(cluster.coordinatorOf(groupId)) ? ErrorCode.NONE : ErrorCode.NOT_COORDINATOR;
}
