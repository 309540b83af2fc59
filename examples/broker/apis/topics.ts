/**
 * CreateTopics, CreatePartitions and DeleteTopics: the controller's, which is the only node that
 * changes what topics there are.
 */
import { isLegalTopicName, type Replicas, type Topic } from '../log/topics.ts';
import type { Exchange, Request } from '../network/exchange.ts';
import { ErrorCode } from '../protocol/error-codes.ts';
import { NO_TOPIC_ID } from '../protocol/schema.ts';
import { SettingError } from '../settings/setting.ts';
import { describeTopicSettings, type TopicSettings, withSetting } from '../settings/topic-settings.ts';
import type { AnsweringHandler } from './by-controller.ts';
import type { Context } from './context.ts';
import { unlessDiskIsFull } from './on-full-disk.ts';
import { placeMore, placeTopic, type Refused } from './placement.ts';

const DISK_IS_FULL = 'the disk of the broker is full';

type NewTopic = Request<'CreateTopics'>['topics'][number];

export const createTopics: AnsweringHandler<'CreateTopics'> = (exchange, context) => {
  const isRepeated = repeatedNames(exchange.request.topics);
  const topics = exchange.request.topics.map((wanted) =>
    createTopic(wanted, exchange, context, isRepeated(wanted.name)),
  );
  const refused = topics.filter(({ errorCode }) => errorCode === ErrorCode.POLICY_VIOLATION).length;
  if (refused > 0) logTopicRefusal(exchange, context, refused);
  return { topics };
};

export function hasRoomFor(partitions: number, { topics, options }: Context): boolean {
  return topics.partitionCount + partitions <= options.maxPartitions;
}

/** However many topics a request names, its refusal is one line. */
export function logTopicRefusal({ owner }: Exchange, { log, options }: Context, count: number): void {
  log(
    `refused ${count} new topics of ${owner.peer}: --max-partitions is ${options.maxPartitions}`,
    'limited',
  );
}

function createTopic(
  wanted: NewTopic,
  exchange: Exchange<'CreateTopics'>,
  context: Context,
  isRepeated: boolean,
) {
  const { name } = wanted;
  let replicas: Replicas = [];
  let settings: TopicSettings = {};
  const [errorCode, errorMessage] = refusalOf();
  const refused = { name, topicId: NO_TOPIC_ID, errorCode, errorMessage, configs: null };
  if (errorCode !== ErrorCode.NONE) return refused;
  let topicId = NO_TOPIC_ID;
  const failure = exchange.request.validateOnly
    ? ErrorCode.NONE
    : unlessDiskIsFull(context, `the topic "${name}"`, ErrorCode.KAFKA_STORAGE_ERROR, () => {
        topicId = context.topics.create(name, replicas, settings).id;
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
  return {
    ...refused,
    topicId,
    numPartitions: replicas.length,
    replicationFactor: replicas[0].length,
    configs,
  };

  function refusalOf(): readonly [number, string | null] {
    if (!context.cluster.isSelf(context.cluster.controller)) return notController(context);
    if (isRepeated) return [ErrorCode.INVALID_REQUEST, 'the topic is named twice in this request'];
    if (!isLegalTopicName(name))
      return [
        ErrorCode.INVALID_TOPIC_EXCEPTION,
        'a name has 1 to 249 of a-z A-Z 0-9 . _ - and is not . or ..',
      ];
    if (context.topics.get(name) !== undefined) return [ErrorCode.TOPIC_ALREADY_EXISTS, 'the topic exists'];
    const placement = placeTopic(wanted, context);
    if ('refused' in placement) return placement.refused;
    replicas = placement.replicas;
    try {
      for (const { name, value } of wanted.configs)
        settings = withSetting(settings, name, value, context.options);
    } catch (error) {
      if (error instanceof SettingError) return [ErrorCode.INVALID_CONFIG, error.message];
      throw error;
    }
    if (!hasRoomFor(replicas.length, context)) return noRoom(context);
    return [ErrorCode.NONE, null];
  }
}

export const createPartitions: AnsweringHandler<'CreatePartitions'> = (exchange, context) => {
  const { topics: wanted, validateOnly } = exchange.request;
  const isRepeated = repeatedNames(wanted);
  const results = wanted.map((more) => {
    const { name } = more;
    let replicas: Replicas = [];
    const topic = context.topics.get(name);
    const [errorCode, errorMessage] = refusalOf(topic);
    if (topic === undefined || errorCode !== ErrorCode.NONE || validateOnly)
      return { name, errorCode, errorMessage };
    const failure = unlessDiskIsFull(context, `partitions of "${name}"`, ErrorCode.KAFKA_STORAGE_ERROR, () =>
      context.topics.grow(topic, replicas),
    );
    return { name, errorCode: failure, errorMessage: failure === ErrorCode.NONE ? null : DISK_IS_FULL };

    function refusalOf(topic: Topic | undefined): readonly [number, string | null] {
      if (!context.cluster.isSelf(context.cluster.controller)) return notController(context);
      if (isRepeated(name)) return [ErrorCode.INVALID_REQUEST, 'the topic is named twice in this request'];
      if (topic === undefined) return [ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, 'there is no such topic'];
      const placement = placeMore(more, topic, context.cluster);
      if ('refused' in placement) return placement.refused;
      replicas = placement.replicas;
      if (!hasRoomFor(replicas.length, context)) return noRoom(context);
      return [ErrorCode.NONE, null];
    }
  });
  const refused = results.filter(({ errorCode }) => errorCode === ErrorCode.POLICY_VIOLATION).length;
  if (refused > 0) logTopicRefusal(exchange, context, refused);
  return { results };
};

export function notController({ cluster }: Context): Refused {
  return [ErrorCode.NOT_CONTROLLER, `node ${cluster.controller.id} is the controller`];
}

function noRoom({ options }: Context): Refused {
  return [ErrorCode.POLICY_VIOLATION, `no room for more: --max-partitions is ${options.maxPartitions}`];
}

/** Tells whether a name is there more than once: which of the two is meant, nobody knows. */
function repeatedNames(wanted: readonly { name: string }[]): (name: string) => boolean {
  const seen = new Map<string, number>();
  for (const { name } of wanted) seen.set(name, (seen.get(name) ?? 0) + 1);
  return (name) => seen.get(name) !== 1;
}

export const deleteTopics: AnsweringHandler<'DeleteTopics'> = (exchange, context) => {
  const { cluster, topics } = context;
  const { request } = exchange;
  const wanted = [...request.topics, ...request.topicNames.map((name) => ({ name, topicId: NO_TOPIC_ID }))];
  return {
    responses: wanted.map(({ name, topicId }) => {
      if (!cluster.isSelf(cluster.controller)) {
        const [errorCode, errorMessage] = notController(context);
        return { name, topicId, errorCode, errorMessage };
      }
      const topic = name === null ? topics.getById(topicId) : topics.get(name);
      if (topic !== undefined) {
        const errorCode = unlessDiskIsFull(
          context,
          `to delete "${topic.name}"`,
          ErrorCode.KAFKA_STORAGE_ERROR,
          () => topics.delete(topic),
        );
        const errorMessage = errorCode === ErrorCode.NONE ? null : DISK_IS_FULL;
        return { name: topic.name, topicId: topic.id, errorCode, errorMessage };
      }
      const errorCode = name === null ? ErrorCode.UNKNOWN_TOPIC_ID : ErrorCode.UNKNOWN_TOPIC_OR_PARTITION;
      return { name, topicId, errorCode, errorMessage: 'there is no such topic' };
    }),
  };
};
