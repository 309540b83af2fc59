// A parked operation behind a promise, for those who would rather await than extend
// DelayedOperation.
//
// Ground rules. It is an operation like any other, so exactly once, immediate removal and the order
// of passes hold for it. It settles its promise once: with the value, with the expiry, or with a
// refusal (abort, cancel, close, a throw of user code). It is in no list that a purgatory returns;
// events and `onError` may show it. However many wait on one AbortSignal, there is one listener on
// it, and none once the last of them has left.
import { type Abortable, abortReason, addAbortable, removeAbortable } from '../base/abort-listeners.ts';
import type { Settlements, Settling } from '../turns/settlements.ts';
import { COMPLETED, DelayedOperation, type OperationKeeper } from './delayed-operation.ts';
import type { CheckedWaitOptions } from './purgatory-options.ts';

/**
 * What {@link Purgatory.waitFor} resolves with. Ask `expired` before `value`: an expired wait has
 * none.
 */
export type WaitResult<T> = { expired: false; value: T } | { expired: true };

/** What an attempt or an `accept` says of a condition that does not hold yet. */
export type NotYet = undefined | null | false;

/** False for {@link NotYet}. 0, '' and NaN are answers. */
export function isAnswer(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false;
}

export abstract class PromisedOperation extends DelayedOperation implements Abortable, Settling {
  readonly promise: Promise<WaitResult<unknown>>;
  readonly label: string | undefined;
  readonly #signal: AbortSignal | undefined;
  #resolve!: (result: WaitResult<unknown>) => void;
  #reject!: (reason: unknown) => void;
  /** What it waited for. Its result is made when the promise settles: until then it costs nothing. */
  #value: unknown;
  readonly #settlements: Settlements;
  /** What the promise is to settle with if there is no value: an expiry, or why it is refused. */
  #outcome: unknown;
  #isRefused = false;

  /** @param settlements those of the purgatory: a burst of answers settles fairly. */
  constructor({ timeoutMs, signal, label }: CheckedWaitOptions, settlements: Settlements) {
    super(timeoutMs);
    this.#settlements = settlements;
    this.label = label;
    this.#signal = signal;
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** A try has begun, and its promise has not settled. */
  get isUnderWay(): boolean {
    return false;
  }

  /** To be called after parking: from now on the signal's abort takes it out, if it is parked. */
  watchSignal(): void {
    const signal = this.#signal;
    if (signal === undefined || !this.isPending) return;
    try {
      if (signal.aborted) this.fail(abortReason(signal));
      else addAbortable(signal, this);
    } catch (error) {
      this.fail(error); // a signal that is no real one may throw
    }
  }

  /** Completes it with `value`: true iff this call did. */
  protected answer(value: unknown): boolean {
    if (this.isCompleted) return false;
    this.#value = value;
    return this.forceComplete();
  }

  override onComplete(): void {
    this.#forgetSignal();
    if (this.#value !== undefined) this.#settlements.settle(this);
  }

  override onExpiration(): void {
    this.#settleWith(this.expiry());
  }

  /** What the promise resolves with at the deadline. */
  protected expiry(): WaitResult<unknown> {
    return { expired: true };
  }

  /** The signal has aborted. */
  abort(reason: unknown): void {
    this.fail(reason);
  }

  /**
   * Takes it out, if it is parked, and rejects its promise with `why`, unless it has ended: true
   * iff this call ended it.
   */
  fail(why: unknown): boolean {
    if (this.isCompleted) return false;
    (this.$keeper as unknown as OperationKeeper | undefined)?.withdraw(this);
    this.refuse(why);
    return true;
  }

  /** Why it ended without a value; undefined when it has not. */
  protected failure(): { reason: unknown } | undefined {
    if (this.#isRefused) return { reason: this.#outcome };
    const hasExpired = (this.#outcome as WaitResult<unknown> | undefined)?.expired === true;
    return hasExpired ? { reason: new DOMException('The wait has expired', 'TimeoutError') } : undefined;
  }

  /** Rejects the promise of one that is not parked, or not any more. */
  refuse(why: unknown): void {
    try {
      this.$place = COMPLETED; // nothing must answer it any more
    } catch (error) {
      if (!Object.isFrozen(this)) throw error; // a listener has frozen it: its promise settles even so
    }
    this.#forgetSignal();
    this.#isRefused = true;
    this.#settleWith(why);
  }

  #settleWith(outcome: unknown): void {
    this.#outcome = outcome;
    this.#settlements.settle(this);
  }

  settle(): void {
    if (this.#isRefused) this.#reject(this.#outcome);
    else if (this.#value === undefined) this.#resolve(this.#outcome as WaitResult<unknown>);
    else this.#resolve({ expired: false, value: this.#value });
  }

  #forgetSignal(): void {
    if (this.#signal !== undefined) removeAbortable(this.#signal, this);
  }
}
