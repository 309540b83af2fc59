// `purgatory/bus/nats`: a bus over NATS, with a connection of its own, or with the user's.
//
// Ground rules. One connection publishes and subscribes. It reconnects by itself. Each time it
// reports that, the bus has been in a gap and subscribes anew. The user's connection is used and
// watched, and never broken: what goes wrong on subjects of others is of no interest, and where it is
// half open the bus waits until its client notices. A connection of the bus's own is made anew when
// the server is silent, unless bytes come: then it is only slow.
import { hostTurn } from '../../base/host.ts';
import { invalidArgValue, invalidReturnValue } from '../../base/node-errors.ts';
import { throwLater } from '../../base/report-error.ts';
import { createBus } from '../bus.ts';
import {
  type Bus,
  type BusOptions,
  checkedBusOptions,
  isMaker,
  refusal,
  unfit,
  wrongSource,
} from '../bus-options.ts';
import { MIN_FRAME_BYTES, type Transport, type TransportLink } from '../transport.ts';

/**
 * An acknowledgement is that of the connection's own server. The others hear of the subscription
 * later.
 */
const CLUSTER_HEARS_MS = [50, 500];
const HALF_OPEN =
  "NATS does not answer, and the connection is not the bus's to break: make it with pingInterval: 2000, " +
  'maxPingOut: 2, or give the bus one of its own: natsBus(() => connect(...))';
const SOURCE =
  'a function that makes a NatsConnection of @nats-io/transport-node: () => connect({ servers }), or a connection';
/** Subscriptions that are ended in one turn. Each takes 2 us, and there may be 65,536. */
const ENDED_A_TURN = 512;

/** What is needed of a `NatsConnection` of @nats-io/transport-node. */
export interface NatsConnectionLike {
  publish(subject: string, payload: string): void;
  subscribe(
    subject: string,
    options: { callback: (error: Error | null, message: { string(): string }) => void },
  ): { unsubscribe(): void };
  flush(): Promise<void>;
  isClosed(): boolean;
  close(): Promise<void>;
  stats?(): { readonly inBytes: number };
  /**
   * What the server said of itself. Only one of several has the name of a cluster. `max_payload` is in
   * bytes.
   */
  readonly info?: { readonly cluster?: string | undefined; readonly max_payload?: number } | undefined;
  status(): AsyncIterable<{ readonly type: string; readonly error?: Error }>;
}

/** The user's connection, or what makes the bus one of its own. */
export type NatsSource = NatsConnectionLike | (() => Promise<NatsConnectionLike>);

type Subscription = ReturnType<NatsConnectionLike['subscribe']>;

/**
 * A bus over NATS. `prefix` is the subject. With interest routing, the subjects below it
 * (`purgatory.*`) must be permitted too. The server's `max_payload` must be 7,500 at least.
 *
 * @param source `() => connect(...)` makes a connection of the bus's own, which the bus closes; it
 * returns a new one each time. A connection that is given is never broken, and closing it stays the
 * user's task: when it is closed, the bus closes, too. So make it with `maxReconnectAttempts: -1`.
 * Both are made without `noEcho`: the bus has to hear itself. The bus also closes when the function
 * returns anything else. Then `onError` gets ERR_INVALID_RETURN_VALUE.
 * @throws TypeError, RangeError (Node's codes) for a value that is neither, for a connection that
 * cannot carry a bus, or a bad option.
 */
export function natsBus(source: NatsSource, options?: BusOptions): Bus {
  if (!isMaker(source)) {
    if (!isConnection(source)) throw wrongSource('source', SOURCE, source);
    const rule = hasNoEcho(source) ? NO_ECHO : smallPayload(source);
    if (rule !== undefined) throw invalidArgValue('source', rule, source);
  }
  const { prefix } = checkedBusOptions(options);
  if (prefix.split('.').includes('')) {
    throw invalidArgValue('options.prefix', 'must be a subject of NATS: no dot first, last or twice', prefix);
  }
  return createBus(natsTransport(source, prefix), options);
}

/** The transport alone: for the conformance suite. */
export function natsTransport(source: NatsSource, subject: string): Transport {
  const newConnection = typeof source === 'function' ? source : undefined;
  let connection = typeof source === 'function' ? undefined : source;
  /** What `newConnection` has made last. */
  let latest = connection;
  let attempts = 0;
  let end: (() => Promise<void>) | undefined;
  let listener: Parameters<NatsConnectionLike['subscribe']>[1] | undefined;
  /** How many bytes had come when the server was asked for what it has not answered. */
  let askedAtBytes: number | undefined;
  /** What the server said since the attempt, not necessarily to the bus. */
  let said: Error | undefined;
  const subscribed = new Map<string, Subscription>();
  const name = (channel: string): string => `${subject}.~${channel}`; // no prefix has a tilde
  const bytes = (): number => connection?.stats?.().inBytes ?? 0;
  const isSilent = (): boolean => askedAtBytes === bytes();
  const flush = async (): Promise<void> => {
    askedAtBytes ??= bytes();
    await connection?.flush().finally(() => {
      askedAtBytes = undefined;
    });
  };
  const publish = (to: string, text: string): Promise<void> => {
    connection?.publish(to, text);
    return flush();
  };
  const connected = async (): Promise<NatsConnectionLike> => {
    if (connection?.isClosed() === false) return connection;
    if (newConnection === undefined) throw refusal('The NATS connection is closed');
    const made = await newConnection();
    if (isConnection(made) && made !== latest && !hasNoEcho(made)) return made;
    if (isConnection(made)) await made.close();
    throw invalidReturnValue('a new NatsConnection, made without noEcho', 'source', made);
  };
  const start = async (link: TransportLink, attempt: number): Promise<void> => {
    const used = await connected();
    if (attempt !== attempts) {
      if (used !== connection) await used.close();
      return;
    }
    connection = latest = used;
    askedAtBytes = said = undefined;
    const tooSmall = smallPayload(used); // it may lead to another server since
    if (tooSmall !== undefined) throw unfit(`The NATS connection ${tooSmall}`);
    listener = {
      callback: (error, message) => {
        if (error === null) link.received(message.string());
        else link.down(unfitIf(error));
      },
    };
    const subscription = used.subscribe(subject, listener);
    const unwatch = watchStatus(used, (type, error) => {
      if (type === 'disconnect') link.down(new Error('The NATS connection broke'));
      else if (type === 'close') {
        const what = 'The NATS connection is closed';
        link.down(newConnection === undefined ? refusal(what) : new Error(what));
      } else if (type !== 'error' || error === undefined) return;
      else if (error.name !== PERMISSION) said = error;
      else if (isAbout(error, subject)) link.down(unfitIf(error));
    });
    end = () => {
      unwatch();
      return endAll(used, [subscription, ...subscribed.values()]);
    };
    await flush();
    link.up();
  };
  return {
    engine: 'nats',
    get maxFrameBytes() {
      return connection?.info?.max_payload;
    },
    connect(link) {
      start(link, ++attempts).catch(link.down);
    },
    publish: (text) => publish(subject, text),
    publishTo: (channel, text) => publish(name(channel), text),
    async subscribe(channels) {
      if (connection === undefined || listener === undefined) return;
      said = undefined;
      for (const channel of channels) subscribed.set(channel, connection.subscribe(name(channel), listener));
      await flush();
      await hostTurn(); // what the server said before it answered is read by then
      if (said !== undefined) throw said; // such as: maximum subscriptions exceeded
    },
    unsubscribe(channels) {
      for (const channel of channels) {
        subscribed.get(channel)?.unsubscribe();
        subscribed.delete(channel);
      }
      return flush();
    },
    get settleMs() {
      return connection?.info?.cluster === undefined ? [] : CLUSTER_HEARS_MS;
    },
    whySilent() {
      return said ?? (newConnection === undefined && isSilent() ? new Error(HALF_OPEN) : undefined);
    },
    disconnect(isToConnect) {
      attempts++;
      const isToClose = newConnection !== undefined && (!isToConnect || isSilent());
      const ended = isToClose ? connection?.close() : end?.();
      if (isToClose) connection = undefined;
      end = undefined;
      listener = undefined;
      subscribed.clear();
      return ended;
    },
  };
}

function isConnection(value: unknown): value is NatsConnectionLike {
  const { subscribe, status } = Object(value) as Record<string, unknown>;
  return typeof subscribe === 'function' && typeof status === 'function';
}

const NO_ECHO = 'must be made without noEcho: a bus has to hear itself';

function hasNoEcho(connection: NatsConnectionLike): boolean {
  return (connection as { options?: { noEcho?: boolean } }).options?.noEcho === true;
}

/** The rule that the server of the connection breaks. */
function smallPayload({ info }: NatsConnectionLike): string | undefined {
  const { max_payload: bytes = MIN_FRAME_BYTES } = info ?? {};
  if (bytes >= MIN_FRAME_BYTES) return undefined;
  return `must be to a server with a max_payload of at least ${MIN_FRAME_BYTES}, and its is ${bytes}`;
}

/** A text that comes meanwhile goes to a link that the bus does not use any more. */
async function endAll(connection: NatsConnectionLike, all: readonly Subscription[]): Promise<void> {
  for (let next = 0; next < all.length; next += ENDED_A_TURN) {
    if (next > 0) await hostTurn();
    if (connection.isClosed()) return;
    for (const each of all.slice(next, next + ENDED_A_TURN)) each.unsubscribe();
  }
}

/** Calls `heard` with each status of the connection. Returns a function that stops it. */
function watchStatus(
  connection: NatsConnectionLike,
  heard: (type: string, error: Error | undefined) => void,
): () => void {
  const status = connection.status() as ReturnType<NatsConnectionLike['status']> & { stop?(): void };
  const watch = async (): Promise<void> => {
    for await (const { type, error } of status) heard(type, error);
  };
  watch().catch(throwLater);
  return () => status.stop?.();
}

const PERMISSION = 'PermissionViolationError';

/** Whether a missing permission is for the bus: the connection may be the user's. */
function isAbout(error: Error, subject: string): boolean {
  const { subject: of = '' } = error as { subject?: string };
  return of === subject || of.startsWith(`${subject}.~`);
}

function unfitIf(error: Error): Error {
  if (error.name !== PERMISSION) return error;
  return unfit(`NATS does not permit what the bus needs: ${error.message}`, error);
}
