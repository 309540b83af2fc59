/// <reference lib="esnext.disposable" preserve="true" />
// `purgatory/bus/cluster`: a bus between the workers of node:cluster, and their primary, which relays.
// No server is needed.
//
// Ground rules. A worker says hello, and the relay answers with a welcome. From then on the worker
// gets every text of its prefix, its own included. The relay knows only which buses of a worker
// listen to which prefix. It does not touch the user's own messages. All buses of a worker share its
// listeners. A bus of the primary is a listener of the relay. A channel to the primary that has ended
// never comes back, so the bus ends, too.
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
/** Of the relay of this process: by worker, line and prefix. Undefined while it does not relay. */
let listeners: Map<string, Listener> | undefined;
/** The buses of this worker that are connected, by line and prefix. */
const inWorker = new Map<string, { link: TransportLink; heard(message: RelayMessage): void }>();

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
  if (!cluster.isWorker && listeners === undefined) {
    throw noRelay(
      'clusterBus() belongs in workers of node:cluster, or in a primary that has called relayBus()',
    );
  }
  const { prefix } = checkedBusOptions(options);
  return createBus(clusterTransport(prefix), options);
}

/** The transport alone: for the conformance suite. */
export function clusterTransport(prefix: string): Transport {
  return cluster.isWorker ? workerTransport(prefix) : primaryTransport(prefix);
}

function workerTransport(prefix: string): Transport {
  const line = lines++;
  const id = idOf(line, prefix);
  let noAnswer: NodeJS.Timeout | undefined;
  const say = (purgatoryRelay: RelayMessage['purgatoryRelay'], text?: string): Promise<void> =>
    new Promise((resolve, reject) => {
      if (!process.connected) throw gone();
      const message: RelayMessage = { purgatoryRelay, prefix, line, text };
      process.send?.(message, undefined, undefined, (error) => (error === null ? resolve() : reject(error)));
    });
  return {
    engine: 'cluster',
    connect(link) {
      noAnswer = setTimeout(() => {
        link.down(noRelay('The primary does not relay: call relayBus() of purgatory/bus/cluster there'));
      }, WELCOME_MS).unref();
      if (inWorker.size === 0) {
        process.on('message', hear);
        process.on('disconnect', endAll);
      }
      const heard = ({ purgatoryRelay, texts = [] }: RelayMessage): void => {
        clearTimeout(noAnswer);
        if (purgatoryRelay === 'welcome') link.up();
        else for (const text of texts) link.received(text);
      };
      inWorker.set(id, { link, heard });
      say('hello').catch(link.down);
    },
    publish(text) {
      return say('text', text);
    },
    disconnect() {
      if (!inWorker.delete(id)) return undefined;
      clearTimeout(noAnswer);
      if (inWorker.size === 0) {
        process.off('message', hear);
        process.off('disconnect', endAll);
      }
      return say('goodbye');
    },
  };
}

function hear(message: unknown): void {
  if (isRelayMessage(message)) inWorker.get(idOf(message.line, message.prefix))?.heard(message);
}

function endAll(): void {
  for (const { link } of [...inWorker.values()]) link.down(gone());
}

function gone(): Error {
  return refusal('The worker has disconnected from its primary: its bus hears of no other process any more');
}

function primaryTransport(prefix: string): Transport {
  const id = `primary ${idOf(lines++, prefix)}`;
  return {
    engine: 'cluster',
    connect(link) {
      if (listeners === undefined)
        throw noRelay('The primary does not relay any more: call relayBus() again');
      const relay = (text: string): boolean => {
        link.received(text);
        return true;
      };
      listeners.set(id, { worker: undefined, prefix, relay });
      link.up();
    },
    publish(text) {
      if (!listeners?.has(id)) throw new Error('The primary does not relay any more');
      relayText(prefix, text);
      return undefined;
    },
    disconnect() {
      listeners?.delete(id);
      return undefined;
    },
  };
}

function idOf(line: number, prefix: string): string {
  return `${line} ${prefix}`;
}

function relayText(prefix: string, text: string): void {
  for (const [id, listener] of [...(listeners ?? [])]) {
    if (listener.prefix === prefix && !listener.relay(text)) listeners?.delete(id);
  }
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
  if (listeners !== undefined) {
    const text = 'relayBus() was called before in this process';
    throw new PurgatoryError('ERR_PURGATORY_ALREADY_JOINED', text);
  }
  const own = new Map<string, Listener>();
  listeners = own;
  const relay = (worker: Worker, message: unknown): void => {
    if (!isRelayMessage(message)) return;
    const { purgatoryRelay: kind, prefix, line, text } = message;
    if (kind === 'text') {
      if (text !== undefined) relayText(prefix, text);
      return;
    }
    const id = `${worker.id} ${idOf(line, prefix)}`;
    own.delete(id);
    if (kind === 'hello') own.set(id, welcome(worker, prefix, line));
  };
  const forget = (worker: Worker): void => {
    for (const [id, listener] of own) if (listener.worker === worker) own.delete(id);
  };
  cluster.on('message', relay);
  cluster.on('disconnect', forget);
  const close = (): void => {
    cluster.off('message', relay);
    cluster.off('disconnect', forget);
    if (listeners === own) listeners = undefined;
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

/** Welcomes the bus. Texts that come while a message is under way go into the next message. */
function welcome(worker: Worker, prefix: string, line: number): Listener {
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
