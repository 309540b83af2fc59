// `purgatory/bus/redis`: a bus over the pub/sub of Redis or Valkey, with the user's own client.
//
// Ground rules. The bus has two connections of its own, both duplicated from the client: one
// publishes, one subscribes. So neither waits behind the commands of the user. They have all that a
// client needs to connect (TLS, passwords, Sentinel). They never reconnect by themselves, so no
// break goes unnoticed: both are new after each. What a replica is told stays there, and so does
// what a node is told that is cut off its cluster. So the server is asked whether it is fit, at
// first and with each echo. In a cluster a publication reaches all nodes, but two publications
// through different nodes may change order. So one master serves both directions.
import { invalidReturnValue } from '../../base/node-errors.ts';
import { createBus } from '../bus.ts';
import { type Bus, type BusOptions, checkedBusOptions, unfit, wrongSource } from '../bus-options.ts';
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
  connect(): Promise<unknown>;
  publish(channel: string, message: string): Promise<unknown>;
}

/** A `Redis` of ioredis or iovalkey. */
interface IoRedis extends Client {
  /** 'wait': it does not connect yet. */
  readonly status?: string;
  call(...command: string[]): Promise<unknown>;
  subscribe(...channels: string[]): Promise<unknown>;
  unsubscribe(...channels: string[]): Promise<unknown>;
  disconnect(): void;
}

/** A client of node-redis. */
interface NodeRedis extends Client {
  readonly options?: { readonly socket?: object };
  duplicate(overrides: object): NodeRedis;
  sendCommand(command: string[], options: { typeMapping: object }): Promise<unknown>;
  subscribe(channels: string[], listener: (message: string) => void): Promise<unknown>;
  unsubscribe(channels: string[]): Promise<unknown>;
  destroy(): void;
  unref(): void;
}

/** What only a cluster has: of ioredis and iovalkey, and of node-redis. */
interface Clustered {
  readonly isCluster?: boolean;
  nodes?(role: 'master'): RedisClient[];
  getRandomNode?(): unknown;
  nodeClient?(node: unknown): Promise<RedisClient>;
}

/** A connection of the bus's own. */
interface Own {
  readonly client: Client;
  command(...words: string[]): Promise<unknown>;
  subscribe(channels: string[]): Promise<unknown>;
  unsubscribe(channels: string[]): Promise<unknown>;
  end(): void;
}

/**
 * A bus over Redis. Closing the client stays the user's task. The bus adds two connections of its
 * own, with the options of the client. So new credentials belong into these options: the bus does
 * not hear of an `auth()` of the client.
 *
 * It needs the permissions SUBSCRIBE and PUBLISH on the channel named by `prefix`, and with
 * interest routing UNSUBSCRIBE too, also on the channels below it (`&purgatory &purgatory/*`).
 * Without them it is not live: it says so, and tries again. It finds out that its server is a
 * replica (before Redis 6.2 with the permission for ROLE), and with that for CLUSTER INFO that its
 * node is no part of its cluster any more, or with the minority: from there no hint reaches the
 * others. That is a gap.
 *
 * The bus also closes when `client.duplicate` returns no client of ioredis, iovalkey or node-redis
 * 5. Then `onError` gets ERR_INVALID_RETURN_VALUE.
 *
 * @throws TypeError, RangeError (Node's codes) for a value that is not a client, or a bad option.
 */
export function redisBus(client: RedisClient, options?: BusOptions): Bus {
  if (typeof client?.duplicate !== 'function' || typeof client.publish !== 'function') {
    throw wrongSource(
      'client',
      `${CLIENT}: new Redis(url), or await createClient({ url }).connect()`,
      client,
    );
  }
  const { prefix } = checkedBusOptions(options);
  return createBus(redisTransport(client, prefix), options);
}

const CLIENT = 'a client of ioredis, iovalkey or node-redis';
const REPLICA =
  'The Redis server is a replica, and what is published there reaches nobody else: connect the bus to the primary';
const CUT_OFF =
  'The Redis node is cut off its cluster, or was removed, and what is published there reaches nobody else';

/** The transport alone: for the conformance suite. */
export function redisTransport(client: RedisClient, prefix: string): Transport {
  /** The one that subscribes and the one that publishes. */
  let own: Own[] = [];
  let isClustered = false;
  const name = (channel: string): string => `${prefix}/${channel}`; // no prefix has a slash
  const start = async (link: TransportLink, made: Own[]): Promise<void> => {
    const node = await nodeOf(client);
    if (made !== own) return; // it was given up
    while (made.length < 2) made.push(ownOf(node, link)); // one by one: what is open is ended if it throws
    const [ear, mouth] = made;
    await Promise.all([ear.client.connect(), mouth.client.connect()]);
    isClustered = (await clusterInfo(mouth)) !== '';
    await checkFit(mouth);
    await ear.subscribe([prefix]);
    link.up();
  };
  const checkFit = async (mouth: Own): Promise<void> => {
    if (isClustered) checkNode(await clusterInfo(mouth));
    // In a cluster, a replica passes on to all nodes what it gets.
    else if (await isReplica(mouth)) throw unfit(REPLICA);
  };
  const ask = async (call: (ear: Own, mouth: Own) => Promise<unknown>): Promise<void> => {
    const [ear, mouth] = own;
    if (mouth === undefined) throw new Error('Not connected to Redis');
    try {
      await call(ear, mouth);
    } catch (error) {
      throw unfitIf(error);
    }
  };
  const publish = (to: string, text: string): Promise<void> =>
    ask((_, mouth) => mouth.client.publish(to, text));
  return {
    engine: 'redis',
    connect(link) {
      const explaining: TransportLink = { ...link, down: (error) => link.down(unfitIf(error)) };
      own = [];
      start(explaining, own).catch(explaining.down);
    },
    publish: (text) => publish(prefix, text),
    publishTo: (channel, text) => publish(name(channel), text),
    subscribe: (channels) => ask((ear) => ear.subscribe(channels.map(name))),
    unsubscribe: (channels) => ask((ear) => ear.unsubscribe(channels.map(name))),
    check: () => ask((_, mouth) => checkFit(mouth)),
    disconnect() {
      for (const each of own) each.end();
      own = [];
      return undefined;
    },
  };
}

/** The client, or one master of its cluster. */
async function nodeOf(client: RedisClient & Clustered): Promise<RedisClient> {
  if (typeof client.nodeClient === 'function') return client.nodeClient(client.getRandomNode?.());
  if (client.isCluster !== true) return client;
  const masters = client.nodes?.('master') ?? [];
  if (masters.length === 0) throw new Error('No node of the Redis Cluster is known yet');
  return masters[Math.floor(Math.random() * masters.length)];
}

/**
 * HELLO, of Redis 6.2, needs no permission, and tells a replica of a cluster from another, too. An
 * engine that tells nothing is taken to be fit. A connection that has broken says so itself.
 */
async function isReplica({ command }: Own): Promise<boolean> {
  const role = (): Promise<unknown> => command('ROLE').catch(() => '');
  const told = JSON.stringify(await command('HELLO').catch(role));
  return /^\["slave"|"role"[,:]"replica"/.test(told) && !/"mode"[,:]"cluster"/.test(told);
}

/** What a node says of its cluster. '' where it is in none, or does not tell this user. */
async function clusterInfo({ command }: Own): Promise<string> {
  return String(await command('CLUSTER', 'INFO').catch(() => ''));
}

/**
 * A node that was removed, or that is with the minority, serves on, alone. One of a cluster that has
 * lost slots is fit, as all nodes agree on that: hints pass.
 *
 * @throws PurgatoryError ERR_PURGATORY_BUS_UNFIT.
 */
function checkNode(info: string): void {
  const has = (field: string, value: string): boolean => info.includes(`${field}:${value}\r`);
  const isApart = has('cluster_known_nodes', '1') || !has('cluster_slots_pfail', '0');
  if (has('cluster_state', 'fail') && isApart) throw unfit(CUT_OFF);
}

/**
 * One more connection. What it is, its methods say: a wrapper, or a mock, may hide what made it.
 *
 * @throws TypeError ERR_INVALID_RETURN_VALUE for what is none of the clients that are known.
 */
function ownOf(client: RedisClient, link: TransportLink): Own {
  // Each family leaves alone the options of the other. Neither connects.
  const made = (client as { duplicate(overrides: object): unknown }).duplicate({
    lazyConnect: true,
    autoResubscribe: false,
    enableReadyCheck: false, // would need the permission for INFO
    retryStrategy: null,
    sentinelRetryStrategy: null,
  });
  if (isIo(made) && !isConnecting(made)) return ioOwn(made, link);
  if (isNode(made)) return nodeOwn(made, link);
  discard(made);
  const expected = isIo(made) ? `${CLIENT} with the options that duplicate is given` : CLIENT;
  throw invalidReturnValue(expected, 'client.duplicate', made);
}

function has(value: unknown, ...methods: string[]): boolean {
  return methods.every((method) => typeof Object(value)[method] === 'function');
}

function isClient(value: unknown): value is Client {
  return has(value, 'on', 'connect', 'publish', 'subscribe', 'unsubscribe');
}

function isIo(value: unknown): value is IoRedis {
  return isClient(value) && has(value, 'call', 'disconnect') && !has(value, 'nodes');
}

/** A wrapper has not passed on the options. It would also connect again by itself. */
function isConnecting({ status }: IoRedis): boolean {
  return status !== undefined && status !== 'wait';
}

function isNode(value: unknown): value is NodeRedis {
  return isClient(value) && has(value, 'sendCommand', 'duplicate', 'destroy', 'unref');
}

/** Ends what `duplicate` has made, whatever it is, also by a promise: some connect at once. */
function discard(made: unknown): void {
  if (has(made, 'then')) {
    Promise.resolve(made).then(discard, () => {});
    return;
  }
  const call = (method: string, ...values: unknown[]): unknown =>
    (made as Record<string, (...values: unknown[]) => unknown>)[method](...values);
  if (has(made, 'on')) call('on', 'error', () => {});
  const end = ['destroy', 'disconnect', 'end'].find((method) => has(made, method));
  if (end === undefined) return;
  new Promise((resolve) => resolve(call(end, true))).catch(() => {}); // the TypeError says what is wrong
}

/** For ioredis and iovalkey. Their "ready" comes before a SUBSCRIBE is acknowledged: it says nothing. */
function ioOwn(client: IoRedis, link: TransportLink): Own {
  const errors: unknown[] = []; // not all of them end the connection
  client.on('error', (error: unknown) => errors.push(error));
  client.on('close', () => link.down(errors.at(-1) ?? new Error('Redis closed the connection')));
  client.on('message', (_channel: string, message: string) => link.received(message));
  return {
    client,
    command: (...words) => client.call(...words),
    subscribe: (channels) => client.subscribe(...channels),
    unsubscribe: (channels) => client.unsubscribe(...channels),
    end: () => client.disconnect(),
  };
}

/** For node-redis. */
function nodeOwn(made: NodeRedis, link: TransportLink): Own {
  const client = made.duplicate({ socket: { ...made.options?.socket, reconnectStrategy: false } });
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
    command: (...words) => client.sendCommand(words, { typeMapping: {} }), // the user may map replies to Buffers
    subscribe: (channels) => client.subscribe(channels, link.received),
    unsubscribe: (channels) => client.unsubscribe(channels),
    end: () => {
      isOver = true;
      client.unref();
      if (hasSocket) client.destroy();
    },
  };
}

function unfitIf(error: unknown): unknown {
  const { message } = error as Partial<Error>;
  if (!message?.startsWith('NOPERM')) return error;
  const rule = 'SUBSCRIBE and PUBLISH on its prefix, and with interest routing below it (prefix/*)';
  return unfit(`Redis does not permit what the bus needs, ${rule}: ${message}`, error);
}
