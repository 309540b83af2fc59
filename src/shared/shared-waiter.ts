// One who waits for a key to come to a state: a parked operation behind a promise.
//
// Ground rules. It stands in the list of its key, and in the parking for its deadline, from parking
// until it ends; whatever ends it takes it out of both and off its signal before the promise
// settles. Nobody tries it: a state is offered to it, by the answers to a load that began after it
// was parked.
import { type Abortable, addAbortable, removeAbortable } from '../abort-listeners.ts';
import { invalidReturnValue } from '../errors.ts';
import { DelayedOperation } from '../purgatory/delayed-operation.ts';
import type { WaitResult } from '../purgatory/wait-for.ts';
import type { KeyWaiter, WatchedKey } from './watched-key.ts';

/** Told once of each waiter that has ended, when it is off all lists. */
export type WaiterLeft<V> = (waiter: SharedWaiter<V>) => void;

export class SharedWaiter<V> extends DelayedOperation implements Abortable, KeyWaiter<V> {
  readonly promise: Promise<WaitResult<unknown>>;
  readonly number: number;
  readonly watched: WatchedKey<V>;
  /**
   * Its place in the list of its key, and in that of all waiters: the lists' own (watched-key.ts,
   * waiter-lists.ts).
   */
  before: KeyWaiter<V> | undefined;
  after: KeyWaiter<V> | undefined;
  older: SharedWaiter<V> | undefined;
  younger: SharedWaiter<V> | undefined;
  /** When it was parked, as the lists are told (parked-lists.ts). */
  stamp = 0;
  readonly #left: WaiterLeft<V>;
  readonly #accept: (value: V | undefined) => unknown;
  readonly #signal: AbortSignal | undefined;
  #resolve!: (result: WaitResult<unknown>) => void;
  #reject!: (reason: unknown) => void;
  #answer: unknown;

  constructor(
    watched: WatchedKey<V>,
    number: number,
    left: WaiterLeft<V>,
    accept: (value: V | undefined) => unknown,
    timeoutMs: number,
    signal: AbortSignal | undefined,
  ) {
    super(timeoutMs);
    this.watched = watched;
    this.#left = left;
    this.number = number;
    this.#accept = accept;
    this.#signal = signal;
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** To be called once it is parked. */
  watchSignal(): void {
    if (this.#signal !== undefined) addAbortable(this.#signal, this);
  }

  override tryComplete(): boolean {
    return false;
  }

  offer(value: V | undefined): boolean {
    const accept = this.#accept;
    let answer: unknown;
    try {
      answer = accept(value);
      if (typeof (answer as PromiseLike<unknown> | undefined)?.then === 'function') {
        Promise.resolve(answer).catch(() => {}); // the error below says it all
        throw invalidReturnValue('a value, or undefined for "not yet", and no promise', 'accept', answer);
      }
    } catch (error) {
      return this.refuse(error);
    }
    // The call was user code, which may have ended it.
    if (answer === undefined || !this.isPending) return false;
    this.#answer = answer;
    return this.forceComplete();
  }

  override onComplete(): void {
    this.#leave();
    if (this.#answer !== undefined) this.#resolve({ expired: false, value: this.#answer });
  }

  override onExpiration(): void {
    this.#resolve({ expired: true });
  }

  /** The signal has aborted. */
  abort(reason: unknown): void {
    this.refuse(reason);
  }

  refuse(why: unknown): boolean {
    if (!this.cancel()) return false;
    this.wasTakenOut(why);
    return true;
  }

  /** The parking was closed and has given it back: its promise is rejected with `why`. */
  wasTakenOut(why: unknown): void {
    this.#leave();
    this.#reject(why);
  }

  #leave(): void {
    if (this.#signal !== undefined) removeAbortable(this.#signal, this);
    this.#left(this);
  }
}
