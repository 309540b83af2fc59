// The primary's side of the cluster bus: a relay between the buses of all workers.
//
// Ground rules. A worker says hello, and the relay answers with a welcome. From then on the worker
// gets every text of its prefix, its own included. The relay knows only which buses of a worker
// listen to which prefix. It does not touch the user's own messages.
//
// A worker that reads nothing (it is stopped, or blocked) has its texts queued in the primary.
// Beyond MAX_BACKLOG characters the relay drops the worker. The worker's bus then misses its echo,
// and says hello again.
import cluster, { type Worker } from 'node:cluster';
import { noRelay, relayCalledTwice } from '../../errors.ts';

/** A message between a worker and the primary. */
export interface RelayMessage {
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

const MAX_BACKLOG = 16_000_000;

let isRelaying = false;

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
  const listeners = new Set<Listener>();
  const relay = (worker: Worker, message: unknown): void => {
    if (!isRelayMessage(message)) return;
    const { purgatoryRelay: kind, prefix, line, text } = message;
    if (kind === 'text') {
      for (const listener of listeners) {
        if (listener.prefix === prefix && !listener.relay(text as string)) listeners.delete(listener);
      }
      return;
    }
    for (const listener of listeners) {
      if (listener.worker === worker && listener.prefix === prefix && listener.line === line) {
        listeners.delete(listener);
      }
    }
    if (kind !== 'hello') return;
    const listener = new Listener(worker, prefix, line);
    listeners.add(listener);
    listener.welcome();
  };
  const forget = (worker: Worker): void => {
    for (const listener of listeners) if (listener.worker === worker) listeners.delete(listener);
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

export function isRelayMessage(message: unknown): message is RelayMessage {
  return typeof message === 'object' && message !== null && 'purgatoryRelay' in message;
}

/**
 * The relay's view of one bus of a worker. Texts that come while a message is under way to it go
 * into the next message.
 */
class Listener {
  readonly worker: Worker;
  readonly prefix: string;
  readonly line: number;
  #waiting: string[] = [];
  /** Characters of the texts that are waiting. */
  #backlog = 0;
  #isSending = false;

  constructor(worker: Worker, prefix: string, line: number) {
    this.worker = worker;
    this.prefix = prefix;
    this.line = line;
  }

  welcome(): void {
    this.#send('welcome');
  }

  /** False when its backlog is too long. */
  relay(text: string): boolean {
    this.#waiting.push(text);
    this.#backlog += text.length;
    if (!this.#isSending) this.#sendWaiting();
    return this.#backlog <= MAX_BACKLOG;
  }

  #sendWaiting(): void {
    const texts = this.#waiting;
    if (texts.length === 0) return;
    this.#waiting = [];
    this.#backlog = 0;
    this.#isSending = true;
    this.#send('text', texts, () => {
      this.#isSending = false;
      this.#sendWaiting();
    });
  }

  /** Does nothing when the worker has gone: its 'disconnect' follows. */
  #send(purgatoryRelay: 'welcome' | 'text', texts?: readonly string[], sent?: () => void): void {
    const message: RelayMessage = { purgatoryRelay, prefix: this.prefix, line: this.line, texts };
    if (this.worker.isConnected()) this.worker.send(message, undefined, undefined, () => sent?.());
  }
}
