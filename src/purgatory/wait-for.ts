// `waitFor`: a parked operation behind a promise, for those who would rather await than extend
// DelayedOperation.
//
// Ground rules. A Waiter is an operation like any other, so exactly once, immediate removal and the
// order of passes hold for it. It settles its promise once: with the value, with the expiry, or
// with a refusal (abort, cancel, close, a throw of `attempt`). However many wait on one
// AbortSignal, there is one listener on it, and none once the last of them has left.
//
// An attempt that returns a promise is under way until that settles; there is at most one at a
// time. A try meanwhile only leaves a note, and the attempt is followed by one more. When the
// waiter is settled otherwise, what the attempt under way resolves or rejects with is dropped, and
// `context.signal` aborts.
import { type Abortable, abortReason, addAbortable, removeAbortable } from '../abort-listeners.ts';
import { COMPLETED, DelayedOperation, type OperationKeeper } from './delayed-operation.ts';
import type { CheckedWaitOptions } from './purgatory-options.ts';

/** What {@link Purgatory.waitFor} resolves with. */
export type WaitResult<T> = { expired: false; value: T } | { expired: true };

/** Given to each attempt of {@link Purgatory.waitFor}. */
export interface AttemptContext {
  /**
   * Aborts when the wait ends without a value: by its deadline, an abort, `cancelForKey`, `close`
   * or a throw. Made on demand.
   */
  readonly signal: AbortSignal;
}

/**
 * Looks whether what is waited for is there: its value, or undefined for "not yet"; now, or by a
 * promise.
 */
export type Attempt<T> = (context: AttemptContext) => T | undefined | Promise<T | undefined>;

export class Waiter extends DelayedOperation implements Abortable {
  readonly promise: Promise<WaitResult<unknown>>;
  readonly label: string | undefined;
  readonly #attempt: Attempt<unknown>;
  readonly #signal: AbortSignal | undefined;
  readonly #context = new LazySignal();
  #resolve!: (result: WaitResult<unknown>) => void;
  #reject!: (reason: unknown) => void;
  #value: unknown;
  /** An attempt has returned a promise: the next ones may. */
  #isAsynchronous = false;
  /**
   * Attempts that have begun and not ended: 0 or 1, unless a synchronous one led to another before
   * it ended.
   */
  #underWay = 0;
  /** An event came while an attempt was under way. */
  #isDue = false;

  constructor(attempt: Attempt<unknown>, { timeoutMs, signal, label }: CheckedWaitOptions) {
    super(timeoutMs);
    this.label = label;
    this.#attempt = attempt;
    this.#signal = signal;
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** An attempt has begun, and its promise has not settled. */
  get isUnderWay(): boolean {
    return this.#underWay > 0;
  }

  /** To be called once it is parked: from now on the signal's abort takes it out. */
  watchSignal(): void {
    const signal = this.#signal;
    if (signal === undefined) return;
    if (signal.aborted) this.abort(abortReason(signal));
    else addAbortable(signal, this);
  }

  override tryComplete(): boolean {
    if (this.#underWay > 0) {
      this.#isDue = true;
      return false;
    }
    // What may return a promise is under way from the call on: its first part may cause an event on
    // its own keys.
    const counts = this.#isAsynchronous ? 1 : 0;
    this.#underWay += counts;
    let value: unknown;
    let isPromise: boolean;
    try {
      value = this.#attempt(this.#context);
      isPromise = isThenable(value);
    } catch (error) {
      this.#fail(error);
      return false;
    } finally {
      this.#underWay -= counts;
    }
    if (isPromise) this.#follow(value as PromiseLike<unknown>);
    else if (value !== undefined) return this.#answer(value);
    else if (this.#isDue) this.#follow(Promise.resolve()); // once more, and not on top of this call
    return false;
  }

  #answer(value: unknown): boolean {
    if (this.isCompleted) return false;
    this.#value = value;
    return this.forceComplete();
  }

  #follow(promise: PromiseLike<unknown>): void {
    this.#isAsynchronous = true;
    this.#underWay++;
    Promise.resolve(promise).then(
      (value) => {
        this.#underWay--;
        if (value !== undefined) this.#answer(value);
        else if (this.#isDue && this.#underWay === 0) this.#tryAgain();
      },
      (error: unknown) => {
        this.#underWay--;
        this.#fail(error);
      },
    );
  }

  #tryAgain(): void {
    this.#isDue = false;
    if (!this.isCompleted) (this.$keeper as unknown as OperationKeeper).tryAgain(this);
  }

  /** An attempt has thrown, or rejected. */
  #fail(error: unknown): void {
    if (this.isCompleted) return;
    (this.$keeper as unknown as OperationKeeper | undefined)?.withdraw(this);
    this.refuse(error);
  }

  override onComplete(): void {
    this.#forgetSignal();
    if (this.#value !== undefined) this.#resolve({ expired: false, value: this.#value });
  }

  override onExpiration(): void {
    this.#resolve({ expired: true });
    this.#context.abort(() => new DOMException('The wait has expired', 'TimeoutError'));
  }

  /** The signal has aborted. */
  abort(reason: unknown): void {
    (this.$keeper as unknown as OperationKeeper).withdraw(this);
    this.refuse(reason);
  }

  /** Rejects the promise of a waiter that is not parked, or not any more. */
  refuse(why: unknown): void {
    this.$place = COMPLETED; // an attempt under way must not answer it any more
    this.#forgetSignal();
    this.#reject(why);
    this.#context.abort(() => why);
  }

  #forgetSignal(): void {
    if (this.#signal !== undefined) removeAbortable(this.#signal, this);
  }
}

function isThenable(value: unknown): boolean {
  return (
    value !== null &&
    (typeof value === 'object' || typeof value === 'function') &&
    typeof (value as Partial<PromiseLike<unknown>>).then === 'function'
  );
}

/**
 * Makes its signal when an attempt asks for it first: most attempts look at memory and never do.
 * One that is made after the end is aborted.
 */
class LazySignal implements AttemptContext {
  #controller: AbortController | undefined;
  #reason: (() => unknown) | undefined;

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#reason !== undefined) this.#controller.abort(this.#reason());
    }
    return this.#controller.signal;
  }

  /** The wait is over; `reason` is asked for only where there is a signal. */
  abort(reason: () => unknown): void {
    this.#reason = reason;
    this.#controller?.abort(reason());
  }
}
