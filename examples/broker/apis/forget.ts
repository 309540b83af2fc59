/** DeleteGroups and OffsetDelete: what groups have committed is forgotten before its time. */
import type { Group } from '../group/group.ts';
import { subscribedTopics } from '../group/subscription.ts';
import { ErrorCode } from '../protocol/error-codes.ts';
import type { Context, Handler } from './context.ts';
import { firstTime } from './first-time.ts';
import { unlessDiskIsFull } from './on-full-disk.ts';

export const deleteGroups: Handler<'DeleteGroups'> = (exchange, context) => {
  const { offsets } = context;
  const results = exchange.request.groupsNames.filter(firstTime()).map((groupId) => {
    const hasMembers = (context.groups.get(groupId)?.members.size ?? 0) > 0;
    const errorCode =
      groupError(groupId, context) || (hasMembers ? ErrorCode.NON_EMPTY_GROUP : ErrorCode.NONE);
    if (errorCode !== ErrorCode.NONE) return { groupId, errorCode };
    const forget = () => {
      offsets.forgetGroup(groupId);
      context.groups.forget(groupId);
    };
    return {
      groupId,
      errorCode: unlessDiskIsFull(context, 'to forget a group', ErrorCode.COORDINATOR_NOT_AVAILABLE, forget),
    };
  });
  // As for commits: what is answered survives, and a flush that failed is left to end the process.
  void offsets.flush().then(() => exchange.respond({ results }));
};

export const offsetDelete: Handler<'OffsetDelete'> = (exchange, context) => {
  const { groupId, topics } = exchange.request;
  const { offsets } = context;
  const errorCode = groupError(groupId, context) || memberError(context.groups.get(groupId));
  if (errorCode !== ErrorCode.NONE) {
    exchange.respond({ errorCode, topics: [] });
    return;
  }
  const isSubscribed = subscriptionsOf(context.groups.get(groupId));
  const isFirst = firstTime();
  const forgotten = topics.map(({ name, partitions }) => ({
    name,
    partitions: partitions
      .filter(({ partitionIndex }) => isFirst(`${name}-${partitionIndex}`))
      .map(({ partitionIndex }) => ({ partitionIndex, errorCode: forget(name, partitionIndex) })),
  }));
  void offsets.flush().then(() => exchange.respond({ errorCode, topics: forgotten }));

  function forget(topic: string, partition: number): number {
    if (context.topics.get(topic)?.partitions[partition] === undefined)
      return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION;
    if (isSubscribed(topic)) return ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC;
    return unlessDiskIsFull(context, 'to forget a commit', ErrorCode.COORDINATOR_NOT_AVAILABLE, () =>
      offsets.forget(groupId, topic, partition),
    );
  }
};

function groupError(groupId: string, { cluster, groups, offsets }: Context): number {
  if (groupId === '') return ErrorCode.INVALID_GROUP_ID;
  if (!cluster.isSelf(cluster.coordinatorOf(groupId))) return ErrorCode.NOT_COORDINATOR;
  const isKnown = groups.get(groupId) !== undefined || offsets.all(groupId).size > 0;
  return isKnown ? ErrorCode.NONE : ErrorCode.GROUP_ID_NOT_FOUND;
}

/** Only of consumers is it known what they read. */
function memberError(group: Group | undefined): number {
  const isInUse = group !== undefined && group.members.size > 0 && group.protocolType !== 'consumer';
  return isInUse ? ErrorCode.NON_EMPTY_GROUP : ErrorCode.NONE;
}

/** Whether members read a topic; true for all topics where one does not say which. */
function subscriptionsOf(group: Group | undefined): (topic: string) => boolean {
  const members = [...(group?.members.values() ?? [])];
  const lists = members.flatMap(({ profile }) =>
    profile.protocols.map(({ metadata }) => subscribedTopics(metadata)),
  );
  const known = new Set(lists.flatMap((list) => list ?? []));
  return (topic) => lists.includes(undefined) || known.has(topic);
}
