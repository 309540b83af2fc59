// `waitFor`: a parked operation behind a promise, for those who would rather await than extend DelayedOperation.
//
// Ground rules. A Waiter is an operation like any other, so exactly once, immediate removal and the order of passes hold for it.
// It settles its promise once: with the value, with the expiry, or with a refusal (abort, cancel, close, a throw of `attempt`).
// However many wait on one AbortSignal, there is one listener on it, and none once the last of them has left.
import { type Abortable, addAbortable, removeAbortable } from '../abort-listeners.ts';
import { COMPLETED, DelayedOperation, type OperationKeeper } from './delayed-operation.ts';

/** What {@link Purgatory.waitFor} resolves with. */
export type WaitResult<T> = { expired: false; value: T } | { expired: true };

export class Waiter extends DelayedOperation implements Abortable {
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
    if (this.#signal !== undefined) addAbortable(this.#signal, this);
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
    (this.$keeper as unknown as OperationKeeper).withdraw(this);
    this.refuse(reason);
  }

  /** Rejects the promise of a waiter that has been taken out of its purgatory. */
  refuse(why: unknown): void {
    this.$place = COMPLETED; // an attempt under way must not answer it any more
    this.#forgetSignal();
    this.#reject(why);
  }

  #forgetSignal(): void {
    if (this.#signal !== undefined) removeAbortable(this.#signal, this);
  }
}
