/** The command line: options with their defaults, checked before anything is started. */
import { isIP } from 'node:net';
import { parseArgs } from 'node:util';
import { MAX_NODES } from './log/producer-ids.ts';

export interface BrokerOptions {
  /** The port of the Kafka protocol; 0 is any free one. */
  readonly port: number;
  /** The host that clients are told to connect to; the broker listens on 127.0.0.1 whatever it says. */
  readonly advertisedHost: string;
  /** The port of the status page; 0 is any free one. */
  readonly http: number;
  /** The one folder that the broker may write in. */
  readonly data: string;
  readonly nodes: number;
  /** Which of the nodes this one is, 0 the first; undefined has the process start them all. */
  readonly node: number | undefined;
  /** A follower that has not caught up for so long (ms) is not in sync. */
  readonly replicaLagMs: number;
  /** With fewer replicas in sync, acks=all is refused. */
  readonly minInsyncReplicas: number;
  /** How many partitions a topic gets that is created without a number. */
  readonly partitions: number;
  /** A request over this size ends its connection. */
  readonly maxFrameBytes: number;
  /** A log file that would be over this size is followed by the next one. */
  readonly segmentBytes: number;
  /** Flush after so many records; 0 with `flushMs` 0, the default, has acks=all wait for a flush. */
  readonly flushMessages: number;
  /** Flush so many ms after an append. */
  readonly flushMs: number;
  /** All requests in memory together; over it, the connection that holds most of them ends. */
  readonly maxRequestBytes: number;
  readonly maxConnections: number;
  /** After how long without a whole request a connection ends that waits for nothing (ms): Kafka's connections.max.idle.ms. */
  readonly connectionsMaxIdleMs: number;
  /** The most fetches that wait, produces that wait, and members of groups: of each so many. */
  readonly maxParked: number;
  /** The bounds of what members may ask for (ms): Kafka's group.min.session.timeout.ms and group.max.session.timeout.ms. */
  readonly groupMinSessionTimeoutMs: number;
  readonly groupMaxSessionTimeoutMs: number;
  /** How long a group's first join waits for further members (ms): Kafka's group.initial.rebalance.delay.ms. */
  readonly groupInitialRebalanceMs: number;
  /** The most partitions of all topics together. */
  readonly maxPartitions: number;
}

const MAX_INTEGER = Number.MAX_SAFE_INTEGER;

export const defaultOptions: BrokerOptions = {
  port: 9092,
  advertisedHost: '127.0.0.1',
  http: 8080,
  data: './data',
  nodes: 1,
  node: undefined,
  replicaLagMs: 10_000,
  minInsyncReplicas: 1,
  partitions: 3,
  maxFrameBytes: 100 * 1024 * 1024,
  segmentBytes: 64 * 1024 * 1024,
  flushMessages: 0,
  flushMs: 0,
  maxRequestBytes: 1024 * 1024 * 1024,
  maxConnections: 10_000,
  connectionsMaxIdleMs: 600_000,
  maxParked: 1_000_000,
  maxPartitions: 10_000,
  groupMinSessionTimeoutMs: 1000,
  groupMaxSessionTimeoutMs: 30 * 60 * 1000,
  groupInitialRebalanceMs: 0,
};

/** Throws a RangeError or TypeError that names the option, its value and the rule. */
export function parseOptions(args: readonly string[]): BrokerOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      port: { type: 'string' },
      'advertised-host': { type: 'string' },
      http: { type: 'string' },
      data: { type: 'string' },
      nodes: { type: 'string' },
      node: { type: 'string' },
      'replica-lag-ms': { type: 'string' },
      'min-insync-replicas': { type: 'string' },
      partitions: { type: 'string' },
      'max-frame-bytes': { type: 'string' },
      'segment-bytes': { type: 'string' },
      'flush-messages': { type: 'string' },
      'flush-ms': { type: 'string' },
      'max-request-bytes': { type: 'string' },
      'max-connections': { type: 'string' },
      'connections-max-idle-ms': { type: 'string' },
      'max-parked': { type: 'string' },
      'max-partitions': { type: 'string' },
      'group-min-session-timeout-ms': { type: 'string' },
      'group-max-session-timeout-ms': { type: 'string' },
      'group-initial-rebalance-ms': { type: 'string' },
    },
  });
  const integer = (
    name: Exclude<keyof typeof values, 'data' | 'advertised-host'>,
    fallback: number,
    min: number,
    max: number,
  ): number => {
    const text = values[name] ?? String(fallback);
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw new RangeError(
      `--${name} is ${JSON.stringify(text)}, where a whole number from ${min} to ${max} is needed`,
    );
  };
  const minSession = integer(
    'group-min-session-timeout-ms',
    defaultOptions.groupMinSessionTimeoutMs,
    1,
    MAX_INTEGER,
  );
  const nodes = integer('nodes', defaultOptions.nodes, 1, MAX_NODES);
  // The nodes have to know each other's ports before any of them is started.
  const [minPort, maxPort] = nodes === 1 ? [0, 65_535] : [1, 65_536 - nodes];
  return {
    port: integer('port', defaultOptions.port, minPort, maxPort),
    advertisedHost: checkedHost(values['advertised-host'] ?? defaultOptions.advertisedHost),
    http: integer('http', defaultOptions.http, 0, 65_535),
    data: values.data ?? defaultOptions.data,
    nodes,
    node: values.node === undefined ? undefined : integer('node', 0, 0, nodes - 1),
    replicaLagMs: integer('replica-lag-ms', defaultOptions.replicaLagMs, 100, 2 ** 31 - 1),
    minInsyncReplicas: integer(
      'min-insync-replicas',
      defaultOptions.minInsyncReplicas,
      1,
      Math.min(3, nodes),
    ),
    partitions: integer('partitions', defaultOptions.partitions, 1, 1000),
    maxFrameBytes: integer('max-frame-bytes', defaultOptions.maxFrameBytes, 1024, 2 ** 31 - 1),
    segmentBytes: integer('segment-bytes', defaultOptions.segmentBytes, 1024, 2 ** 31 - 1),
    flushMessages: integer('flush-messages', defaultOptions.flushMessages, 0, 2 ** 31 - 1),
    flushMs: integer('flush-ms', defaultOptions.flushMs, 0, 2 ** 31 - 1),
    maxRequestBytes: integer('max-request-bytes', defaultOptions.maxRequestBytes, 1024, MAX_INTEGER),
    maxConnections: integer('max-connections', defaultOptions.maxConnections, 1, 1_000_000),
    connectionsMaxIdleMs: integer(
      'connections-max-idle-ms',
      defaultOptions.connectionsMaxIdleMs,
      1,
      MAX_INTEGER,
    ),
    maxParked: integer('max-parked', defaultOptions.maxParked, 1, MAX_INTEGER),
    maxPartitions: integer('max-partitions', defaultOptions.maxPartitions, 1, 1_000_000),
    groupMinSessionTimeoutMs: minSession,
    groupMaxSessionTimeoutMs: integer(
      'group-max-session-timeout-ms',
      Math.max(defaultOptions.groupMaxSessionTimeoutMs, minSession),
      minSession,
      MAX_INTEGER,
    ),
    groupInitialRebalanceMs: integer(
      'group-initial-rebalance-ms',
      defaultOptions.groupInitialRebalanceMs,
      0,
      MAX_INTEGER,
    ),
  };
}

/** Clients get it as it is, so it must be a name or an address and nothing more: no port, no scheme. */
function checkedHost(host: string): string {
  if (isIP(host) !== 0 || /^[a-z\d]([a-z\d._-]{0,252})$/i.test(host)) return host;
  throw new RangeError(
    `--advertised-host is ${JSON.stringify(host)}, where a host name or an IP address is needed`,
  );
}
