/**
 * What servers on Node write by hand: a Map from key to a Set of waiters, and a setTimeout for each
 * waiter. There is one with callbacks, one with promises, and one with `events.once` and
 * AbortSignal.timeout.
 */
import { EventEmitter, once } from 'node:events';
import type { ParkingPeer, ParkingPeerOptions } from './parking-peer.ts';

class Waiter {
  isReady = false;
  isDone = false;
  keys: readonly string[] = [];
  timeout: NodeJS.Timeout | undefined;
  resolve: (() => void) | undefined;
  readonly timeoutMs: number;

  constructor(timeoutMs: number) {
    this.timeoutMs = timeoutMs;
  }
}

class Idiom implements ParkingPeer<Waiter> {
  done = 0;
  readonly #waiters = new Map<string, Set<Waiter>>();
  readonly #onExpired: ((op: unknown) => void) | undefined;
  readonly #withPromise: boolean;

  constructor(withPromise: boolean, { onExpired }: ParkingPeerOptions = {}) {
    this.#withPromise = withPromise;
    this.#onExpired = onExpired;
  }

  operation(timeoutMs: number): Waiter {
    return new Waiter(timeoutMs);
  }

  park(waiter: Waiter, keys: readonly string[]): void {
    waiter.keys = keys;
    for (const key of keys) {
      const waiters = this.#waiters.get(key);
      if (waiters === undefined) this.#waiters.set(key, new Set([waiter]));
      else waiters.add(waiter);
    }
    waiter.timeout = setTimeout(() => {
      this.complete(waiter);
      this.#onExpired?.(waiter);
    }, waiter.timeoutMs);
    if (this.#withPromise) {
      void new Promise<void>((resolve) => {
        waiter.resolve = resolve;
      }).then(() => {
        this.done++;
      });
    }
  }

  complete(waiter: Waiter): void {
    if (waiter.isDone) return;
    waiter.isDone = true;
    clearTimeout(waiter.timeout);
    for (const key of waiter.keys) {
      const waiters = this.#waiters.get(key);
      waiters?.delete(waiter);
      if (waiters?.size === 0) this.#waiters.delete(key);
    }
    if (waiter.resolve === undefined) this.done++;
    else waiter.resolve();
  }

  ready(waiter: Waiter): void {
    waiter.isReady = true;
  }

  check(key: string): void {
    const waiters = this.#waiters.get(key);
    if (waiters === undefined) return;
    for (const waiter of waiters) if (waiter.isReady) this.complete(waiter);
  }
}

export const callbackIdiom = (options?: ParkingPeerOptions): ParkingPeer<Waiter> => new Idiom(false, options);
export const promiseIdiom = (options?: ParkingPeerOptions): ParkingPeer<Waiter> => new Idiom(true, options);

class SignalWaiter {
  readonly stop = new AbortController();
  readonly timeoutMs: number;

  constructor(timeoutMs: number) {
    this.timeoutMs = timeoutMs;
  }
}

/**
 * A race of `events.once`, one for each key. An event wakes all waiters of its key. It knows no
 * condition, so it has no `check`.
 */
export const onceIdiom = ({ onExpired }: ParkingPeerOptions = {}): ParkingPeer<SignalWaiter> => {
  const emitter = new EventEmitter().setMaxListeners(0);
  const unavailable = (): never => {
    throw new Error('events.once completes all that wait, ready or not');
  };
  const peer = {
    done: 0,
    operation: (timeoutMs: number) => new SignalWaiter(timeoutMs),
    park: (waiter: SignalWaiter, keys: readonly string[]) => {
      const deadline = AbortSignal.timeout(waiter.timeoutMs);
      const signal = AbortSignal.any([waiter.stop.signal, deadline]);
      const over = (): void => {
        peer.done++;
        if (deadline.aborted) onExpired?.(waiter);
      };
      Promise.race(keys.map((key) => once(emitter, key, { signal }))).then(over, over);
    },
    complete: (waiter: SignalWaiter) => waiter.stop.abort(),
    ready: unavailable,
    check: unavailable,
  };
  return peer;
};
