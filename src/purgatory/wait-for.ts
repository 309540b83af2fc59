// `waitFor`: a parked operation behind a promise, for those who would rather await than extend DelayedOperation.
//
// Ground rules. A Waiter is an operation like any other, so exactly once, immediate removal and the order of passes hold for it.
// It settles its promise once: with the value, with the expiry, or with a refusal (abort, cancel, close, a throw of `attempt`).
// However many wait on one AbortSignal, there is one listener on it, and none once the last of them has left.
import { addAbortListener } from 'node:events';
import type { PurgatoryError } from '../errors.ts';
import { DelayedOperation } from './delayed-operation.ts';

/** What {@link Purgatory.waitFor} resolves with. */
export type WaitResult<T> = { expired: false; value: T } | { expired: true };

export class Waiter extends DelayedOperation {
  readonly promise: Promise<WaitResult<unknown>>;
  readonly #attempt: () => unknown;
  readonly #signal: AbortSignal | undefined;
  #resolve!: (result: WaitResult<unknown>) => void;
  #reject!: (reason: unknown) => void;
  #value: unknown;

  constructor(attempt: () => unknown, timeoutMs: number, signal: AbortSignal | undefined) {
    super(timeoutMs);
    this.#attempt = attempt;
    this.#signal = signal;
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** To be called once it is parked: from now on the signal's abort takes it out. */
  watchSignal(): void {
    if (this.#signal !== undefined) addWaiter(this.#signal, this);
  }

  override tryComplete(): boolean {
    let value: unknown;
    try {
      value = this.#attempt();
    } catch (error) {
      this.#reject(error);
      this.forceComplete();
      return false;
    }
    if (value === undefined || this.isCompleted) return false;
    this.#value = value;
    return this.forceComplete();
  }

  override onComplete(): void {
    this.#forgetSignal();
    if (this.#value !== undefined) this.#resolve({ expired: false, value: this.#value });
  }

  override onExpiration(): void {
    this.#resolve({ expired: true });
  }

  /** The signal has aborted. */
  abort(reason: unknown): void {
    this.#reject(reason);
    this.forceComplete();
  }

  /** Rejects the promise of a waiter that has been taken out of its purgatory. */
  refuse(why: PurgatoryError): void {
    this.#forgetSignal();
    this.#reject(why);
  }

  #forgetSignal(): void {
    if (this.#signal !== undefined) removeWaiter(this.#signal, this);
  }
}

interface SignalWaiters {
  readonly waiters: Set<Waiter>;
  readonly listener: Disposable;
}

const waitersOf = new WeakMap<AbortSignal, SignalWaiters>();

function addWaiter(signal: AbortSignal, waiter: Waiter): void {
  let entry = waitersOf.get(signal);
  if (entry === undefined) {
    const waiters = new Set<Waiter>();
    const listener = addAbortListener(signal, () => {
      waitersOf.delete(signal);
      for (const each of waiters) each.abort(signal.reason);
    });
    entry = { waiters, listener };
    waitersOf.set(signal, entry);
  }
  entry.waiters.add(waiter);
}

function removeWaiter(signal: AbortSignal, waiter: Waiter): void {
  const entry = waitersOf.get(signal);
  if (entry === undefined || !entry.waiters.delete(waiter) || entry.waiters.size > 0) return;
  waitersOf.delete(signal);
  entry.listener[Symbol.dispose]();
}
