/** CreateTopics and DeleteTopics. Topics have no settings of their own here: configs are taken note of by nobody. */
import { isLegalTopicName } from '../log/topics.ts';
import type { Exchange, Request } from '../network/exchange.ts';
import { ErrorCode } from '../protocol/error-codes.ts';
import { NO_TOPIC_ID } from '../protocol/schema.ts';
import type { Context, Handler } from './context.ts';

/** A partition costs memory before it holds anything: no single request shall make a million of them. */
const MAX_PARTITIONS = 1000;

type NewTopic = Request<'CreateTopics'>['topics'][number];

export const createTopics: Handler<'CreateTopics'> = (exchange, context) => {
  const seen = new Map<string, number>();
  for (const { name } of exchange.request.topics) seen.set(name, (seen.get(name) ?? 0) + 1);
  const topics = exchange.request.topics.map((wanted) =>
    createTopic(wanted, exchange, context, seen.get(wanted.name) !== 1),
  );
  const refused = topics.filter(({ errorCode }) => errorCode === ErrorCode.POLICY_VIOLATION).length;
  if (refused > 0) logTopicRefusal(exchange, context, refused);
  exchange.respond({ topics });
};

export function hasRoomFor(partitions: number, { topics, maxPartitions }: Context): boolean {
  return topics.partitionCount + partitions <= maxPartitions;
}

/** However many topics a request names, its refusal is one line. */
export function logTopicRefusal({ owner }: Exchange, { log, maxPartitions }: Context, count: number): void {
  log(`refused ${count} new topics of ${owner.peer}: --max-partitions is ${maxPartitions}`, 'refused topics');
}

function createTopic(
  wanted: NewTopic,
  exchange: Exchange<'CreateTopics'>,
  context: Context,
  isRepeated: boolean,
) {
  const { name } = wanted;
  const replicationFactor = context.cluster.replicasOf(0).length;
  const numPartitions =
    wanted.assignments.length ||
    (wanted.numPartitions === -1 ? context.defaultPartitions : wanted.numPartitions);
  const [errorCode, errorMessage] = refusalOf();
  const refused = { name, topicId: NO_TOPIC_ID, errorCode, errorMessage, configs: null };
  if (errorCode !== ErrorCode.NONE) return refused;
  const topicId = exchange.request.validateOnly ? NO_TOPIC_ID : context.topics.create(name, numPartitions).id;
  return { ...refused, topicId, numPartitions, replicationFactor, configs: [] };

  function refusalOf(): readonly [number, string | null] {
    if (!context.cluster.isSelf(context.cluster.controller))
      return [ErrorCode.NOT_CONTROLLER, `node ${context.cluster.controller.id} is the controller`];
    if (isRepeated) return [ErrorCode.INVALID_REQUEST, 'the topic is named twice in this request'];
    if (!isLegalTopicName(name))
      return [
        ErrorCode.INVALID_TOPIC_EXCEPTION,
        'a name has 1 to 249 of a-z A-Z 0-9 . _ - and is not . or ..',
      ];
    if (context.topics.get(name) !== undefined) return [ErrorCode.TOPIC_ALREADY_EXISTS, 'the topic exists'];
    if (numPartitions < 1 || numPartitions > MAX_PARTITIONS) {
      return [
        ErrorCode.INVALID_PARTITIONS,
        `${numPartitions} partitions, where 1 to ${MAX_PARTITIONS} are possible`,
      ];
    }
    if (wanted.assignments.length > 0) {
      return [ErrorCode.INVALID_REPLICA_ASSIGNMENT, 'partitions are assigned to nodes by a fixed rule here'];
    }
    if (wanted.replicationFactor !== -1 && wanted.replicationFactor !== replicationFactor) {
      return [
        ErrorCode.INVALID_REPLICATION_FACTOR,
        `a replication factor of ${wanted.replicationFactor}, where ${replicationFactor} is the only one`,
      ];
    }
    if (!hasRoomFor(numPartitions, context)) {
      return [ErrorCode.POLICY_VIOLATION, `no room for more: --max-partitions is ${context.maxPartitions}`];
    }
    return [ErrorCode.NONE, null];
  }
}

export const deleteTopics: Handler<'DeleteTopics'> = (exchange, { cluster, topics }) => {
  const { request } = exchange;
  const wanted = [...request.topics, ...request.topicNames.map((name) => ({ name, topicId: NO_TOPIC_ID }))];
  exchange.respond({
    responses: wanted.map(({ name, topicId }) => {
      if (!cluster.isSelf(cluster.controller)) {
        const errorMessage = `node ${cluster.controller.id} is the controller`;
        return { name, topicId, errorCode: ErrorCode.NOT_CONTROLLER, errorMessage };
      }
      const topic = name === null ? topics.getById(topicId) : topics.get(name);
      if (topic !== undefined) {
        topics.delete(topic);
        return { name: topic.name, topicId: topic.id, errorCode: ErrorCode.NONE, errorMessage: null };
      }
      const errorCode = name === null ? ErrorCode.UNKNOWN_TOPIC_ID : ErrorCode.UNKNOWN_TOPIC_OR_PARTITION;
      return { name, topicId, errorCode, errorMessage: 'there is no such topic' };
    }),
  });
};
