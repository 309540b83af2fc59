/**
 * DescribeConfigs, AlterConfigs and IncrementalAlterConfigs: the settings of topics, and the
 * options of this node to read.
 */
import { isLegalTopicName } from '../log/topics.ts';
import type { Request } from '../network/exchange.ts';
import { ErrorCode } from '../protocol/error-codes.ts';
import { describeBrokerSettings } from '../settings/broker-settings.ts';
import { ResourceType, type Setting, SettingError, SettingSource } from '../settings/setting.ts';
import { describeTopicSettings, type TopicSettings, withSetting } from '../settings/topic-settings.ts';
import type { AnsweringHandler } from './by-controller.ts';
import type { Context } from './context.ts';
import { firstTime } from './first-time.ts';
import { unlessDiskIsFull } from './on-full-disk.ts';
import { notController } from './topics.ts';

/**
 * What an incremental change does to a setting; the others add to lists and take from them, and
 * there is none to change.
 */
const Operation = { SET: 0, DELETE: 1 } as const;

interface Resource {
  readonly resourceType: number;
  readonly resourceName: string;
}

type Refusal = readonly [errorCode: number, errorMessage: string];

export const describeConfigs: AnsweringHandler<'DescribeConfigs'> = (exchange, context) => {
  const { resources, includeSynonyms, includeDocumentation } = exchange.request;
  const isFirst = firstTime();
  const results = resources
    .filter(({ resourceType, resourceName }) => isFirst(`${resourceType} ${resourceName}`))
    .map(({ resourceType, resourceName, configurationKeys: keys }) => {
      const found = settingsOf({ resourceType, resourceName }, context);
      if (!('settings' in found)) {
        const [errorCode, errorMessage] = found.refusal;
        return { errorCode, errorMessage, resourceType, resourceName, configs: [] };
      }
      const wanted = found.settings.filter(
        ({ name }) => keys === null || keys.length === 0 || keys.includes(name),
      );
      const configs = wanted.map((setting) => describe(setting, includeSynonyms, includeDocumentation));
      return { errorCode: ErrorCode.NONE, errorMessage: null, resourceType, resourceName, configs };
    });
  return { results };
};

/** The controller has the settings of topics first. A node has its own. */
export function isOfTopics({ resources }: Request<'DescribeConfigs'>): boolean {
  return resources.every(({ resourceType }) => resourceType === ResourceType.TOPIC);
}

function settingsOf(
  { resourceType, resourceName }: Resource,
  { cluster, topics, options }: Context,
): { settings: Setting[] } | { refusal: Refusal } {
  if (resourceType === ResourceType.TOPIC) {
    const topic = topics.get(resourceName);
    if (topic === undefined) return { refusal: noTopic(resourceName) };
    return { settings: describeTopicSettings(topic.settings, options) };
  }
  if (resourceType !== ResourceType.BROKER)
    return {
      refusal: [ErrorCode.INVALID_REQUEST, `resources of type ${resourceType} have no settings here`],
    };
  if (resourceName === `${cluster.self.id}`)
    return { settings: describeBrokerSettings(options, cluster.self.id) };
  const rule = `this is node ${cluster.self.id}, and each node answers for itself alone`;
  return { refusal: [ErrorCode.INVALID_REQUEST, rule] };
}

function noTopic(name: string): Refusal {
  return isLegalTopicName(name)
    ? [ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, 'there is no such topic']
    : [ErrorCode.INVALID_TOPIC_EXCEPTION, 'not a legal topic name'];
}

function describe(
  { name, type, value, source, isReadOnly, documentation }: Setting,
  includeSynonyms: boolean,
  includeDocumentation: boolean,
) {
  return {
    name,
    value,
    readOnly: isReadOnly,
    isDefault: source !== SettingSource.TOPIC,
    configSource: source,
    isSensitive: false,
    synonyms: includeSynonyms ? [{ name, value, source }] : [],
    configType: type,
    documentation: includeDocumentation ? documentation : null,
  };
}

/** What is not named goes back to its default. */
export const alterConfigs: AnsweringHandler<'AlterConfigs'> = (exchange, context) => {
  const { resources, validateOnly } = exchange.request;
  const responses = alterEach(resources, validateOnly, context, (_, { configs }) =>
    configs.reduce<TopicSettings>(
      (settings, { name, value }) => withSetting(settings, name, value, context.options),
      {},
    ),
  );
  return { responses };
};

/** What is not named stays as it is. */
export const incrementalAlterConfigs: AnsweringHandler<'IncrementalAlterConfigs'> = (exchange, context) => {
  const { resources, validateOnly } = exchange.request;
  const responses = alterEach(resources, validateOnly, context, (before, { configs }) =>
    configs.reduce<TopicSettings>((settings, { name, configOperation, value }) => {
      if (configOperation !== Operation.SET && configOperation !== Operation.DELETE)
        throw new SettingError(`${name} is no list: it can be set and deleted, not added to or taken from`);
      const wanted = configOperation === Operation.SET ? value : null;
      return withSetting(settings, name, wanted, context.options);
    }, before),
  );
  return { responses };
};

/** Changes the settings of each topic as a whole or not at all. */
function alterEach<R extends Resource>(
  resources: readonly R[],
  validateOnly: boolean,
  context: Context,
  change: (before: TopicSettings, resource: R) => TopicSettings,
) {
  const isFirst = firstTime();
  return resources.map((resource) => {
    const { resourceType, resourceName } = resource;
    const [errorCode, errorMessage] = alter(resource) ?? [ErrorCode.NONE, null];
    return { errorCode, errorMessage, resourceType, resourceName };
  });

  function alter(resource: R): Refusal | undefined {
    const { resourceType, resourceName } = resource;
    const { cluster, topics } = context;
    if (!cluster.isSelf(cluster.controller)) return notController(context);
    if (!isFirst(`${resourceType} ${resourceName}`))
      return [ErrorCode.INVALID_REQUEST, 'the resource is named twice in this request'];
    if (resourceType !== ResourceType.TOPIC) {
      const rule = 'only topics have settings that can be changed; a node has the options of its start';
      return [ErrorCode.INVALID_REQUEST, rule];
    }
    const topic = topics.get(resourceName);
    if (topic === undefined) return noTopic(resourceName);
    try {
      const settings = change(topic.settings, resource);
      if (validateOnly) return undefined;
      const errorCode = unlessDiskIsFull(
        context,
        `settings of "${topic.name}"`,
        ErrorCode.KAFKA_STORAGE_ERROR,
        () => topics.configure(topic, settings),
      );
      return errorCode === ErrorCode.NONE ? undefined : [errorCode, 'the disk of the broker is full'];
    } catch (error) {
      if (error instanceof SettingError) return [ErrorCode.INVALID_CONFIG, error.message];
      throw error;
    }
  }
}
