// A key of SharedWaits with the state of its loading, and one wait on it.
//
//  idle ──event, poll, recheck──► due ──► loading, then answering ──► idle, or due again after an
//                                               │                     event meanwhile
//                                               ├─ failed with others ──► due, in a smaller batch
//                                               └─ failed for good ──► backing off ──► due
//
// Invariants. A key lives from its first wait until its last has ended and no load of it is under
// way. Only LoadScheduler, its DueKeys and its Looks write the fields of the loading. A wait is in
// the list of its key exactly while it is parked. It is never tried by an event: answers offer it
// each state that was loaded after it was parked.
import { invalidReturnValue } from '../../base/node-errors.ts';
import type { Rejection } from '../../base/rejection.ts';
import type { Pass } from '../../purgatory/passes.ts';
import type { CheckedWaitOptions } from '../../purgatory/purgatory-options.ts';
import { isAnswer, Wait } from '../../purgatory/wait.ts';
import type { Settler } from '../../turns/settler.ts';

/** What a key needs of its load. */
export interface KeyLoad {
  /** All waits on this key that were parked before it began have ended. */
  keyDeserted(): void;
}

export class WatchedKey {
  readonly key: string;
  /** The load of it that is under way, or whose answers are being given. At most one. */
  load: KeyLoad | undefined;
  /** The batch of DueKeys in which it waits for its load to begin. */
  due: object | undefined;
  /**
   * An event came during that load, which may have read the state before. One more load must
   * follow.
   */
  isOutdated = false;
  /** The next load is caused by an event, not by a poll or a recheck. */
  hasEvent = false;
  /**
   * Failed loads in a row. While it is above 0 and `look` is set, the key backs off. No event
   * shortens that.
   */
  failures = 0;
  /**
   * When the last load that an event caused was answered, in ms of the clock; rechecks count from
   * there.
   */
  answeredAtMs = 0;
  /** Rechecks since then whose time has come: any load that begins later serves them. */
  rechecks = 0;
  /** The retry, recheck or poll that is next: one of Looks. */
  look: object | undefined;
  /** The waits that were parked before its load began, until all of them have ended. */
  pass: Pass<string> | undefined;
  /** How many waits there are on it. Belongs to the lists. */
  waiters = 0;

  constructor(key: string) {
    this.key = key;
  }

  get isWaitedFor(): boolean {
    return this.waiters > 0;
  }
}

/**
 * The result of {@link SharedWaits.waitUntil}. `state` of an expired wait is the one that was
 * offered last: undefined when the last load had none for the key, or no load ended in time.
 */
export type SharedWaitResult<T, V> =
  | { expired: false; value: T; state?: undefined }
  | { expired: true; value?: undefined; state: V | undefined };

/** One wait for a key to reach a state. */
export class SharedWaiter<V> extends Wait {
  readonly watched: WatchedKey;
  /** The last load that has nothing for it: it began before the wait, or was offered to it. */
  lastLoad: KeyLoad | undefined;
  /** The state that was offered last. */
  #state: V | undefined;
  readonly #removed: (waiter: SharedWaiter<V>) => void;
  readonly #condition: (value: V | undefined) => unknown;

  /** @param removed is called once, when the wait has ended and is off all lists. */
  constructor(
    watched: WatchedKey,
    removed: (waiter: SharedWaiter<V>) => void,
    condition: (value: V | undefined) => unknown,
    options: CheckedWaitOptions,
  ) {
    super(options);
    this.watched = watched;
    this.#removed = removed;
    this.#condition = condition;
  }

  override get $type(): string {
    return 'waitUntil';
  }

  override tryComplete(): boolean {
    return false;
  }

  override expiry(): SharedWaitResult<never, V> {
    return { expired: true, state: this.#state };
  }

  /**
   * Offers a state of the key that was loaded after the wait was parked. True iff that ended it,
   * answered or rejected.
   */
  offer(value: V | undefined): boolean {
    this.#state = value;
    const condition = this.#condition;
    let answer: unknown;
    try {
      answer = condition(value);
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

  /** The load has failed. `isFinal`: it is not tried again. True iff that ended the wait. */
  missed(error: unknown, isFinal: boolean): boolean {
    return isFinal && this.fail(error);
  }

  override end(outcome: SharedWaitResult<unknown, V> | Rejection, settler: Settler | undefined): void {
    this.#removed(this);
    super.end(outcome, settler);
  }
}

/** A wait with `timeoutMs: 0`: the first load ends it, whatever it brings. It has no deadline. */
export class SharedLook<V> extends SharedWaiter<V> {
  override offer(value: V | undefined): boolean {
    return super.offer(value) || this.#expire();
  }

  override missed(error: unknown, isFinal: boolean): boolean {
    return super.missed(error, isFinal) || this.#expire();
  }

  #expire(): boolean {
    if (this.isOver) return false;
    this.run();
    return true;
  }
}
