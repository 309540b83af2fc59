// A key that somebody waits for: its waiters, and the state of its loading.
//
// Ground rules. A key lives from its first waiter until its last has left and no load of it is under
// way. Its waiters are a list in park order, linked through them. To leave takes two writes, and
// nothing is ever copied. So a hundred thousand may leave between two turns of the loop. One pass
// goes over the list at a time and stands any change: `#next` moves on when its waiter leaves. Only
// Loads (loads.ts) writes the fields of the loading.
//
//   idle ──event, poll, recheck──► due ──► loading, then answering ──► idle, or due again after an
//                                                │                     event meanwhile
//                                                └─ failed ──► backing off ──► due
//
// Ground rules of a waiter. Those of PromisedOperation: it is a parked operation behind a promise.
// From parking until its end it is in the list of its key, and in the parking for its deadline. It
// is never tried. A state is offered to it, by the answers to a load that began after it was parked.
import { mustHold } from '../../base/must-hold.ts';
import { invalidReturnValue } from '../../base/node-errors.ts';
import type { Refusal } from '../../base/refusal.ts';
import { isAnswer, PromisedOperation } from '../../purgatory/promised-operation.ts';
import type { CheckedWaitOptions } from '../../purgatory/purgatory-options.ts';
import type { TimerTask } from '../../timer/timer-task.ts';
import type { Settler } from '../../turns/settler.ts';

/** What a key needs of its load. */
export interface KeyLoad {
  /** The waiter of that number has left. */
  left(number: number): void;
}

/** What a key needs of a sweep. */
export interface SweepRound {
  /** A key of the round is done, after this many waiters were tried. */
  tried(waiters: number): void;
}

export class WatchedKey<V> {
  readonly key: string;
  /** The load of it that is under way, or whose answers are being given. At most one. */
  load: KeyLoad | undefined;
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
  /** The retry, recheck or poll that is next. */
  look: TimerTask | undefined;
  /** The sweep that waits for the next load of it. */
  sweep: SweepRound | undefined;
  #first: SharedWaiter<V> | undefined;
  #last: SharedWaiter<V> | undefined;
  /** In a pass: the waiter to be tried next. */
  #next: SharedWaiter<V> | undefined;
  #size = 0;

  constructor(key: string) {
    this.key = key;
  }

  /** The number of its waiters. */
  get size(): number {
    return this.#size;
  }

  get isWaitedFor(): boolean {
    return this.#size > 0;
  }

  /** The waiter that has waited longest. */
  get first(): SharedWaiter<V> | undefined {
    return this.#first;
  }

  /** Puts `waiter` behind the others. */
  add(waiter: SharedWaiter<V>): void {
    waiter.before = this.#last;
    if (this.#last === undefined) this.#first = waiter;
    else this.#last.after = waiter;
    this.#last = waiter;
    this.#size++;
  }

  remove(waiter: SharedWaiter<V>): void {
    const { before, after } = waiter;
    if (before === undefined) this.#first = after;
    else before.after = after;
    if (after === undefined) this.#last = before;
    else after.before = before;
    if (this.#next === waiter) this.#next = after;
    waiter.before = undefined;
    waiter.after = undefined;
    this.#size--;
  }

  /** A pass begins with the one that waits longest. */
  beginPass(): void {
    this.#next = this.#first;
  }

  /** The next waiter of the pass whose number is at most `upTo`; undefined: the pass has ended. */
  step(upTo: number): SharedWaiter<V> | undefined {
    const waiter = this.#next;
    if (waiter === undefined || waiter.number > upTo) {
      this.#next = undefined;
      return undefined;
    }
    this.#next = waiter.after;
    return waiter;
  }

  /** Throws unless the list is sound. For tests: O(waiters). */
  check(): void {
    let size = 0;
    let before: SharedWaiter<V> | undefined;
    for (let waiter = this.#first; waiter !== undefined; waiter = waiter.after) {
      mustHold(waiter.before === before, `waiter ${waiter.number} of "${this.key}" has another before it`);
      mustHold(
        waiter.number > (before?.number ?? 0),
        `waiter ${waiter.number} of "${this.key}" is out of order`,
      );
      mustHold(waiter.isPending, `waiter ${waiter.number} of "${this.key}" is not parked`);
      before = waiter;
      size++;
    }
    mustHold(this.#last === before, `the list of "${this.key}" ends elsewhere`);
    mustHold(this.#size === size, `"${this.key}" counts ${this.#size} waiters of ${size}`);
  }
}

/**
 * What {@link SharedWaits.waitUntil} resolves with. `state` of an expired wait is what was offered
 * to it last: undefined when the last load had none for the key, or none ended in time.
 */
export type SharedWaitResult<T, V> = { expired: false; value: T } | { expired: true; state: V | undefined };

/** One waiter for a key to reach a state. */
export class SharedWaiter<V> extends PromisedOperation {
  /** The number of its parking. A load answers waiters up to the number at its beginning. */
  number = 0;
  readonly watched: WatchedKey<V>;
  /** Its place in the list of its key, whose own they are. */
  before: SharedWaiter<V> | undefined;
  after: SharedWaiter<V> | undefined;
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
  ) {
    super(options);
    this.watched = watched;
    this.#left = left;
    this.#accept = accept;
  }

  override tryComplete(): boolean {
    return false;
  }

  override expiry(): SharedWaitResult<never, V> {
    return { expired: true, state: this.#state };
  }

  /**
   * Offers a state of the key that was loaded after the waiter was parked. True iff that ended it,
   * answered or rejected.
   */
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

  /** The load has failed. `isFinal`: it is not tried again. True iff that ended the waiter. */
  missed(error: unknown, isFinal: boolean): boolean {
    return isFinal && this.fail(error);
  }

  override end(outcome: SharedWaitResult<unknown, V> | Refusal, settler: Settler | undefined): void {
    this.#left(this);
    super.end(outcome, settler);
  }
}

/** A wait with `timeoutMs: 0`: the first load ends it, whatever it brings. It is in no timer. */
export class SharedLook<V> extends SharedWaiter<V> {
  constructor(...[watched, left, accept, options]: ConstructorParameters<typeof SharedWaiter<V>>) {
    super(watched, left, accept, { ...options, timeoutMs: Number.POSITIVE_INFINITY });
  }

  override offer(value: V | undefined): boolean {
    return super.offer(value) || this.#expire();
  }

  override missed(error: unknown, isFinal: boolean): boolean {
    return super.missed(error, isFinal) || this.#expire();
  }

  #expire(): boolean {
    if (this.isCompleted) return false;
    this.run();
    return true;
  }
}
