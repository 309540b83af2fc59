// `purgatory/bus/cluster`: a bus between the workers of node:cluster. The primary relays. No server
// is needed.
//
// Ground rules. A worker says hello, and the relay answers with a welcome. From then on the worker
// gets every text of its prefix, its own included. The relay knows only which buses of a worker
// listen to which prefix. It does not touch the user's own messages.
//
// A worker that reads nothing (it is stopped, or blocked) has its texts queued in the primary.
// Beyond MAX_BACKLOG characters the relay drops the worker. The worker's bus then misses its echo,
// and says hello again.
import cluster, { type Worker } from 'node:cluster';
import { noRelay, relayCalledTwice } from '../../base/errors.ts';
import { createBus } from '../bus.ts';
import { type Bus, type BusOptions, checkedBusOptions } from '../bus-options.ts';
import type { Transport } from '../transport.ts';

/** A message between a worker and the primary. */
interface RelayMessage {
  readonly purgatoryRelay: 'hello' | 'welcome' | 'goodbye' | 'text';
  readonly prefix: string;
  /** The number of the bus in its worker. */
  readonly line: number;
  /** From a worker. */
  readonly text?: string;
  /** To a worker. */
  readonly texts?: readonly string[];
}

/** The end of a relay. */
export interface Relay {
  /** Stops relaying. */
  close(): void;
  [Symbol.dispose](): void;
}

/** How long the primary may take to answer, in ms. */
const WELCOME_MS = 3_000;
const MAX_BACKLOG = 16_000_000;

let lines = 0;
let isRelaying = false;

/**
 * A bus between the workers of node:cluster. Call it in each worker. The primary calls
 * {@link relayBus}.
 *
 * While the primary does not relay, the bus stays `connecting` and reports ERR_PURGATORY_NO_RELAY.
 *
 * @throws PurgatoryError ERR_PURGATORY_NO_RELAY: this is not a worker.
 * @throws TypeError, RangeError (Node's codes) for a bad option.
 */
export function clusterBus(options?: BusOptions): Bus {
  if (!cluster.isWorker) {
    throw noRelay('clusterBus() belongs in workers of node:cluster; the primary calls relayBus()');
  }
  const { prefix } = checkedBusOptions(options);
  return createBus(clusterTransport(prefix), options);
}

/** The transport alone: for the conformance suite. Only in a worker. */
export function clusterTransport(prefix: string): Transport {
  const line = lines++;
  let end: (() => void) | undefined;
  const say = (purgatoryRelay: RelayMessage['purgatoryRelay'], text?: string): Promise<void> =>
    new Promise((resolve, reject) => {
      if (!process.connected) throw new Error('The primary has gone');
      const message: RelayMessage = { purgatoryRelay, prefix, line, text };
      process.send?.(message, undefined, undefined, (error) => (error === null ? resolve() : reject(error)));
    });
  return {
    engine: 'cluster',
    connect(link) {
      const noAnswer = setTimeout(() => {
        link.down(noRelay('The primary does not relay: call relayBus() of purgatory/bus/cluster there'));
      }, WELCOME_MS).unref();
      const receive = (message: unknown): void => {
        if (!isRelayMessage(message) || message.prefix !== prefix || message.line !== line) return;
        clearTimeout(noAnswer);
        if (message.purgatoryRelay === 'welcome') link.up();
        else for (const text of message.texts ?? []) link.received(text);
      };
      const gone = (): void => link.down(new Error('The primary has gone'));
      process.on('message', receive);
      process.on('disconnect', gone);
      end = () => {
        clearTimeout(noAnswer);
        process.off('message', receive);
        process.off('disconnect', gone);
      };
      say('hello').catch(link.down);
    },
    publish(text) {
      return say('text', text);
    },
    disconnect() {
      if (end === undefined) return undefined;
      end();
      end = undefined;
      return say('goodbye');
    },
  };
}

/**
 * Relays between the buses of all workers. Call it once in the primary, before or after workers are
 * forked.
 *
 * @throws PurgatoryError ERR_PURGATORY_NO_RELAY: this is not a primary of node:cluster;
 * ERR_PURGATORY_ALREADY_JOINED: it relays already.
 */
export function relayBus(): Relay {
  if (!cluster.isPrimary) {
    throw noRelay('relayBus() belongs in the primary of node:cluster; workers call clusterBus()');
  }
  if (isRelaying) throw relayCalledTwice();
  isRelaying = true;
  /** By worker, line and prefix. */
  const listeners = new Map<string, Listener>();
  const relay = (worker: Worker, message: unknown): void => {
    if (!isRelayMessage(message)) return;
    const { purgatoryRelay: kind, prefix, line, text } = message;
    if (kind === 'text') {
      for (const [id, listener] of listeners) {
        if (listener.prefix === prefix && !listener.relay(text as string)) listeners.delete(id);
      }
      return;
    }
    const id = `${worker.id} ${line} ${prefix}`;
    listeners.delete(id);
    if (kind === 'hello') listeners.set(id, welcome(worker, prefix, line));
  };
  const forget = (worker: Worker): void => {
    for (const [id, listener] of listeners) if (listener.worker === worker) listeners.delete(id);
  };
  cluster.on('message', relay);
  cluster.on('disconnect', forget);
  const close = (): void => {
    cluster.off('message', relay);
    cluster.off('disconnect', forget);
    isRelaying = false;
  };
  return { close, [Symbol.dispose]: close };
}

function isRelayMessage(message: unknown): message is RelayMessage {
  return typeof message === 'object' && message !== null && 'purgatoryRelay' in message;
}

/** The relay's view of one bus of a worker. */
type Listener = ReturnType<typeof welcome>;

/** Welcomes the bus. Texts that come while a message is under way go into the next message. */
function welcome(worker: Worker, prefix: string, line: number) {
  let waiting: string[] = [];
  /** Characters of the texts that are waiting. */
  let backlog = 0;
  let isSending = false;
  // Does nothing when the worker has gone: its 'disconnect' follows.
  const send = (purgatoryRelay: 'welcome' | 'text', texts?: readonly string[], sent?: () => void): void => {
    const message: RelayMessage = { purgatoryRelay, prefix, line, texts };
    if (worker.isConnected()) worker.send(message, undefined, undefined, () => sent?.());
  };
  const sendWaiting = (): void => {
    if (isSending || waiting.length === 0) return;
    const texts = waiting;
    waiting = [];
    backlog = 0;
    isSending = true;
    send('text', texts, () => {
      isSending = false;
      sendWaiting();
    });
  };
  send('welcome');
  /** False when its backlog is too long. */
  const relay = (text: string): boolean => {
    waiting.push(text);
    backlog += text.length;
    sendWaiting();
    return backlog <= MAX_BACKLOG;
  };
  return { worker, prefix, relay };
}
