// `purgatory/bus/redis`: a bus over the pub/sub of Redis or Valkey, with the user's own client.
//
// Ground rules. The user's client publishes. A connection of the bus's own, duplicated from the
// client, subscribes. It never reconnects by itself, so no break goes unnoticed. The duplicate has
// all that a client needs to connect (TLS, passwords, Sentinel). In a cluster a publication reaches
// all nodes, but two publications through different nodes may change order. So one master serves
// both directions, until it is lost.
import { invalidArgType } from '../../base/node-errors.ts';
import { type Bus, type BusOptions, checkedBusOptions, refusal } from '../bus.ts';
import { createBus } from '../hint-bus.ts';
import type { Transport, TransportLink } from '../transport.ts';

/**
 * What the bus needs of a client: a `Redis` or `Cluster` of ioredis or iovalkey, or a connected
 * client or cluster of node-redis.
 */
export interface RedisClient {
  duplicate(...overrides: never[]): unknown;
  publish(channel: string, message: string): Promise<unknown>;
}

/** What the clients of both families have in common. */
interface Client {
  on(event: string, listener: (...values: never[]) => void): unknown;
  publish(channel: string, message: string): Promise<unknown>;
}

interface IoRedis extends Client {
  readonly isCluster?: boolean;
  duplicate(overrides: object): IoRedis;
  nodes(role: 'master'): IoRedis[];
  connect(): Promise<unknown>;
  subscribe(...channels: string[]): Promise<unknown>;
  unsubscribe(...channels: string[]): Promise<unknown>;
  disconnect(): void;
}

interface NodeRedis extends Client {
  readonly options?: { readonly socket?: object };
  duplicate(overrides: object): NodeRedis;
  /** Only a cluster has it. */
  getRandomNode?(): unknown;
  nodeClient?(node: unknown): Promise<NodeRedis>;
  connect(): Promise<unknown>;
  subscribe(channel: string | string[], listener: (message: string) => void): Promise<unknown>;
  unsubscribe(channel: string[]): Promise<unknown>;
  destroy(): void;
  unref(): void;
}

/** The two ends of a connection. */
interface Line {
  /** The client, or a node of its cluster. */
  publisher: Client;
  subscribe(channels: string[]): Promise<unknown> | undefined;
  unsubscribe(channels: string[]): Promise<unknown> | undefined;
  end(): void;
}

/**
 * A bus over Redis. Closing the client stays the user's task. The bus adds one connection of its
 * own.
 *
 * It needs the permissions SUBSCRIBE and PUBLISH on the channel named by `prefix`, and with
 * interest routing UNSUBSCRIBE too, also on the channels below it (`&purgatory &purgatory/*`).
 * Without them the bus is refused and closes.
 *
 * @throws TypeError, RangeError (Node's codes) for a value that is not a client, or a bad option.
 */
export function redisBus(client: RedisClient, options?: BusOptions): Bus {
  if (typeof client?.duplicate !== 'function' || typeof client.publish !== 'function') {
    throw invalidArgType('client', 'a client of ioredis, iovalkey or node-redis', client);
  }
  const { prefix } = checkedBusOptions(options);
  return createBus(redisTransport(client, prefix), options);
}

/** The transport alone: for the conformance suite. */
export function redisTransport(client: RedisClient, channel: string): Transport {
  let line: Line | undefined;
  const name = (bucket: string): string => `${channel}/${bucket}`; // no prefix has a slash
  const ask = async (call: () => Promise<unknown> | undefined): Promise<void> => {
    try {
      await call();
    } catch (error) {
      throw refusedIf(error);
    }
  };
  const publish = (to: string, text: string): Promise<void> =>
    ask(() => (line?.publisher ?? client).publish(to, text));
  return {
    engine: 'redis',
    connect(link) {
      const refusing: TransportLink = { ...link, down: (error) => link.down(refusedIf(error)) };
      line =
        'isCluster' in client
          ? ioLine(client as unknown as IoRedis, channel, refusing)
          : nodeLine(client as unknown as NodeRedis, channel, refusing);
    },
    publish: (text) => publish(channel, text),
    publishTo: (bucket, text) => publish(name(bucket), text),
    subscribe: (buckets) => ask(() => line?.subscribe(buckets.map(name))),
    unsubscribe: (buckets) => ask(() => line?.unsubscribe(buckets.map(name))),
    disconnect() {
      line?.end();
      line = undefined;
      return undefined;
    },
  };
}

/**
 * For ioredis and iovalkey. Their "ready" comes before the SUBSCRIBE is acknowledged, so it says
 * nothing here.
 */
function ioLine(client: IoRedis, channel: string, link: TransportLink): Line {
  const publisher = nodeOf(client);
  const own = publisher.duplicate({
    lazyConnect: true,
    autoResubscribe: false,
    enableReadyCheck: false, // would need the permission for INFO
    retryStrategy: null,
    sentinelRetryStrategy: null,
  });
  let reason: unknown;
  own.on('error', (error: unknown) => {
    reason = error;
  });
  own.on('close', () => link.down(reason ?? new Error('Redis closed the connection')));
  own.on('message', (_channel: string, message: string) => link.received(message));
  const start = async (): Promise<void> => {
    await own.connect();
    await own.subscribe(channel);
    link.up();
  };
  start().catch((error: unknown) => link.down(reason ?? error));
  return {
    publisher,
    subscribe: (channels) => own.subscribe(...channels),
    unsubscribe: (channels) => own.unsubscribe(...channels),
    end: () => own.disconnect(),
  };
}

function nodeOf(client: IoRedis): IoRedis {
  if (client.isCluster !== true) return client;
  const masters = client.nodes('master');
  if (masters.length === 0) throw new Error('No node of the Redis Cluster is known yet');
  return masters[Math.floor(Math.random() * masters.length)];
}

/** For node-redis. */
function nodeLine(client: NodeRedis, channel: string, link: TransportLink): Line {
  let own: NodeRedis | undefined;
  let hasSocket = false;
  let isOver = false;
  const line: Line = {
    publisher: client,
    subscribe: (channels) => own?.subscribe(channels, link.received),
    unsubscribe: (channels) => own?.unsubscribe(channels),
    end: () => {
      isOver = true;
      own?.unref();
      if (hasSocket) own?.destroy();
    },
  };
  const start = async (): Promise<void> => {
    const node = (await client.nodeClient?.(client.getRandomNode?.())) ?? client;
    if (isOver) return;
    line.publisher = node;
    own = node.duplicate({ socket: { ...node.options?.socket, reconnectStrategy: false } });
    own.on('error', (error: unknown) => link.down(error));
    // `destroy` leaves a socket open that is still connecting.
    own.on('connect', () => {
      hasSocket = true;
      if (isOver) own?.destroy();
    });
    await own.connect();
    await own.subscribe(channel, link.received);
    link.up();
  };
  start().catch(link.down);
  return line;
}

function refusedIf(error: unknown): unknown {
  const { message } = error as Partial<Error>;
  if (!message?.startsWith('NOPERM')) return error;
  const rule = 'SUBSCRIBE and PUBLISH on its prefix, and with interest routing below it (prefix/*)';
  return refusal(`Redis does not permit what the bus needs, ${rule}: ${message}`, error);
}
