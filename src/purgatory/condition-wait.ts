// `waitFor`: an operation whose condition is a function of the user's.
//
// Invariants. Those of Wait. A try whose condition returns a promise is under way until that
// settles; one try is under way at most. An event meanwhile only leaves a note, and one more try
// follows. When the wait has ended otherwise, what the promise resolves or rejects with is dropped,
// and `context.signal` aborts.
//
// The wait is the context of its tries. Fields that only conditions with a promise need are in a
// record of their own.
import type { Rejection } from '../base/rejection.ts';
import type { Settler } from '../turns/settler.ts';
import { NO_EVENT } from './passes.ts';
import type { CheckedWaitOptions } from './purgatory-options.ts';
import { isAnswer, type NotYet, Wait, type WaitResult } from './wait.ts';

/** The condition of {@link Purgatory.waitFor} gets it at each try. */
export interface ConditionContext<K = string> {
  /**
   * Aborts when the wait ends without a value: by its deadline, an abort, `cancelForKey`, `close`
   * or a throw. What a try brings after that is dropped. So a condition that claims something looks
   * here after the claim, and gives it back if the signal has aborted. Made on demand.
   */
  readonly signal: AbortSignal;
  /**
   * The watch key whose event caused this try. If several events came during the try before, it is
   * the key of the last. Undefined at parking, and for the sweep of a bus.
   */
  readonly key: K | undefined;
}

/**
 * Returns the value that is waited for, or undefined, null or false for "not yet", or a promise of
 * either. 0, '' and NaN are values. The value becomes the `value` of a {@link WaitResult} that has
 * not `expired`.
 */
export type Condition<T, K = string> = (context: ConditionContext<K>) => T | NotYet | Promise<T | NotYet>;

/** The tries of a condition that returns promises. */
class AsyncTries {
  /**
   * Tries that have begun and not ended: 0 or 1, unless a synchronous one led to another before it
   * ended.
   */
  underWay = 0;
  /** The key of the event that caused the last try. */
  key: unknown;
  /** An event came while a try was under way; and the key of the last such event. */
  isDue = false;
  dueKey: unknown;
  /** The deadline has come, and waits for the try under way. */
  holdsDeadline = false;

  /**
   * A try begins for an event on `key`, and is under way from its call on: its first part may cause
   * an event on its own keys. False while another is under way, which leaves a note.
   */
  begin(key: unknown): boolean {
    if (this.underWay > 0) {
      this.isDue = true;
      this.dueKey = key;
      return false;
    }
    this.key = key ?? this.dueKey;
    this.isDue = false;
    this.dueKey = undefined;
    this.underWay++;
    return true;
  }
}

export class ConditionWait extends Wait implements ConditionContext<unknown> {
  readonly #condition: Condition<unknown, unknown>;
  /** There when the condition has returned a promise: at the next tries it may, too. */
  #tries: AsyncTries | undefined;
  /** There when the condition has asked for its signal: most look at memory, and never do. */
  #controller: AbortController | undefined;

  constructor(condition: Condition<unknown, unknown>, options: CheckedWaitOptions) {
    super(options);
    this.#condition = condition;
    this.#tries = undefined;
    this.#controller = undefined;
  }

  /** A try without a promise has ended when the next event comes. */
  get key(): unknown {
    return this.#tries === undefined ? this.$keeper?.eventKey : this.#tries.key;
  }

  /** Once: a try that hangs, or one more event, holds the deadline no longer. */
  override $holdsDeadline(): boolean {
    const tries = this.#tries;
    if (tries === undefined || tries.underWay === 0 || tries.holdsDeadline) return false;
    tries.holdsDeadline = tries.key !== undefined || tries.isDue;
    return tries.holdsDeadline;
  }

  override get $type(): string {
    return 'waitFor';
  }

  override tryComplete(key?: unknown): boolean {
    const tries = this.#tries;
    if (tries?.begin(key) === false) return false;
    let value: unknown;
    let isPromise: boolean;
    try {
      value = this.#condition(this);
      isPromise = typeof (value as PromiseLike<unknown> | undefined)?.then === 'function';
    } catch (error) {
      this.fail(error);
      return false;
    } finally {
      if (tries !== undefined) tries.underWay--;
    }
    if (isPromise) this.#follow(value as PromiseLike<unknown>, tries === undefined ? key : tries.key);
    else if (isAnswer(value)) return this.answer(value);
    else if (tries?.isDue) this.#follow(Promise.resolve(), tries.key); // once more, and not on top of this call
    return false;
  }

  /** Its first try may be open since before it was parked. */
  override begin(): Promise<unknown> {
    if (this.#tries !== undefined && this.#tries.underWay > 0) this.$keeper?.meter.didOpenTry(this);
    return super.begin();
  }

  #follow(promise: PromiseLike<unknown>, key: unknown): void {
    this.#tries ??= new AsyncTries();
    const tries = this.#tries;
    tries.key = key;
    tries.underWay++;
    this.$keeper?.meter.didOpenTry(this);
    Promise.resolve(promise).then(
      (value) => {
        this.#didSettle(tries);
        if (isAnswer(value)) this.answer(value);
        else if (tries.underWay === 0) this.#didSettleInVain(tries);
      },
      (error: unknown) => {
        this.#didSettle(tries);
        this.fail(error);
      },
    );
  }

  #didSettleInVain(tries: AsyncTries): void {
    if (tries.isDue) this.$keeper?.tryParked(this, NO_EVENT);
    if (tries.holdsDeadline && tries.underWay === 0) this.$keeper?.expireNow(this);
  }

  #didSettle(tries: AsyncTries): void {
    if (--tries.underWay === 0) this.$keeper?.meter.didCloseTry(this);
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    this.#abortIfFailed(this.#controller);
    return this.#controller.signal;
  }

  override end(outcome: WaitResult<unknown> | Rejection, settler: Settler | undefined): void {
    super.end(outcome, settler);
    if (this.#controller !== undefined) this.#abortIfFailed(this.#controller);
  }

  /** What its tries have begun aborts, if it has ended without a value. */
  #abortIfFailed(controller: AbortController): void {
    const failure = this.failure();
    if (failure !== undefined) controller.abort(failure.reason);
  }
}
