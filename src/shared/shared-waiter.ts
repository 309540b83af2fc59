// One waiter for a key to reach a state: a parked operation behind a promise.
//
// Ground rules. Those of PromisedOperation. From parking until its end it is in the list of its
// key, and in the parking for its deadline. It is never tried. A state is offered to it, by the
// answers to a load that began after it was parked.
import { invalidReturnValue } from '../node-errors.ts';
import { isAnswer, PromisedOperation } from '../purgatory/promised-operation.ts';
import type { CheckedWaitOptions } from '../purgatory/purgatory-options.ts';
import type { Settlements } from '../turns/settlements.ts';
import type { KeyWaiter, WatchedKey } from './watched-key.ts';

/**
 * What {@link SharedWaits.waitUntil} resolves with. `state` of an expired wait is what was offered
 * to it last: undefined when the last load had none for the key, or none ended in time.
 */
export type SharedWaitResult<T, V> = { expired: false; value: T } | { expired: true; state: V | undefined };

export class SharedWaiter<V> extends PromisedOperation implements KeyWaiter<V> {
  number = 0;
  readonly watched: WatchedKey<V>;
  /**
   * Its place in the list of its key, and in that of all waiters: the lists' own (watched-key.ts,
   * waiter-lists.ts).
   */
  before: KeyWaiter<V> | undefined;
  after: KeyWaiter<V> | undefined;
  older: SharedWaiter<V> | undefined;
  younger: SharedWaiter<V> | undefined;
  /** When it was parked, in the unit of the lists (parked-lists.ts). */
  stamp = 0;
  /** The state that was offered last. */
  #state: V | undefined;
  readonly #left: (waiter: SharedWaiter<V>) => void;
  readonly #accept: (value: V | undefined) => unknown;

  /** @param left is called once, when the waiter has ended and is off all lists. */
  constructor(
    watched: WatchedKey<V>,
    left: (waiter: SharedWaiter<V>) => void,
    accept: (value: V | undefined) => unknown,
    options: CheckedWaitOptions,
    settlements: Settlements,
  ) {
    super(options, settlements);
    this.watched = watched;
    this.#left = left;
    this.#accept = accept;
  }

  override tryComplete(): boolean {
    return false;
  }

  protected override expiry(): SharedWaitResult<never, V> {
    return { expired: true, state: this.#state };
  }

  offer(value: V | undefined): boolean {
    this.#state = value;
    const accept = this.#accept;
    let answer: unknown;
    try {
      answer = accept(value);
      if (typeof (answer as PromiseLike<unknown> | undefined)?.then === 'function') {
        Promise.resolve(answer).catch(() => {}); // the error below says it all
        throw invalidReturnValue(
          'a value, or undefined, null or false for "not yet", and no promise',
          'accept',
          answer,
        );
      }
    } catch (error) {
      return this.fail(error);
    }
    return isAnswer(answer) && this.answer(answer);
  }

  override onComplete(): void {
    this.#left(this);
    super.onComplete();
  }

  override refuse(why: unknown): void {
    this.#left(this);
    super.refuse(why);
  }
}
