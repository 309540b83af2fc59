// One wait on a key of SharedWaits.
//
// Invariants. It is in the list of its key exactly while it is parked. It is never tried by an event:
// answers offer it each state that was loaded after it was parked.
import { invalidReturnValue } from '../../base/node-errors.ts';
import type { Rejection } from '../../base/rejection.ts';
import type { CheckedWaitOptions } from '../../purgatory/purgatory-options.ts';
import { isAnswer, Wait } from '../../purgatory/wait.ts';
import type { Settler } from '../../turns/settler.ts';
import type { Loading, Outcome, WatchedKey } from './load.ts';

/**
 * The result of {@link SharedWaits.waitUntil}. `state` of an expired wait is the one that was
 * offered last: undefined when the last load had none for the key, or no load ended in time.
 */
export type SharedWaitResult<T, V> =
  | { expired: false; value: T; state?: undefined }
  | { expired: true; value?: undefined; state: V | undefined };

/** One wait for a key to reach a state. */
export class SharedWaiter extends Wait {
  readonly watched: WatchedKey;
  /** The last load that has nothing for it: it began before the wait, or was offered to it. */
  lastLoading: Loading | undefined;
  /** The state that was offered last. */
  #state: unknown;
  /** With `timeoutMs: 0`: the first load ends it, whatever that brings. It has no deadline. */
  readonly isLook: boolean;
  #holdsDeadline = false;
  readonly #removed: (waiter: SharedWaiter) => void;
  readonly #condition: (state: unknown) => unknown;

  /** @param removed is called once, when the wait has ended and is off all lists. */
  constructor(
    watched: WatchedKey,
    removed: (waiter: SharedWaiter) => void,
    condition: (state: unknown) => unknown,
    options: CheckedWaitOptions,
  ) {
    const isLook = options.timeoutMs <= 0;
    super(isLook ? { ...options, timeoutMs: Number.POSITIVE_INFINITY } : options);
    this.isLook = isLook;
    this.watched = watched;
    this.lastLoading = watched.loading;
    this.#removed = removed;
    this.#condition = condition;
  }

  override get $type(): string {
    return 'waitUntil';
  }

  override tryComplete(): boolean {
    return false;
  }

  override expiry(): SharedWaitResult<never, unknown> {
    return { expired: true, state: this.#state };
  }

  /** Once: for a load that a hint has caused, under way or due, unless it has nothing for it. */
  override $holdsDeadline(): boolean {
    if (this.#holdsDeadline) return false;
    const { cause, loading, due } = this.watched;
    const isFor = loading === undefined ? due !== undefined : loading !== this.lastLoading;
    this.#holdsDeadline = loading?.cause === 'hint' || (cause === 'hint' && isFor);
    return this.#holdsDeadline;
  }

  /**
   * Offers what a load of the key has brought that began after the wait was parked. True iff that
   * ended it: it is answered, rejected or, where this load was all that it waited for, expired.
   */
  offer({ state, failure }: Outcome): boolean {
    const hasFailed = failure !== undefined;
    const hasEnded = hasFailed ? failure.retry === undefined && this.fail(failure.error) : this.#try(state);
    if (hasEnded || this.isOver) return hasEnded;
    const isLast = this.#holdsDeadline && !hasFailed && this.watched.loading?.cause !== 'hint';
    if (!isLast && !this.isLook) return false;
    this.$keeper?.expireNow(this);
    return true;
  }

  #try(state: unknown): boolean {
    this.#state = state;
    const condition = this.#condition;
    let answer: unknown;
    try {
      answer = condition(state);
      if (typeof (answer as PromiseLike<unknown> | undefined)?.then === 'function') {
        Promise.resolve(answer).catch(() => {}); // the error below says it all
        throw invalidReturnValue(
          'a value, or undefined, null or false for "not yet", and no promise',
          'condition',
          answer,
        );
      }
    } catch (error) {
      return this.fail(error);
    }
    return isAnswer(answer) && this.answer(answer);
  }

  override end(outcome: SharedWaitResult<unknown, unknown> | Rejection, settler: Settler | undefined): void {
    this.#removed(this);
    super.end(outcome, settler);
  }
}
