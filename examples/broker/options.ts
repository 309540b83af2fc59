/**
 * The options. One table has the meaning of each, its default and its bounds. The command line is
 * checked against it before anything is started.
 */
import { isIP } from 'node:net';
import { parseArgs } from 'node:util';
import { MAX_NODES } from './log/producer-ids.ts';

/**
 * A whole number from `min` to `max`; where one depends on other options, these come before it in
 * the table.
 */
interface Rule {
  readonly fallback: number;
  readonly min: Bound;
  readonly max: Bound;
}
type Bound = number | ((chosen: Record<string, number>) => number);

const KIB = 1024;
const MIB = 1024 * KIB;
const INT32 = 2 ** 31 - 1;
const ANY = Number.MAX_SAFE_INTEGER;

/** On the command line `maxFrameBytes` is `--max-frame-bytes`. */
const integers = {
  nodes: rule(1, 1, MAX_NODES),
  /**
   * The port of the Kafka protocol; 0 is any free one. The nodes of a cluster have to know each
   * other's before any is started.
   */
  port: rule(
    9092,
    ({ nodes }) => (nodes === 1 ? 0 : 1),
    ({ nodes }) => 65_536 - nodes,
  ),
  /** The port of the status page; 0 is any free one. */
  http: rule(8090, 0, 65_535),
  /** A follower that has not caught up for so long (ms) is not in sync. */
  replicaLagMs: rule(10_000, 100, INT32),
  /** With fewer replicas in sync, acks=all is refused. */
  minInsyncReplicas: rule(1, 1, ({ nodes }) => Math.min(3, nodes)),
  /** How many partitions a topic gets that is created without a number. */
  partitions: rule(3, 1, 1000),
  /** A request over this size ends its connection. */
  maxFrameBytes: rule(100 * MIB, KIB, INT32),
  /** A log file that would be over this size is followed by the next one. */
  segmentBytes: rule(64 * MIB, KIB, INT32),
  /**
   * Flush after so many records; 0 with `flushMs` 0, the default, has producers wait for a flush.
   */
  flushMessages: rule(0, 0, INT32),
  /** Flush so many ms after an append. */
  flushMs: rule(0, 0, INT32),
  /** All requests in memory together; over it, the connection that holds most of them ends. */
  maxRequestBytes: rule(KIB * MIB, KIB, ANY),
  /**
   * All answers in memory that clients have not taken. Over it, nothing more is read, and connections
   * that take nothing end.
   */
  maxAnswerBytes: rule(256 * MIB, KIB, ANY),
  maxConnections: rule(10_000, 1, 1_000_000),
  /**
   * A connection that waits for nothing ends after this time without a whole request (ms): Kafka's
   * connections.max.idle.ms.
   */
  connectionsMaxIdleMs: rule(600_000, 1, ANY),
  /** The most fetches that wait, produces that wait, and members of groups: this many of each. */
  maxParked: rule(1_000_000, 1, ANY),
  /** The most partitions of all topics together. */
  maxPartitions: rule(10_000, 1, 1_000_000),
  /** All logs together: one batch more is refused. */
  maxLogBytes: rule(64 * KIB * MIB, KIB, ANY),
  /**
   * The space that is left free on the disk. With less, records are refused, and commits go on. 0
   * checks nothing.
   */
  minFreeBytes: rule(16 * MIB, 0, ANY),
  /**
   * How often topics with `retention.ms` or `retention.bytes` are looked at (ms): Kafka's
   * log.retention.check.interval.ms.
   */
  logRetentionCheckIntervalMs: rule(300_000, 1, INT32),
  /** The most log files that are open at a time; the others are opened when they are needed. */
  maxOpenFiles: rule(1000, 1, INT32),
  /**
   * The most idempotent producers that are known, in all partitions together: one counts in each
   * that it writes to.
   */
  maxProducers: rule(100_000, 1, ANY),
  /** For how long one is known that does not write (ms): Kafka's producer.id.expiration.ms. */
  producerIdExpirationMs: rule(24 * 60 * 60_000, 1, ANY),
  /**
   * The most groups that have members, and the most that have committed something: of each so many.
   */
  maxGroups: rule(10_000, 1, ANY),
  /** The most members of one group: Kafka's group.max.size, which is unlimited there. */
  groupMaxSize: rule(10_000, 1, INT32),
  /** All that groups keep, members and commits together. */
  maxGroupBytes: rule(256 * MIB, KIB, ANY),
  /** Of one commit: Kafka's offset.metadata.max.bytes. */
  offsetMetadataMaxBytes: rule(4096, 0, 32_767),
  /**
   * For how long a group that has no members keeps what it has committed: Kafka's
   * offsets.retention.minutes.
   */
  offsetsRetentionMinutes: rule(7 * 24 * 60, 1, INT32),
  /**
   * The bounds of what members may ask for (ms): Kafka's group.min.session.timeout.ms and
   * group.max.session.timeout.ms.
   */
  groupMinSessionTimeoutMs: rule(1000, 1, ANY),
  groupMaxSessionTimeoutMs: rule(
    30 * 60_000,
    ({ groupMinSessionTimeoutMs }) => groupMinSessionTimeoutMs,
    ANY,
  ),
  /**
   * How long a group's first join waits for further members (ms): Kafka's
   * group.initial.rebalance.delay.ms.
   */
  groupInitialRebalanceMs: rule(0, 0, ANY),
};

export type BrokerOptions = { readonly [Name in keyof typeof integers]: number } & {
  /** The host that clients connect to. The broker listens on 127.0.0.1 in any case. */
  readonly advertisedHost: string;
  /** The one folder that the broker may write in. */
  readonly data: string;
  /** Whether a start keeps copies of damaged files and goes on. Otherwise it fails. */
  readonly recover: boolean;
  /** The number of this node, from 0. Undefined: the process starts all nodes. */
  readonly node: number | undefined;
};

type IntegerOptions = { [Name in keyof typeof integers]: number };

const defaultIntegers = Object.fromEntries(
  Object.entries(integers).map(([name, { fallback }]) => [name, fallback]),
) as IntegerOptions;

export const defaultOptions: BrokerOptions = {
  ...defaultIntegers,
  advertisedHost: '127.0.0.1',
  data: './data',
  recover: false,
  node: undefined,
};

const names = Object.keys(defaultOptions) as (keyof BrokerOptions)[];

/** Throws a RangeError or TypeError that names the option, its value and the rule. */
export function parseOptions(args: readonly string[]): BrokerOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...Object.fromEntries(names.map((name) => [flagOf(name), { type: 'string' }] as const)),
      recover: { type: 'boolean', default: false },
    },
  });
  const textOf = (name: keyof BrokerOptions) =>
    (values as Record<string, unknown>)[flagOf(name)] as string | undefined;
  const chosen: IntegerOptions = { ...defaultIntegers };
  for (const [name, bounds] of Object.entries(integers) as [keyof IntegerOptions, Rule][]) {
    const min = boundOf(bounds.min, chosen);
    const max = boundOf(bounds.max, chosen);
    chosen[name] = checkedInteger(name, textOf(name) ?? String(Math.max(min, bounds.fallback)), min, max);
  }
  const node = textOf('node');
  return {
    ...chosen,
    advertisedHost: checkedHost(textOf('advertisedHost') ?? defaultOptions.advertisedHost),
    data: textOf('data') ?? defaultOptions.data,
    recover: values.recover,
    node: node === undefined ? undefined : checkedInteger('node', node, 0, chosen.nodes - 1),
  };
}

/** What `parse` makes of the command line. What it refuses is printed, and ends the program with 2. */
export function parsedOrEnd<Options>(parse: (args: readonly string[]) => Options): Options {
  try {
    return parse(process.argv.slice(2));
  } catch (error) {
    console.error(`${(error as Error).message} (--help lists what there is)`);
    process.exit(2);
  }
}

function rule(fallback: number, min: Bound, max: Bound): Rule {
  return { fallback, min, max };
}

function boundOf(bound: Bound, chosen: IntegerOptions): number {
  return typeof bound === 'number' ? bound : bound(chosen);
}

function flagOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Throws a RangeError that names the option, its value and the rule. */
export function checkedInteger(name: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw new RangeError(
    `--${flagOf(name)} is ${JSON.stringify(text)}, where a whole number from ${min} to ${max} is needed`,
  );
}

/**
 * Clients get it as it is, so it must be a name or an address and nothing more: no port, no scheme.
 */
function checkedHost(host: string): string {
  if (isIP(host) !== 0 || /^[a-z\d]([a-z\d._-]{0,252})$/i.test(host)) return host;
  throw new RangeError(
    `--advertised-host is ${JSON.stringify(host)}, where a host name or an IP address is needed`,
  );
}
