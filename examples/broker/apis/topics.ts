/**
 * CreateTopics, CreatePartitions and DeleteTopics: the controller's, which is the only node that
 * changes what topics there are.
 */
import { isLegalTopicName, type Topic } from '../log/topics.ts';
import type { Exchange, Request } from '../network/exchange.ts';
import { ErrorCode } from '../protocol/error-codes.ts';
import { NO_TOPIC_ID } from '../protocol/schema.ts';
import { SettingError } from '../settings/setting.ts';
import { describeTopicSettings, type TopicSettings, withSetting } from '../settings/topic-settings.ts';
import type { Context, Handler } from './context.ts';
import { unlessDiskIsFull } from './on-full-disk.ts';

/**
 * A partition costs memory before it holds anything: no single request shall make a million of
 * them.
 */
const MAX_PARTITIONS = 1000;
const DISK_IS_FULL = 'the disk of the broker is full';
const FIXED_ASSIGNMENT = 'partitions are assigned to nodes by a fixed rule here';

type NewTopic = Request<'CreateTopics'>['topics'][number];

export const createTopics: Handler<'CreateTopics'> = (exchange, context) => {
  const isRepeated = repeatedNames(exchange.request.topics);
  const topics = exchange.request.topics.map((wanted) =>
    createTopic(wanted, exchange, context, isRepeated(wanted.name)),
  );
  const refused = topics.filter(({ errorCode }) => errorCode === ErrorCode.POLICY_VIOLATION).length;
  if (refused > 0) logTopicRefusal(exchange, context, refused);
  exchange.respond({ topics });
};

export function hasRoomFor(partitions: number, { topics, options }: Context): boolean {
  return topics.partitionCount + partitions <= options.maxPartitions;
}

/** However many topics a request names, its refusal is one line. */
export function logTopicRefusal({ owner }: Exchange, { log, options }: Context, count: number): void {
  log(
    `refused ${count} new topics of ${owner.peer}: --max-partitions is ${options.maxPartitions}`,
    'refused topics',
  );
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
    (wanted.numPartitions === -1 ? context.options.partitions : wanted.numPartitions);
  let settings: TopicSettings = {};
  const [errorCode, errorMessage] = refusalOf();
  const refused = { name, topicId: NO_TOPIC_ID, errorCode, errorMessage, configs: null };
  if (errorCode !== ErrorCode.NONE) return refused;
  let topicId = NO_TOPIC_ID;
  const failure = exchange.request.validateOnly
    ? ErrorCode.NONE
    : unlessDiskIsFull(context, `the topic ${name}`, ErrorCode.KAFKA_STORAGE_ERROR, () => {
        topicId = context.topics.create(name, numPartitions, settings).id;
      });
  if (failure !== ErrorCode.NONE) return { ...refused, errorCode: failure, errorMessage: DISK_IS_FULL };
  const configs = describeTopicSettings(settings, context.options).map(
    ({ name, value, isReadOnly: readOnly, source: configSource }) => ({
      name,
      value,
      readOnly,
      configSource,
      isSensitive: false,
    }),
  );
  return { ...refused, topicId, numPartitions, replicationFactor, configs };

  function refusalOf(): readonly [number, string | null] {
    if (!context.cluster.isSelf(context.cluster.controller)) return notController(context);
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
      return [ErrorCode.INVALID_REPLICA_ASSIGNMENT, FIXED_ASSIGNMENT];
    }
    if (wanted.replicationFactor !== -1 && wanted.replicationFactor !== replicationFactor) {
      return [
        ErrorCode.INVALID_REPLICATION_FACTOR,
        `a replication factor of ${wanted.replicationFactor}, where ${replicationFactor} is the only one`,
      ];
    }
    try {
      for (const { name, value } of wanted.configs)
        settings = withSetting(settings, name, value, context.options);
    } catch (error) {
      if (error instanceof SettingError) return [ErrorCode.INVALID_CONFIG, error.message];
      throw error;
    }
    if (!hasRoomFor(numPartitions, context)) return noRoom(context);
    return [ErrorCode.NONE, null];
  }
}

export const createPartitions: Handler<'CreatePartitions'> = (exchange, context) => {
  const { topics: wanted, validateOnly } = exchange.request;
  const isRepeated = repeatedNames(wanted);
  const results = wanted.map(({ name, count, assignments }) => {
    const topic = context.topics.get(name);
    const [errorCode, errorMessage] = refusalOf(topic);
    if (topic === undefined || errorCode !== ErrorCode.NONE || validateOnly)
      return { name, errorCode, errorMessage };
    const failure = unlessDiskIsFull(context, `partitions of ${name}`, ErrorCode.KAFKA_STORAGE_ERROR, () =>
      context.topics.grow(topic, count),
    );
    return { name, errorCode: failure, errorMessage: failure === ErrorCode.NONE ? null : DISK_IS_FULL };

    function refusalOf(topic: Topic | undefined): readonly [number, string | null] {
      if (!context.cluster.isSelf(context.cluster.controller)) return notController(context);
      if (isRepeated(name)) return [ErrorCode.INVALID_REQUEST, 'the topic is named twice in this request'];
      if (topic === undefined) return [ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, 'there is no such topic'];
      const before = topic.partitions.length;
      if (count <= before || count > MAX_PARTITIONS)
        return [
          ErrorCode.INVALID_PARTITIONS,
          `${count} partitions, where there are ${before} and ${MAX_PARTITIONS} are possible`,
        ];
      if (assignments !== null) return [ErrorCode.INVALID_REPLICA_ASSIGNMENT, FIXED_ASSIGNMENT];
      if (!hasRoomFor(count - before, context)) return noRoom(context);
      return [ErrorCode.NONE, null];
    }
  });
  const refused = results.filter(({ errorCode }) => errorCode === ErrorCode.POLICY_VIOLATION).length;
  if (refused > 0) logTopicRefusal(exchange, context, refused);
  exchange.respond({ results });
};

export function notController({ cluster }: Context): readonly [number, string] {
  return [ErrorCode.NOT_CONTROLLER, `node ${cluster.controller.id} is the controller`];
}

function noRoom({ options }: Context): readonly [number, string] {
  return [ErrorCode.POLICY_VIOLATION, `no room for more: --max-partitions is ${options.maxPartitions}`];
}

/** Tells whether a name is there more than once: which of the two is meant, nobody knows. */
function repeatedNames(wanted: readonly { name: string }[]): (name: string) => boolean {
  const seen = new Map<string, number>();
  for (const { name } of wanted) seen.set(name, (seen.get(name) ?? 0) + 1);
  return (name) => seen.get(name) !== 1;
}

export const deleteTopics: Handler<'DeleteTopics'> = (exchange, context) => {
  const { cluster, topics } = context;
  const { request } = exchange;
  const wanted = [...request.topics, ...request.topicNames.map((name) => ({ name, topicId: NO_TOPIC_ID }))];
  exchange.respond({
    responses: wanted.map(({ name, topicId }) => {
      if (!cluster.isSelf(cluster.controller)) {
        const [errorCode, errorMessage] = notController(context);
        return { name, topicId, errorCode, errorMessage };
      }
      const topic = name === null ? topics.getById(topicId) : topics.get(name);
      if (topic !== undefined) {
        const errorCode = unlessDiskIsFull(
          context,
          `to delete ${topic.name}`,
          ErrorCode.KAFKA_STORAGE_ERROR,
          () => topics.delete(topic),
        );
        const errorMessage = errorCode === ErrorCode.NONE ? null : DISK_IS_FULL;
        return { name: topic.name, topicId: topic.id, errorCode, errorMessage };
      }
      const errorCode = name === null ? ErrorCode.UNKNOWN_TOPIC_ID : ErrorCode.UNKNOWN_TOPIC_OR_PARTITION;
      return { name, topicId, errorCode, errorMessage: 'there is no such topic' };
    }),
  });
};
