// A wait: a parked operation behind a promise, for users who would rather await than extend
// DelayedOperation.
//
// Invariants. It ends once, by `end` alone, when it is off all lists: with a value, with the
// expiry, or with a Rejection (abort, cancel, close, a throw of user code). Then its promise settles.
// It has an outcome exactly when it has ended. It is in no list that a purgatory returns; events
// and `onError` may show it. However many wait on one AbortSignal, there is one listener on it, and
// none once the last of them has left. A wait lives long, and half of its cost is garbage
// collection: so each further field or object costs time.
import { type Abortable, abortReason, addAbortable, removeAbortable } from '../base/abort-listeners.ts';
import { Rejection, resolution } from '../base/rejection.ts';
import type { Settleable, Settler } from '../turns/settler.ts';
import { COMPLETED, DelayedOperation, type End, type Keeper, REJECTED } from './delayed-operation.ts';
import type { ReadWaitOptions } from './purgatory-options.ts';

/**
 * What {@link Purgatory.waitFor} resolves with. Ask `expired` before `value`: an expired wait has
 * none. It destructures: `const { expired, value } = await ...`.
 */
export type WaitResult<T> = { expired: false; value: T } | { expired: true; value?: undefined };

/** What a condition returns that does not hold yet. */
export type NotYet = undefined | null | false;

/** False for {@link NotYet}. 0, '' and NaN are answers. */
export function isAnswer(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false;
}

export abstract class Wait extends DelayedOperation implements Abortable, Settleable {
  declare $keeper: Keeper | undefined;
  override readonly $label: string | undefined;
  readonly #signal: AbortSignal | undefined;
  #resolve: ((outcome: unknown) => void) | undefined;
  #outcome: unknown;

  constructor({ timeoutMs, signal, label }: ReadWaitOptions) {
    super(timeoutMs);
    this.$label = label;
    this.#signal = signal;
    this.#resolve = undefined;
    this.#outcome = undefined;
  }

  /** Whether it has ended. */
  protected get isOver(): boolean {
    return this.$place <= COMPLETED;
  }

  /**
   * Its promise. To be called once, after parking: from now on the signal's abort takes it out. One
   * that has ended already needs no promise that waits.
   */
  begin(): Promise<unknown> {
    if (this.#signal !== undefined && this.isPending) this.#watch(this.#signal);
    const outcome = this.#outcome;
    if (outcome !== undefined) return Promise.resolve(resolution(outcome));
    return new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  #watch(signal: AbortSignal): void {
    try {
      if (signal.aborted) this.abort(abortReason(signal));
      else addAbortable(signal, this);
    } catch (error) {
      this.abort(error); // a signal that is no real one may throw
    }
  }

  /** Completes it with `value`: true iff this call did. */
  protected answer(value: unknown): boolean {
    return this.#leave('completed', { expired: false, value });
  }

  /** Completes it; its promise resolves with `outcome`. True iff this call did. */
  protected complete(outcome: unknown): boolean {
    return this.#leave('completed', outcome);
  }

  #leave(how: End, outcome: unknown, error?: unknown): boolean {
    if (this.isOver) return false;
    const { $keeper: keeper } = this;
    keeper?.leave(this, how, error);
    this.end(outcome, keeper?.settler);
    return true;
  }

  /** It is off all lists. What it ended with, and where its promise is to settle, if it has one. */
  end(outcome: unknown, settler: Settler | undefined): void {
    this.$place = outcome instanceof Rejection ? REJECTED : COMPLETED;
    this.#outcome = outcome;
    if (this.#signal !== undefined) removeAbortable(this.#signal, this);
    settler?.settle(this);
  }

  /** What the promise settles with at the deadline. A Rejection rejects it. */
  expiry(): unknown {
    return { expired: true };
  }

  /** The signal has aborted. */
  abort(reason: unknown): void {
    this.#leave('cancelled', new Rejection(reason));
  }

  /** User code for it has thrown: true iff this call ended it. */
  fail(error: unknown): boolean {
    return this.#leave('rejected', new Rejection(error), error);
  }

  /** Why it ended without a value; undefined when it has not. */
  protected failure(): Rejection | undefined {
    const outcome = this.#outcome;
    if (outcome instanceof Rejection) return outcome;
    return (outcome as Partial<WaitResult<unknown>> | undefined)?.expired === true
      ? new Rejection(new DOMException('The wait has expired', 'TimeoutError'))
      : undefined;
  }

  override $takeOut(why: (wait: DelayedOperation) => Rejection): boolean {
    this.#leave('cancelled', why(this));
    return false;
  }

  override $expire(settler?: Settler): unknown[] {
    this.end(this.expiry(), settler);
    return [];
  }

  settle(): void {
    this.#resolve?.(resolution(this.#outcome));
  }

  /** For a listener that forces what it is shown. */
  override forceComplete(): boolean {
    return this.answer(undefined);
  }

  override onComplete(): void {}
}
