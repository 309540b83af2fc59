/**
 * The settings of a topic: those that can be changed, and some that say how the broker treats every
 * topic. One that is not in the table is refused by its name, and one that is fixed may only be set
 * to what it is.
 *
 * A topic keeps the settings that were made for it, by name, as text; the others have their
 * defaults.
 */
import type { BrokerOptions } from '../options.ts';
import { type Setting, SettingError, SettingSource, SettingType } from './setting.ts';

/** By name: what was set for one topic. */
export type TopicSettings = Readonly<Record<string, string>>;

/** How long and how much a topic keeps; Infinity is all. */
export interface Retention {
  readonly retentionMs: number;
  readonly retentionBytes: number;
}

/** What a topic takes of producers. */
export interface WriteRules {
  /** The largest batch (bytes), as it is sent. */
  readonly maxMessageBytes: number;
  /** Whether records have the time at which the broker got them, and not their producer's. */
  readonly isLogAppendTime: boolean;
}

interface Definition {
  readonly type: number;
  readonly fallback: string;
  readonly documentation: string;
}

interface Changeable extends Definition {
  readonly values: RegExp;
  /** What `values` says, in words. */
  readonly rule: string;
}

const UNLIMITED = '-1';

const LOG_APPEND_TIME = 'LogAppendTime';
const LIMIT = { values: /^(-1|\d{1,15})$/, rule: 'a whole number from -1 (no limit) up' };

function changeableBy(options: BrokerOptions): Readonly<Record<string, Changeable>> {
  return {
    'retention.ms': {
      ...LIMIT,
      type: SettingType.LONG,
      fallback: UNLIMITED,
      documentation: 'A log file whose records are all older goes (ms); -1 keeps them.',
    },
    'retention.bytes': {
      ...LIMIT,
      type: SettingType.LONG,
      fallback: UNLIMITED,
      documentation: 'The oldest log files of a partition go while the others have as much; -1 keeps them.',
    },
    'max.message.bytes': {
      values: /^\d{1,10}$/,
      rule: 'a whole number of bytes',
      type: SettingType.INT,
      fallback: `${options.maxFrameBytes}`,
      documentation: "The largest batch of records (bytes), by default the broker's --max-frame-bytes.",
    },
    'message.timestamp.type': {
      values: /^(Create|LogAppend)Time$/,
      rule: `CreateTime or ${LOG_APPEND_TIME}`,
      type: SettingType.STRING,
      fallback: 'CreateTime',
      documentation: 'Whether records have the time of their producer, or the time when they came.',
    },
  };
}

function fixedBy(options: BrokerOptions): Readonly<Record<string, Definition>> {
  return {
    'compression.type': {
      type: SettingType.STRING,
      fallback: 'producer',
      documentation: 'Batches are kept as they come.',
    },
    'cleanup.policy': {
      type: SettingType.LIST,
      fallback: 'delete',
      documentation: 'Logs are not compacted.',
    },
    'min.insync.replicas': {
      type: SettingType.INT,
      fallback: `${options.minInsyncReplicas}`,
      documentation: "The broker's --min-insync-replicas.",
    },
    'segment.bytes': {
      type: SettingType.INT,
      fallback: `${options.segmentBytes}`,
      documentation: "The broker's --segment-bytes.",
    },
  };
}

/** All settings of a topic for which `settings` were made. */
export function describeTopicSettings(settings: TopicSettings, options: BrokerOptions): Setting[] {
  const own = Object.entries(changeableBy(options)).map(([name, { type, fallback, documentation }]) => ({
    name,
    type,
    documentation,
    value: settings[name] ?? fallback,
    source: name in settings ? SettingSource.TOPIC : SettingSource.DEFAULT,
    isReadOnly: false,
  }));
  const fixed = Object.entries(fixedBy(options)).map(([name, { type, fallback, documentation }]) => ({
    name,
    type,
    documentation,
    value: fallback,
    source: SettingSource.STATIC_BROKER,
    isReadOnly: true,
  }));
  return [...own, ...fixed];
}

/**
 * `settings` with `name` set to `value`, or back to its default for null. Throws a SettingError
 * that names the setting and the rule.
 */
export function withSetting(
  settings: TopicSettings,
  name: string,
  value: string | null,
  options: BrokerOptions,
): TopicSettings {
  const fixed = fixedBy(options);
  if (Object.hasOwn(fixed, name)) {
    const { fallback } = fixed[name];
    if (value === null || value === fallback) return settings;
    throw new SettingError(`${name} is ${fallback} for every topic here, and cannot be ${shown(value)}`);
  }
  const changeable = changeableBy(options);
  if (!Object.hasOwn(changeable, name)) {
    const known = [...Object.keys(changeable), ...Object.keys(fixed)].join(', ');
    throw new SettingError(`${shown(name)} is no setting of a topic here, where there are ${known}`);
  }
  const { [name]: _, ...others } = settings;
  if (value === null) return others;
  const { values, rule } = changeable[name];
  if (!values.test(value)) throw new SettingError(`${name} is ${shown(value)}, where ${rule} is needed`);
  return { ...others, [name]: value };
}

export function retentionOf(settings: TopicSettings): Retention {
  const limit = (name: string): number => {
    const value = settings[name] ?? UNLIMITED;
    return value === UNLIMITED ? Infinity : Number(value);
  };
  return { retentionMs: limit('retention.ms'), retentionBytes: limit('retention.bytes') };
}

export function writeRulesOf(settings: TopicSettings): WriteRules {
  return {
    // A batch without a limit of its topic came in a frame that has one.
    maxMessageBytes: Number(settings['max.message.bytes'] ?? Infinity),
    isLogAppendTime: settings['message.timestamp.type'] === LOG_APPEND_TIME,
  };
}

/** What a client sent, short enough for an answer. */
function shown(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}...` : text);
}
