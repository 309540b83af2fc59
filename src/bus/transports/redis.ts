// `purgatory/bus/redis`: a bus over the pub/sub of Redis or Valkey, with the user's own client.
//
// Ground rules. The user's client publishes. A connection of the bus's own, duplicated from the
// client, subscribes. It never reconnects by itself, so no break goes unnoticed. The duplicate has
// all that a client needs to connect (TLS, passwords, Sentinel). A client that did not answer may
// be half open, and its kernel may go on for minutes. Then a second duplicate publishes, until the
// connection breaks again. In a cluster a publication reaches all nodes, but two publications
// through different nodes may change order. So one master serves both directions.
import { invalidArgType } from '../../base/node-errors.ts';
import { createBus } from '../bus.ts';
import { type Bus, type BusOptions, checkedBusOptions, refusal } from '../bus-options.ts';
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
  connect(): Promise<unknown>;
}

interface IoRedis extends Client {
  readonly isCluster: boolean;
  duplicate(overrides: object): IoRedis;
  /** Only a cluster has it. */
  nodes(role: 'master'): IoRedis[];
  subscribe(...channels: string[]): Promise<unknown>;
  unsubscribe(...channels: string[]): Promise<unknown>;
  disconnect(): void;
}

interface NodeRedis extends Client {
  readonly options?: { readonly socket?: object };
  duplicate(overrides: object): NodeRedis;
  /** Only a cluster has it, and the next one. */
  getRandomNode?(): unknown;
  nodeClient?(node: unknown): Promise<NodeRedis>;
  subscribe(channels: string[], listener: (message: string) => void): Promise<unknown>;
  unsubscribe(channels: string[]): Promise<unknown>;
  destroy(): void;
  unref(): void;
}

type AnyRedis = IoRedis | NodeRedis;

/** A connection of the bus's own. */
interface Own {
  readonly client: Client;
  subscribe(channels: string[]): Promise<unknown>;
  unsubscribe(channels: string[]): Promise<unknown>;
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
  /** The first one subscribes. A second one publishes. */
  let own: Own[] = [];
  /** The client or a node of its cluster, or the second duplicate of that. */
  let publisher: Pick<Client, 'publish'> = client;
  let attempts = 0;
  /** The last text was not answered. */
  let isUnanswered = false;
  const name = (channel: string): string => `${prefix}/${channel}`; // no prefix has a slash
  const start = async (link: TransportLink, attempt: number): Promise<void> => {
    const node = await nodeOf(client as unknown as AnyRedis);
    if (attempt !== attempts) return;
    own = [ownOf(node, link)];
    if (isUnanswered) own.push(ownOf(node, link));
    publisher = own[1]?.client ?? node;
    await Promise.all(own.map((each) => each.client.connect()));
    await own[0].subscribe([prefix]);
    link.up();
  };
  const ask = async (call: () => Promise<unknown> | undefined): Promise<void> => {
    try {
      await call();
    } catch (error) {
      throw refusedIf(error);
    }
  };
  const publish = async (to: string, text: string): Promise<void> => {
    isUnanswered = true;
    await ask(() => publisher.publish(to, text));
    isUnanswered = false;
  };
  return {
    engine: 'redis',
    connect(link) {
      const refusing: TransportLink = { ...link, down: (error) => link.down(refusedIf(error)) };
      start(refusing, ++attempts).catch(refusing.down);
    },
    publish: (text) => publish(prefix, text),
    publishTo: (channel, text) => publish(name(channel), text),
    subscribe: (channels) => ask(() => own[0].subscribe(channels.map(name))),
    unsubscribe: (channels) => ask(() => own[0].unsubscribe(channels.map(name))),
    disconnect() {
      attempts++;
      for (const each of own) each.end();
      own = [];
      return undefined;
    },
  };
}

/** The client, or one master of its cluster. */
async function nodeOf(client: AnyRedis): Promise<AnyRedis> {
  if (!isIo(client)) return (await client.nodeClient?.(client.getRandomNode?.())) ?? client;
  if (!client.isCluster) return client;
  const masters = client.nodes('master');
  if (masters.length === 0) throw new Error('No node of the Redis Cluster is known yet');
  return masters[Math.floor(Math.random() * masters.length)];
}

function isIo(client: AnyRedis): client is IoRedis {
  return 'isCluster' in client;
}

function ownOf(node: AnyRedis, link: TransportLink): Own {
  return isIo(node) ? ioOwn(node, link) : nodeOwn(node, link);
}

/** For ioredis and iovalkey. Their "ready" comes before a SUBSCRIBE is acknowledged: it says nothing. */
function ioOwn(node: IoRedis, link: TransportLink): Own {
  const client = node.duplicate({
    lazyConnect: true,
    autoResubscribe: false,
    enableReadyCheck: false, // would need the permission for INFO
    retryStrategy: null,
    sentinelRetryStrategy: null,
  });
  const errors: unknown[] = []; // not all of them end the connection
  client.on('error', (error: unknown) => errors.push(error));
  client.on('close', () => link.down(errors.at(-1) ?? new Error('Redis closed the connection')));
  client.on('message', (_channel: string, message: string) => link.received(message));
  return {
    client,
    subscribe: (channels) => client.subscribe(...channels),
    unsubscribe: (channels) => client.unsubscribe(...channels),
    end: () => client.disconnect(),
  };
}

/** For node-redis. */
function nodeOwn(node: NodeRedis, link: TransportLink): Own {
  const client = node.duplicate({ socket: { ...node.options?.socket, reconnectStrategy: false } });
  let hasSocket = false;
  let isOver = false;
  client.on('error', link.down);
  // `destroy` leaves a socket open that is still connecting.
  client.on('connect', () => {
    hasSocket = true;
    if (isOver) client.destroy();
  });
  return {
    client,
    subscribe: (channels) => client.subscribe(channels, link.received),
    unsubscribe: (channels) => client.unsubscribe(channels),
    end: () => {
      isOver = true;
      client.unref();
      if (hasSocket) client.destroy();
    },
  };
}

function refusedIf(error: unknown): unknown {
  const { message } = error as Partial<Error>;
  if (!message?.startsWith('NOPERM')) return error;
  const rule = 'SUBSCRIBE and PUBLISH on its prefix, and with interest routing below it (prefix/*)';
  return refusal(`Redis does not permit what the bus needs, ${rule}: ${message}`, error);
}
