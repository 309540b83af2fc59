/**
 * The settings of a topic: those that can be changed, and some that say how the broker treats every
 * topic. One that is not in the table is refused by its name, and one that is fixed may only be set
 * to what the broker does anyway.
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
  /** With fewer in sync, the leader among them, acks=all is refused. */
  readonly minInsyncReplicas: number;
}

/** When a log file is followed by the next one. */
export interface RollRules {
  /** It would be over this size (bytes). */
  readonly segmentBytes: number;
  /** A batch comes that is later than the file's first one by more than this (ms). */
  readonly segmentMs: number;
}

interface Definition {
  readonly type: number;
  readonly fallback: string;
  readonly documentation: string;
}

interface Changeable extends Definition {
  readonly isLegal: (text: string) => boolean;
  /** What `isLegal` says, in words. */
  readonly rule: string;
}

interface Fixed extends Definition {
  /** Whether a value asks for what the broker does anyway; by default only `fallback` does. */
  readonly isTheSame?: (text: string, options: BrokerOptions) => boolean;
}

const { BOOLEAN, STRING, INT, LONG, DOUBLE, LIST } = SettingType;

const UNLIMITED = '-1';
/** Kafka's word for never, in a setting that has no other: the largest number of 64 bits. */
const NEVER = '9223372036854775807';
const INT32 = 2 ** 31 - 1;

const LOG_APPEND_TIME = 'LogAppendTime';

const whole = (min: number, max: number, rule = `a whole number from ${min} to ${max}`) => ({
  isLegal: (text: string) => /^-?\d{1,19}$/.test(text) && Number(text) >= min && Number(text) <= max,
  rule,
});
const LIMIT = whole(-1, Number(NEVER), 'a whole number from -1 (no limit) up');

function changeableBy(options: BrokerOptions): Readonly<Record<string, Changeable>> {
  return {
    'retention.ms': {
      ...LIMIT,
      type: LONG,
      fallback: UNLIMITED,
      documentation: 'A log file whose records are all older goes (ms); -1 keeps them.',
    },
    'retention.bytes': {
      ...LIMIT,
      type: LONG,
      fallback: UNLIMITED,
      documentation: 'The oldest log files of a partition go while the others have as much; -1 keeps them.',
    },
    'max.message.bytes': {
      ...whole(0, INT32, 'a whole number of bytes'),
      type: INT,
      fallback: `${options.maxFrameBytes}`,
      documentation: "The largest batch of records (bytes), by default the broker's --max-frame-bytes.",
    },
    'message.timestamp.type': {
      isLegal: (text) => /^(Create|LogAppend)Time$/.test(text),
      rule: `CreateTime or ${LOG_APPEND_TIME}`,
      type: STRING,
      fallback: 'CreateTime',
      documentation: 'Whether records have the time of their producer, or the time when they came.',
    },
    'min.insync.replicas': {
      ...whole(1, INT32),
      type: INT,
      fallback: `${options.minInsyncReplicas}`,
      documentation:
        "With fewer replicas in sync acks=all is refused, by default the broker's --min-insync-replicas.",
    },
    'segment.bytes': {
      ...whole(1024, INT32),
      type: INT,
      fallback: `${options.segmentBytes}`,
      documentation:
        "A log file that would be larger is followed by the next one (bytes), by default the broker's --segment-bytes.",
    },
    'segment.ms': {
      ...whole(1, Number(NEVER), 'a whole number of ms from 1 up'),
      type: LONG,
      fallback: NEVER,
      documentation: 'A log file is followed by the next one when its records span more than this (ms).',
    },
  };
}

const isNumber = (text: string) => /^-?\d+(\.\d+)?$/.test(text);
const fixed = (
  type: number,
  fallback: string,
  documentation: string,
  isTheSame?: Fixed['isTheSame'],
): Fixed => ({ type, fallback, documentation, isTheSame });
/** Where whatever is asked for changes nothing. */
const idle = (type: number, fallback: string, documentation: string) =>
  fixed(type, fallback, documentation, isNumber);
const flushed = (what: string) =>
  fixed(
    LONG,
    NEVER,
    `Flushes go by the broker's --flush-ms and --flush-messages, whatever ${what}.`,
    // By default, records are on the disk before they are acknowledged.
    (text, { flushMs, flushMessages }) =>
      text === NEVER || (isNumber(text) && flushMs === 0 && flushMessages <= 1),
  );
const ANY_TIME = fixed(LONG, NEVER, 'Records may be of any time.');

const FIXED: Readonly<Record<string, Fixed>> = {
  'flush.ms': flushed('the time'),
  'flush.messages': flushed('their number'),
  'delete.retention.ms': idle(LONG, '86400000', 'Logs are not compacted.'),
  'min.cleanable.dirty.ratio': idle(DOUBLE, '0.5', 'Logs are not compacted.'),
  'index.interval.bytes': idle(INT, '4096', 'The index is in memory.'),
  'segment.index.bytes': idle(INT, '10485760', 'The index is in memory.'),
  'file.delete.delay.ms': idle(LONG, '60000', 'Files that are deleted are gone at once.'),
  'local.retention.ms': idle(LONG, '-2', 'All records are local.'),
  'local.retention.bytes': idle(LONG, '-2', 'All records are local.'),
  'segment.jitter.ms': fixed(LONG, '0', 'Log files are followed by the next ones on time.'),
  'message.timestamp.before.max.ms': ANY_TIME,
  'message.timestamp.after.max.ms': ANY_TIME,
  'message.timestamp.difference.max.ms': ANY_TIME,
  'compression.type': fixed(STRING, 'producer', 'Batches are kept as they come.'),
  'cleanup.policy': fixed(LIST, 'delete', 'Logs are not compacted.'),
  // All of these have records of magic 2.
  'message.format.version': fixed(
    STRING,
    '3.0-IV1',
    'Records have the format of Kafka 0.11 and later.',
    (text) => /^(0\.11|[1-9]\d*\.\d+)(\.\d+)*(-IV\d+)?$/.test(text),
  ),
  preallocate: fixed(BOOLEAN, 'false', 'Log files grow as records come.'),
  'remote.storage.enable': fixed(BOOLEAN, 'false', "All records are on the node's own disk."),
  'unclean.leader.election.enable': fixed(BOOLEAN, 'false', 'No leader is elected.'),
};

/** All settings of a topic for which `settings` were made. */
export function describeTopicSettings(settings: TopicSettings, options: BrokerOptions): Setting[] {
  const described = (table: Readonly<Record<string, Definition>>, isReadOnly: boolean) =>
    Object.entries(table).map(([name, { type, fallback, documentation }]) => ({
      name,
      type,
      documentation,
      value: settings[name] ?? fallback,
      source: name in settings ? SettingSource.TOPIC : SettingSource.DEFAULT,
      isReadOnly,
    }));
  return [...described(changeableBy(options), false), ...described(FIXED, true)];
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
  if (Object.hasOwn(FIXED, name)) {
    const { fallback, isTheSame = (text: string) => text === fallback } = FIXED[name];
    if (value === null || isTheSame(value, options)) return settings;
    throw new SettingError(`${name} is ${fallback} for every topic here, and cannot be ${shown(value)}`);
  }
  const changeable = changeableBy(options);
  if (!Object.hasOwn(changeable, name)) {
    const known = [...Object.keys(changeable), ...Object.keys(FIXED)].join(', ');
    throw new SettingError(`${shown(name)} is no setting of a topic here, where there are ${known}`);
  }
  const { [name]: _, ...others } = settings;
  if (value === null) return others;
  const { isLegal, rule } = changeable[name];
  if (!isLegal(value)) throw new SettingError(`${name} is ${shown(value)}, where ${rule} is needed`);
  return { ...others, [name]: value };
}

export function retentionOf(settings: TopicSettings): Retention {
  const limit = (name: string): number => {
    const value = settings[name] ?? UNLIMITED;
    return value === UNLIMITED ? Infinity : Number(value);
  };
  return { retentionMs: limit('retention.ms'), retentionBytes: limit('retention.bytes') };
}

export function writeRulesOf(settings: TopicSettings, options: BrokerOptions): WriteRules {
  return {
    // A batch without a limit of its topic came in a frame that has one.
    maxMessageBytes: Number(settings['max.message.bytes'] ?? Infinity),
    isLogAppendTime: settings['message.timestamp.type'] === LOG_APPEND_TIME,
    minInsyncReplicas: Number(settings['min.insync.replicas'] ?? options.minInsyncReplicas),
  };
}

export function rollRulesOf(settings: TopicSettings, options: BrokerOptions): RollRules {
  return {
    segmentBytes: Number(settings['segment.bytes'] ?? options.segmentBytes),
    segmentMs: Number(settings['segment.ms'] ?? Infinity),
  };
}

/** What a client sent, short enough for an answer. */
function shown(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}...` : text);
}
