// `purgatory/bus/nats`: a bus over NATS, with the user's own connection.
//
// Ground rules. One connection publishes and subscribes. It reconnects by itself. Each time it
// reports that, the bus has been in a gap and subscribes anew. A half-open connection reports
// nothing for minutes. It is made to reconnect when its server has answered neither a text nor the
// attempt after it. A connection that has given up (`maxReconnectAttempts`) is closed for good, and
// the bus closes too.
import { hostTurn } from '../../base/host.ts';
import { invalidArgType, invalidArgValue } from '../../base/node-errors.ts';
import { createBus } from '../bus.ts';
import { type Bus, type BusOptions, checkedBusOptions, refusal } from '../bus-options.ts';
import { MIN_FRAME_BYTES, type Transport, type TransportLink } from '../transport.ts';

/**
 * An acknowledgement is that of the connection's own server. The others hear of the subscription
 * later.
 */
const CLUSTER_HEARS_MS = [50, 500];
const HALF_OPEN =
  'NATS does not answer, so the connection is made anew: sooner with pingInterval: 2000, maxPingOut: 2';
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
  /** Breaks a connection that is half open, and makes it anew. */
  reconnect?(): Promise<void>;
  /**
   * What the server said of itself. Only one of several has the name of a cluster. `max_payload` is in
   * bytes.
   */
  readonly info?: { readonly cluster?: string | undefined; readonly max_payload?: number } | undefined;
  status(): AsyncIterable<{ readonly type: string; readonly error?: Error }>;
}

type Subscription = ReturnType<NatsConnectionLike['subscribe']>;

/**
 * A bus over NATS. Closing the connection stays the user's task. Make it with
 * `maxReconnectAttempts: -1`, and without `noEcho`: the bus has to hear itself. `prefix` is the
 * subject. With interest routing, the subjects below it (`purgatory.*`) must be permitted too. The
 * server's `max_payload` must be 7,500 at least.
 *
 * @throws TypeError, RangeError (Node's codes) for a value that is not a connection, or that cannot
 * carry a bus, or a bad option.
 */
export function natsBus(connection: NatsConnectionLike, options?: BusOptions): Bus {
  if (typeof connection?.subscribe !== 'function' || typeof connection.status !== 'function') {
    throw invalidArgType('connection', 'a NatsConnection of @nats-io/transport-node', connection);
  }
  if ((connection as { options?: { noEcho?: boolean } }).options?.noEcho === true) {
    throw invalidArgValue('connection', 'must be made without noEcho: a bus has to hear itself', connection);
  }
  const tooSmall = smallPayload(connection);
  if (tooSmall !== undefined) throw invalidArgValue('connection', tooSmall, connection);
  const { prefix } = checkedBusOptions(options);
  if (prefix.split('.').includes('')) {
    throw invalidArgValue('options.prefix', 'must be a subject of NATS: no dot first, last or twice', prefix);
  }
  return createBus(natsTransport(connection, prefix), options);
}

/** The transport alone: for the conformance suite. */
export function natsTransport(connection: NatsConnectionLike, subject: string): Transport {
  let end: (() => Promise<void>) | undefined;
  let listener: Parameters<NatsConnectionLike['subscribe']>[1] | undefined;
  /** How often the server was asked since it answered: by a text, then by attempts to connect. */
  let unanswered = 0;
  const flush = (): Promise<void> =>
    connection.flush().finally(() => {
      unanswered = 0;
    });
  const subscribed = new Map<string, Subscription>();
  const name = (channel: string): string => `${subject}.~${channel}`; // no prefix has a tilde
  return {
    engine: 'nats',
    get maxFrameBytes() {
      return connection.info?.max_payload;
    },
    connect(link) {
      if (connection.isClosed()) throw refusal('The NATS connection is closed');
      const tooSmall = smallPayload(connection); // it may lead to another server since
      if (tooSmall !== undefined) throw refusal(`The NATS connection ${tooSmall}`);
      if (unanswered > 0 && unanswered++ === 2) {
        connection.reconnect?.().catch(link.down);
        throw new Error(HALF_OPEN);
      }
      listener = {
        callback: (error, message) => {
          if (error === null) link.received(message.string());
          else link.down(refusedIf(error));
        },
      };
      const subscription = connection.subscribe(subject, listener);
      const unwatch = watchStatus(connection, link);
      end = () => {
        unwatch();
        return endAll(connection, [subscription, ...subscribed.values()]);
      };
      flush().then(link.up, link.down);
    },
    publish(text) {
      unanswered ||= 1;
      connection.publish(subject, text);
      return flush();
    },
    publishTo(channel, text) {
      connection.publish(name(channel), text);
      return connection.flush();
    },
    subscribe(channels) {
      if (listener === undefined) return undefined;
      for (const channel of channels) subscribed.set(channel, connection.subscribe(name(channel), listener));
      return connection.flush();
    },
    unsubscribe(channels) {
      for (const channel of channels) {
        subscribed.get(channel)?.unsubscribe();
        subscribed.delete(channel);
      }
      return connection.flush();
    },
    get settleMs() {
      return connection.info?.cluster === undefined ? [] : CLUSTER_HEARS_MS;
    },
    disconnect() {
      const ended = end?.();
      end = undefined;
      listener = undefined;
      subscribed.clear();
      return ended;
    },
  };
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

/** Reports to the link when the connection breaks. Returns a function that stops the watching. */
function watchStatus(connection: NatsConnectionLike, link: TransportLink): () => void {
  const status = connection.status() as ReturnType<NatsConnectionLike['status']> & { stop?(): void };
  const watch = async (): Promise<void> => {
    for await (const { type, error } of status) {
      if (type === 'disconnect') link.down(new Error('The NATS connection broke'));
      else if (type === 'close') link.down(refusal('The NATS connection is closed'));
      else if (type === 'error' && error !== undefined) {
        const refused = refusedIf(error);
        if (refused !== error) link.down(refused);
      }
    }
  };
  watch().catch(link.down);
  return () => status.stop?.();
}

function refusedIf(error: Error): Error {
  if (error.name !== 'PermissionViolationError') return error;
  return refusal(`NATS does not permit what the bus needs: ${error.message}`, error);
}
