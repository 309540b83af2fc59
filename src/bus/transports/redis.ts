// `purgatory/bus/redis`: a bus over the pub/sub of Redis or Valkey, with the user's own client.
//
// Ground rules. The user's client publishes. A connection of the bus's own, duplicated from the
// client, subscribes. It never reconnects by itself, so no break goes unnoticed. The duplicate has
// all that a client needs to connect (TLS, passwords, Sentinel). A client that did not answer may
// be half open, and its kernel may go on for minutes. Then a second duplicate publishes, until the
// connection breaks again. In a cluster a publication reaches all nodes, but two publications
// through different nodes may change order. So one master serves both directions.
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
  /** The client or a node of its cluster, or a duplicate of that. */
  publisher: Client;
  subscribe(channels: string[]): Promise<unknown> | undefined;
  unsubscribe(channels: string[]): Promise<unknown> | undefined;
  end(): void;
}

/**
 * A bus over Redis. Closing the client stays the user's task. The bus adds one connection of its
 * own, and a second one while the client does not answer.
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
export function redisTransport(client: RedisClient, prefix: string): Transport {
  let line: Line | undefined;
  /** The last text was not answered. */
  let isUnanswered = false;
  const name = (channel: string): string => `${prefix}/${channel}`; // no prefix has a slash
  const ask = async (call: () => Promise<unknown> | undefined): Promise<void> => {
    try {
      await call();
    } catch (error) {
      throw refusedIf(error);
    }
  };
  const publish = async (to: string, text: string): Promise<void> => {
    isUnanswered = true;
    await ask(() => (line?.publisher ?? client).publish(to, text));
    isUnanswered = false;
  };
  return {
    engine: 'redis',
    connect(link) {
      const refusing: TransportLink = { ...link, down: (error) => link.down(refusedIf(error)) };
      line =
        'isCluster' in client
          ? ioLine(client as unknown as IoRedis, prefix, refusing, isUnanswered)
          : nodeLine(client as unknown as NodeRedis, prefix, refusing, isUnanswered);
    },
    publish: (text) => publish(prefix, text),
    publishTo: (channel, text) => publish(name(channel), text),
    subscribe: (channels) => ask(() => line?.subscribe(channels.map(name))),
    unsubscribe: (channels) => ask(() => line?.unsubscribe(channels.map(name))),
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
 *
 * @param publishes whether a duplicate publishes, too.
 */
function ioLine(client: IoRedis, channel: string, link: TransportLink, publishes: boolean): Line {
  const node = nodeOf(client);
  const own = [node, ...(publishes ? [node] : [])].map((each) => ioDuplicate(each, link));
  const [subscriber, publisher = node] = own;
  subscriber.on('message', (_channel: string, message: string) => link.received(message));
  const start = async (): Promise<void> => {
    await Promise.all(own.map((each) => each.connect()));
    await subscriber.subscribe(channel);
    link.up();
  };
  start().catch(link.down);
  return {
    publisher,
    subscribe: (channels) => subscriber.subscribe(...channels),
    unsubscribe: (channels) => subscriber.unsubscribe(...channels),
    end: () => {
      for (const each of own) each.disconnect();
    },
  };
}

function ioDuplicate(node: IoRedis, link: TransportLink): IoRedis {
  const own = node.duplicate({
    lazyConnect: true,
    autoResubscribe: false,
    enableReadyCheck: false, // would need the permission for INFO
    retryStrategy: null,
    sentinelRetryStrategy: null,
  });
  own.on('error', link.down);
  own.on('close', () => link.down(new Error('Redis closed the connection')));
  return own;
}

function nodeOf(client: IoRedis): IoRedis {
  if (client.isCluster !== true) return client;
  const masters = client.nodes('master');
  if (masters.length === 0) throw new Error('No node of the Redis Cluster is known yet');
  return masters[Math.floor(Math.random() * masters.length)];
}

/** For node-redis. @param publishes whether a duplicate publishes, too. */
function nodeLine(client: NodeRedis, channel: string, link: TransportLink, publishes: boolean): Line {
  const own: NodeDuplicate[] = [];
  let isOver = false;
  const line: Line = {
    publisher: client,
    subscribe: (channels) => own[0]?.client.subscribe(channels, link.received),
    unsubscribe: (channels) => own[0]?.client.unsubscribe(channels),
    end: () => {
      isOver = true;
      for (const each of own) each.end();
    },
  };
  const start = async (): Promise<void> => {
    const node = (await client.nodeClient?.(client.getRandomNode?.())) ?? client;
    if (isOver) return;
    own.push(nodeDuplicate(node, link));
    if (publishes) own.push(nodeDuplicate(node, link));
    line.publisher = own[1]?.client ?? node;
    await Promise.all(own.map((each) => each.client.connect()));
    await own[0].client.subscribe(channel, link.received);
    link.up();
  };
  start().catch(link.down);
  return line;
}

interface NodeDuplicate {
  readonly client: NodeRedis;
  end(): void;
}

function nodeDuplicate(node: NodeRedis, link: TransportLink): NodeDuplicate {
  const client = node.duplicate({ socket: { ...node.options?.socket, reconnectStrategy: false } });
  let hasSocket = false;
  let isOver = false;
  client.on('error', link.down);
  // `destroy` leaves a socket open that is still connecting.
  client.on('connect', () => {
    hasSocket = true;
    if (isOver) client.destroy();
  });
  const end = (): void => {
    isOver = true;
    client.unref();
    if (hasSocket) client.destroy();
  };
  return { client, end };
}

function refusedIf(error: unknown): unknown {
  const { message } = error as Partial<Error>;
  if (!message?.startsWith('NOPERM')) return error;
  const rule = 'SUBSCRIBE and PUBLISH on its prefix, and with interest routing below it (prefix/*)';
  return refusal(`Redis does not permit what the bus needs, ${rule}: ${message}`, error);
}
