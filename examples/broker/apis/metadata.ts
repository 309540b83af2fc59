import { describeFault } from '../fault.ts';
import { isLegalTopicName, type Topic } from '../log/topics.ts';
import type { Exchange, Request } from '../network/exchange.ts';
import { ErrorCode } from '../protocol/error-codes.ts';
import { LEADER_EPOCH } from '../protocol/record-batch.ts';
import { NO_TOPIC_ID } from '../protocol/schema.ts';
import { authorizedOperations } from './authorized-operations.ts';
import type { Context, Handler } from './context.ts';
import { firstTime } from './first-time.ts';
import { unlessDiskIsFull } from './on-full-disk.ts';
import { hasRoomFor, logTopicRefusal } from './topics.ts';

type Wanted = NonNullable<Request<'Metadata'>['topics']>[number];
/** Whether it is asked for by its id, which some clients send with an empty name. */
const byId = ({ topicId }: Wanted): boolean => topicId !== NO_TOPIC_ID;

type Missing = { errorCode: number; name: string | null; topicId: string };

/** Before this version a request of no topics asks for all of them. */
const NONE_IS_NONE_FROM = 1;
/** From here on a topic that was asked for by its id and is unknown has no name in the answer. */
const NO_NAME_FROM = 12;

/**
 * Brokers and topics: all of them, or those asked for, which are created on the way where the
 * client allows it. A node that does not know one looks at the controller first: a consumer that
 * hears of no topic asks again only minutes later.
 */
export const metadata: Handler<'Metadata'> = (exchange, context) => {
  const { cluster } = context;
  const unknown = exchange.request.topics?.filter((wanted) => isUnknown(wanted, context)) ?? [];
  if (unknown.length === 0 || cluster.isSelf(cluster.controller)) {
    answer(exchange, context);
    return;
  }
  if (exchange.request.allowAutoTopicCreation && hasRoomFor(context.options.partitions, context))
    for (const wanted of unknown) if (!byId(wanted) && wanted.name !== null) context.wantTopic(wanted.name);
  context
    .lookAtController()
    .then(() => answer(exchange, context))
    .catch((error) => exchange.owner.fail(`a fault of the broker: ${describeFault(error)}`));
};

function isUnknown(wanted: Wanted, { topics }: Context): boolean {
  const { name, topicId } = wanted;
  if (byId(wanted) || name === null) return topics.getById(topicId) === undefined;
  return topics.get(name) === undefined && isLegalTopicName(name);
}

function answer(exchange: Exchange<'Metadata'>, context: Context): void {
  const { request, version } = exchange;
  const { allowAutoTopicCreation } = request;
  const asksForAll = version < NONE_IS_NONE_FROM && request.topics?.length === 0;
  const topics = asksForAll ? null : request.topics;
  const noName = version < NO_NAME_FROM ? '' : null;
  const { cluster } = context;
  const isFirst = firstTime();
  const found =
    topics
      ?.filter((wanted) => isFirst(byId(wanted) ? wanted.topicId : (wanted.name ?? '')))
      .map((wanted) => find(wanted, context, allowAutoTopicCreation, noName)) ?? context.topics.all();
  const refused = found.filter(
    (topic) => 'errorCode' in topic && topic.errorCode === ErrorCode.POLICY_VIOLATION,
  );
  if (refused.length > 0) logTopicRefusal(exchange, context, refused.length);
  exchange.respond({
    brokers: cluster.nodes
      .filter((node) => cluster.isAlive(node))
      .map(({ id, host, port }) => ({ nodeId: id, host, port, rack: null })),
    clusterId: cluster.id,
    controllerId: cluster.isAlive(cluster.controller) ? cluster.controller.id : -1,
    topics: found.map((topic) =>
      'errorCode' in topic
        ? describeMissing(topic)
        : describeTopic(topic, context, request.includeTopicAuthorizedOperations),
    ),
    clusterAuthorizedOperations: authorizedOperations('cluster', request.includeClusterAuthorizedOperations),
  });
}

function find(wanted: Wanted, context: Context, mayCreate: boolean, noName: string | null): Topic | Missing {
  const { cluster, topics, options } = context;
  const { name, topicId } = wanted;
  if (byId(wanted) || name === null)
    return topics.getById(topicId) ?? { errorCode: ErrorCode.UNKNOWN_TOPIC_ID, name: noName, topicId };
  const topic = topics.get(name);
  if (topic !== undefined) return topic;
  if (!isLegalTopicName(name))
    return { errorCode: ErrorCode.INVALID_TOPIC_EXCEPTION, name, topicId: NO_TOPIC_ID };
  if (!mayCreate) return { errorCode: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, name, topicId: NO_TOPIC_ID };
  if (!hasRoomFor(options.partitions, context))
    return { errorCode: ErrorCode.POLICY_VIOLATION, name, topicId: NO_TOPIC_ID };
  if (cluster.isSelf(cluster.controller)) {
    const errorCode = unlessDiskIsFull(context, `the topic "${name}"`, ErrorCode.KAFKA_STORAGE_ERROR, () => {
      const replicas = Array.from({ length: options.partitions }, (_, index) => cluster.replicasOf(index));
      topics.create(name, replicas);
      void context.tellNodes();
    });
    return topics.get(name) ?? { errorCode, name, topicId: NO_TOPIC_ID };
  }
  return { errorCode: ErrorCode.LEADER_NOT_AVAILABLE, name, topicId: NO_TOPIC_ID };
}

function describeMissing(missing: Missing) {
  return { ...missing, isInternal: false, partitions: [] };
}

function describeTopic({ name, id, partitions }: Topic, { cluster }: Context, withOperations: boolean) {
  return {
    errorCode: ErrorCode.NONE,
    name,
    topicId: id,
    isInternal: false,
    topicAuthorizedOperations: authorizedOperations('topic', withOperations),
    partitions: partitions.map(({ index, replicaIds, inSyncReplicas }) => {
      const [leaderId] = replicaIds;
      const isLed = cluster.isAlive({ id: leaderId });
      return {
        errorCode: isLed ? ErrorCode.NONE : ErrorCode.LEADER_NOT_AVAILABLE,
        partitionIndex: index,
        leaderId: isLed ? leaderId : -1,
        leaderEpoch: LEADER_EPOCH,
        replicaNodes: [...replicaIds],
        isrNodes: [...inSyncReplicas],
        offlineReplicas: replicaIds.filter((id) => !cluster.isAlive({ id })),
      };
    }),
  };
}
