import { LEADER_EPOCH } from '../log/partition.ts';
import { isLegalTopicName, type Topic } from '../log/topics.ts';
import type { Request } from '../network/exchange.ts';
import { ErrorCode } from '../protocol/error-codes.ts';
import { NO_TOPIC_ID } from '../protocol/schema.ts';
import type { Context, Handler } from './context.ts';
import { hasRoomFor, logTopicRefusal } from './topics.ts';

type Wanted = NonNullable<Request<'Metadata'>['topics']>[number];
type Missing = { errorCode: number; name: string; topicId: string };

/** Brokers and topics: all of them, or those asked for, which are created on the way where the client allows it. */
export const metadata: Handler<'Metadata'> = (exchange, context) => {
  const { topics, allowAutoTopicCreation } = exchange.request;
  const found =
    topics?.map((wanted) => find(wanted, context, allowAutoTopicCreation)) ?? context.topics.all();
  const refused = found.filter(
    (topic) => 'errorCode' in topic && topic.errorCode === ErrorCode.POLICY_VIOLATION,
  );
  if (refused.length > 0) logTopicRefusal(exchange, context, refused.length);
  exchange.respond({
    brokers: context.cluster.nodes.map(({ id, host, port }) => ({ nodeId: id, host, port, rack: null })),
    clusterId: context.cluster.id,
    controllerId: context.cluster.nodes[0].id,
    topics: found.map((topic) =>
      'errorCode' in topic ? describeMissing(topic) : describeTopic(topic, context),
    ),
  });
};

function find({ name, topicId }: Wanted, context: Context, mayCreate: boolean): Topic | Missing {
  const { topics, defaultPartitions } = context;
  if (name === null)
    return topics.getById(topicId) ?? { errorCode: ErrorCode.UNKNOWN_TOPIC_ID, name: '', topicId };
  const topic = topics.get(name);
  if (topic !== undefined) return topic;
  if (!isLegalTopicName(name))
    return { errorCode: ErrorCode.INVALID_TOPIC_EXCEPTION, name, topicId: NO_TOPIC_ID };
  if (!mayCreate) return { errorCode: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, name, topicId: NO_TOPIC_ID };
  if (hasRoomFor(defaultPartitions, context)) return topics.create(name, defaultPartitions);
  return { errorCode: ErrorCode.POLICY_VIOLATION, name, topicId: NO_TOPIC_ID };
}

function describeMissing(missing: Missing) {
  return { ...missing, isInternal: false, partitions: [] };
}

function describeTopic({ name, id, partitions }: Topic, { cluster }: Context) {
  return {
    errorCode: ErrorCode.NONE,
    name,
    topicId: id,
    isInternal: false,
    partitions: partitions.map(({ index }) => {
      const replicaNodes = cluster.replicasOf(index).map((node) => node.id);
      return {
        errorCode: ErrorCode.NONE,
        partitionIndex: index,
        leaderId: cluster.leaderOf(index).id,
        leaderEpoch: LEADER_EPOCH,
        replicaNodes,
        isrNodes: replicaNodes,
        offlineReplicas: [],
      };
    }),
  };
}
