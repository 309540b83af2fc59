/// <reference lib="esnext.disposable" preserve="true" />
// `purgatory/bus/cluster`: a bus between the workers of node:cluster, and their primary, which relays.
// No server is needed.
//
// Ground rules. A worker says hello, and the relay answers with a welcome. From then on the worker
// gets every text of its prefix, its own included. The relay knows only which buses of a worker
// listen to which prefix. It does not touch the user's own messages. All buses of a worker share its
// listeners. A bus of the primary works in the same way, with calls in place of messages. A channel to
// the primary that has ended never comes back, so the bus ends, too.
//
// A worker that reads nothing (it is stopped, or blocked) has its texts queued in the primary.
// Beyond MAX_BACKLOG characters the relay drops the worker. The worker's bus then misses its echo,
// and says hello again.

import cluster, { type Worker } from 'node:cluster';
import { DISPOSE } from '../../base/dispose.ts';
import { PurgatoryError } from '../../base/errors.ts';
import { host } from '../../base/host.ts';
import { createBus } from '../bus.ts';
import { type Bus, type BusOptions, checkedBusOptions, refusal } from '../bus-options.ts';
import type { Transport, TransportLink } from '../transport.ts';

const { setTimeout, clearTimeout } = host;

/** A message between a worker and the relay. */
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
/** The relay of this process, while it relays. `worker` is undefined for a bus of the primary. */
let relay: ((worker: Worker | undefined, message: unknown) => void) | undefined;
/** The buses of this process that are connected, by line and prefix. */
const connected = new Map<string, { link: TransportLink; heard(message: RelayMessage): void }>();

/**
 * A bus between the workers of node:cluster. Call it in each worker, and in the primary if that
 * notifies or waits, too, after {@link relayBus}. The primary calls {@link relayBus}.
 *
 * While the primary does not relay, the bus of a worker stays `connecting` and reports
 * ERR_PURGATORY_NO_RELAY. In a worker that disconnects from its primary the bus ends, as one that is
 * refused.
 *
 * @throws PurgatoryError ERR_PURGATORY_NO_RELAY: this is neither a worker nor a primary that relays.
 * @throws TypeError, RangeError (Node's codes) for a bad option.
 */
export function clusterBus(options?: BusOptions): Bus {
  if (!cluster.isWorker && relay === undefined) {
    throw noRelay(
      'clusterBus() belongs in workers of node:cluster, or in a primary that has called relayBus()',
    );
  }
  const { prefix } = checkedBusOptions(options);
  return createBus(clusterTransport(prefix), options);
}

/** The transport alone: for the conformance suite. */
export function clusterTransport(prefix: string): Transport {
  const line = lines++;
  const id = idOf(line, prefix);
  let noAnswer: NodeJS.Timeout | undefined;
  const say = (purgatoryRelay: RelayMessage['purgatoryRelay'], text?: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const message: RelayMessage = { purgatoryRelay, prefix, line, text };
      const sent = (error: Error | null): void => (error === null ? resolve() : reject(error));
      if (!cluster.isWorker) {
        if (relay === undefined) throw noRelay('The primary does not relay any more: call relayBus() again');
        relay(undefined, message);
        sent(null);
      } else if (process.connected) process.send?.(message, undefined, undefined, sent);
      else throw gone();
    });
  return {
    engine: 'cluster',
    connect(link) {
      noAnswer = setTimeout(() => {
        link.down(noRelay('The primary does not relay: call relayBus() of purgatory/bus/cluster there'));
      }, WELCOME_MS).unref();
      if (connected.size === 0 && cluster.isWorker) {
        process.on('message', hear);
        process.on('disconnect', endAll);
      }
      const heard = ({ purgatoryRelay, texts = [] }: RelayMessage): void => {
        clearTimeout(noAnswer);
        if (purgatoryRelay === 'welcome') link.up();
        else for (const text of texts) link.received(text);
      };
      connected.set(id, { link, heard });
      say('hello').catch(link.down);
    },
    publish(text) {
      return say('text', text);
    },
    disconnect() {
      if (!connected.delete(id)) return undefined;
      clearTimeout(noAnswer);
      if (connected.size === 0) {
        process.off('message', hear);
        process.off('disconnect', endAll);
      }
      return say('goodbye');
    },
  };
}

function hear(message: unknown): void {
  if (isRelayMessage(message)) connected.get(idOf(message.line, message.prefix))?.heard(message);
}

function endAll(): void {
  for (const { link } of [...connected.values()]) link.down(gone());
}

function gone(): Error {
  return refusal('The worker has disconnected from its primary: its bus hears of no other process any more');
}

function idOf(line: number, prefix: string): string {
  return `${line} ${prefix}`;
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
  if (relay !== undefined) {
    const text = 'relayBus() was called before in this process';
    throw new PurgatoryError('ERR_PURGATORY_ALREADY_JOINED', text);
  }
  /** By worker, line and prefix. */
  const listeners = new Map<string, Listener>();
  const own = (worker: Worker | undefined, message: unknown): void => {
    if (!isRelayMessage(message)) return;
    const { purgatoryRelay: kind, prefix, line, text = '' } = message;
    if (kind === 'text') {
      for (const [id, listener] of [...listeners]) {
        if (listener.prefix === prefix && !listener.relay(text)) listeners.delete(id);
      }
      return;
    }
    const id = `${worker?.id} ${idOf(line, prefix)}`;
    listeners.delete(id);
    if (kind !== 'hello') return;
    listeners.set(id, listenerOf(worker, prefix, line));
    post(worker, { purgatoryRelay: 'welcome', prefix, line });
  };
  const forget = (worker: Worker): void => {
    for (const [id, listener] of listeners) if (listener.worker === worker) listeners.delete(id);
  };
  relay = own;
  cluster.on('message', own);
  cluster.on('disconnect', forget);
  const close = (): void => {
    cluster.off('message', own);
    cluster.off('disconnect', forget);
    if (relay === own) relay = undefined;
  };
  return { close, [DISPOSE]: close };
}

const KINDS = new Set<unknown>(['hello', 'welcome', 'goodbye', 'text']);

/** A message may be anybody's: a worker that throws in the primary would end all others. */
function isRelayMessage(message: unknown): message is RelayMessage {
  const { purgatoryRelay, prefix, line, text = '', texts = [] } = Object(message) as Record<string, unknown>;
  return (
    KINDS.has(purgatoryRelay) &&
    typeof prefix === 'string' &&
    Number.isSafeInteger(line) &&
    typeof text === 'string' &&
    Array.isArray(texts)
  );
}

/** The relay's view of one bus. */
interface Listener {
  /** Undefined: it is the primary's. */
  readonly worker: Worker | undefined;
  readonly prefix: string;
  /** False when its backlog is too long. */
  relay(text: string): boolean;
}

/** Does nothing when the worker has gone: its 'disconnect' follows. */
function post(worker: Worker | undefined, message: RelayMessage, sent?: () => void): void {
  if (worker === undefined) {
    hear(message);
    sent?.();
  } else if (worker.isConnected()) worker.send(message, undefined, undefined, () => sent?.());
}

/** Texts that come while a message is under way go into the next message. */
function listenerOf(worker: Worker | undefined, prefix: string, line: number): Listener {
  let waiting: string[] = [];
  /** Characters of the texts that are waiting. */
  let backlog = 0;
  let isSending = false;
  const sendWaiting = (): void => {
    if (isSending || waiting.length === 0) return;
    const texts = waiting;
    waiting = [];
    backlog = 0;
    isSending = true;
    post(worker, { purgatoryRelay: 'text', prefix, line, texts }, () => {
      isSending = false;
      sendWaiting();
    });
  };
  const relay = (text: string): boolean => {
    waiting.push(text);
    backlog += text.length;
    sendWaiting();
    return backlog <= MAX_BACKLOG;
  };
  return { worker, prefix, relay };
}

function noRelay(message: string): PurgatoryError {
  return new PurgatoryError('ERR_PURGATORY_NO_RELAY', message);
}
