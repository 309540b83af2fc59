// One who waits for a key to come to a state: a parked operation behind a promise.
//
// Ground rules. It stands in the list of its key, and in the parking for its deadline, from parking until it ends; whatever ends it
// takes it out of both and off its signal before the promise settles. Nobody tries it: a state is offered to it, by
// the answers to a load that began after it was parked.
import { type Abortable, addAbortable, removeAbortable } from '../abort-listeners.ts';
import { invalidReturnValue } from '../errors.ts';
import { DelayedOperation } from '../purgatory/delayed-operation.ts';
import type { WaitResult } from '../purgatory/wait-for.ts';

/** The list of a key, which a waiter leaves. */
export interface WaiterList<V> {
  leave(waiter: SharedWaiter<V>): void;
}

export class SharedWaiter<V> extends DelayedOperation implements Abortable {
  readonly promise: Promise<WaitResult<unknown>>;
  /** Counts those who were parked: a load answers who has a number up to the one at its beginning. */
  readonly number: number;
  readonly #list: WaiterList<V>;
  readonly #accept: (value: V | undefined) => unknown;
  readonly #signal: AbortSignal | undefined;
  #resolve!: (result: WaitResult<unknown>) => void;
  #reject!: (reason: unknown) => void;
  #answer: unknown;

  constructor(
    list: WaiterList<V>,
    number: number,
    accept: (value: V | undefined) => unknown,
    timeoutMs: number,
    signal: AbortSignal | undefined,
  ) {
    super(timeoutMs);
    this.#list = list;
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

  /** Offers a state of the key that was loaded after it was parked: true iff it ended by it, answered or rejected. */
  offer(value: V | undefined): boolean {
    const accept = this.#accept;
    let answer: unknown;
    try {
      answer = accept(value);
      if (typeof (answer as PromiseLike<unknown> | undefined)?.then === 'function') {
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

  /** Takes it out, unless it has ended: its promise is rejected with `why`. True iff this call ended it. */
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
    this.#list.leave(this);
    if (this.#signal !== undefined) removeAbortable(this.#signal, this);
  }
}
