// `waitFor`: an operation that tries by calling an attempt of the user's.
//
// Ground rules. Those of PromisedOperation. An attempt that returns a promise is under way until
// that settles; there is at most one at a time. A try meanwhile only leaves a note, and the attempt
// is followed by one more. When the waiter is settled otherwise, what the attempt under way
// resolves or rejects with is dropped, and `context.signal` aborts.
import type { Settlements } from '../turns/settlements.ts';
import type { OperationKeeper } from './delayed-operation.ts';
import { isAnswer, type NotYet, PromisedOperation } from './promised-operation.ts';
import type { CheckedWaitOptions } from './purgatory-options.ts';

/** Given to each attempt of {@link Purgatory.waitFor}. */
export interface AttemptContext<K = string> {
  /**
   * Aborts when the wait ends without a value: by its deadline, an abort, `cancelForKey`, `close`
   * or a throw. Made on demand.
   */
  readonly signal: AbortSignal;
  /**
   * The watch key whose event caused this attempt: the last one, where several came during the
   * attempt before. Undefined for the first attempts, right before and after parking, and for the
   * sweep of a bus.
   */
  readonly key: K | undefined;
}

/**
 * Returns the value that is waited for, or undefined, null or false for "not yet", or a promise of
 * either. 0, '' and NaN are values. The value becomes the `value` of a {@link WaitResult} that has
 * not `expired`.
 */
export type Attempt<T, K = string> = (context: AttemptContext<K>) => T | NotYet | Promise<T | NotYet>;

export class Waiter extends PromisedOperation {
  readonly #attempt: Attempt<unknown, unknown>;
  readonly #context = new Context(this);
  #controller: AbortController | undefined;
  /** An attempt has returned a promise: the next ones may. */
  #isAsynchronous = false;
  /**
   * Attempts that have begun and not ended: 0 or 1, unless a synchronous one led to another before
   * it ended.
   */
  #underWay = 0;
  /** The key of the last event that came while an attempt was under way. */
  #dueKey: unknown;
  /** An event came while an attempt was under way. */
  #isDue = false;

  constructor(attempt: Attempt<unknown, unknown>, options: CheckedWaitOptions, settlements: Settlements) {
    super(options, settlements);
    this.#attempt = attempt;
  }

  override get isUnderWay(): boolean {
    return this.#underWay > 0;
  }

  override tryComplete(): boolean {
    const key = (this.$keeper as unknown as { eventKey: unknown } | undefined)?.eventKey;
    if (this.#underWay > 0) {
      this.#isDue = true;
      this.#dueKey = key;
      return false;
    }
    this.#context.key = key ?? this.#dueKey;
    this.#dueKey = undefined;
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
      this.fail(error);
      return false;
    } finally {
      this.#underWay -= counts;
    }
    if (isPromise) this.#follow(value as PromiseLike<unknown>);
    else if (isAnswer(value)) return this.answer(value);
    else if (this.#isDue) this.#follow(Promise.resolve()); // once more, and not on top of this call
    return false;
  }

  #follow(promise: PromiseLike<unknown>): void {
    this.#isAsynchronous = true;
    (this.$keeper as unknown as OperationKeeper | undefined)?.didBeginPromise();
    this.#underWay++;
    Promise.resolve(promise).then(
      (value) => {
        this.#underWay--;
        if (isAnswer(value)) this.answer(value);
        else if (this.#isDue && this.#underWay === 0) this.#tryAgain();
      },
      (error: unknown) => {
        this.#underWay--;
        this.fail(error);
      },
    );
  }

  #tryAgain(): void {
    this.#isDue = false;
    if (!this.isCompleted) (this.$keeper as unknown as OperationKeeper).tryAgain(this);
  }

  /** The signal of its attempts: most of them look at memory and never ask for it. */
  get attemptSignal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      const failure = this.failure();
      if (failure !== undefined) this.#controller.abort(failure.reason);
    }
    return this.#controller.signal;
  }

  override onExpiration(): void {
    super.onExpiration();
    this.#controller?.abort(this.failure()?.reason);
  }

  override refuse(why: unknown): void {
    super.refuse(why);
    this.#controller?.abort(why);
  }
}

class Context implements AttemptContext<unknown> {
  key: unknown;
  readonly #waiter: Waiter;

  constructor(waiter: Waiter) {
    this.#waiter = waiter;
  }

  get signal(): AbortSignal {
    return this.#waiter.attemptSignal;
  }
}

function isThenable(value: unknown): boolean {
  return (
    value !== null &&
    (typeof value === 'object' || typeof value === 'function') &&
    typeof (value as Partial<PromiseLike<unknown>>).then === 'function'
  );
}
