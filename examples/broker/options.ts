/** The command line: options with their defaults, checked before anything is started. */
import { parseArgs } from 'node:util';

export interface BrokerOptions {
  /** The port of the Kafka protocol; 0 is any free one. */
  readonly port: number;
  /** The port of the status page; 0 is any free one. */
  readonly http: number;
  /** The one folder that the broker may write in. */
  readonly data: string;
  readonly nodes: number;
  /** How many partitions a topic gets that is created without a number. */
  readonly partitions: number;
  /** A request over this size ends its connection. */
  readonly maxFrameBytes: number;
  /** All requests in memory together; over it, the connection that holds most of them ends. */
  readonly maxRequestBytes: number;
  readonly maxConnections: number;
  /** After how long without a whole request a connection ends that waits for nothing (ms): Kafka's connections.max.idle.ms. */
  readonly connectionsMaxIdleMs: number;
  /** The most fetches that wait, produces that wait, and members of groups: of each so many. */
  readonly maxParked: number;
  /** The most partitions of all topics together. */
  readonly maxPartitions: number;
}

const MAX_INTEGER = Number.MAX_SAFE_INTEGER;

export const defaultOptions: BrokerOptions = {
  port: 9092,
  http: 8080,
  data: './data',
  nodes: 1,
  partitions: 3,
  maxFrameBytes: 100 * 1024 * 1024,
  maxRequestBytes: 1024 * 1024 * 1024,
  maxConnections: 10_000,
  connectionsMaxIdleMs: 600_000,
  maxParked: 1_000_000,
  maxPartitions: 10_000,
};

/** Throws a RangeError or TypeError that names the option, its value and the rule. */
export function parseOptions(args: readonly string[]): BrokerOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      port: { type: 'string' },
      http: { type: 'string' },
      data: { type: 'string' },
      nodes: { type: 'string' },
      partitions: { type: 'string' },
      'max-frame-bytes': { type: 'string' },
      'max-request-bytes': { type: 'string' },
      'max-connections': { type: 'string' },
      'connections-max-idle-ms': { type: 'string' },
      'max-parked': { type: 'string' },
      'max-partitions': { type: 'string' },
    },
  });
  const integer = (
    name: Exclude<keyof typeof values, 'data'>,
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
  return {
    port: integer('port', defaultOptions.port, 0, 65_535),
    http: integer('http', defaultOptions.http, 0, 65_535),
    data: values.data ?? defaultOptions.data,
    nodes: integer('nodes', defaultOptions.nodes, 1, 1),
    partitions: integer('partitions', defaultOptions.partitions, 1, 1000),
    maxFrameBytes: integer('max-frame-bytes', defaultOptions.maxFrameBytes, 1024, 2 ** 31 - 1),
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
  };
}
