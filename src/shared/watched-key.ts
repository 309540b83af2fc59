// A key that somebody waits for: its waiters, and the state of its loading.
//
// Ground rules. It lives from its first waiter until its last has left and no load of it is under
// way. Its waiters are a list in park order, linked through them. To leave takes two writes, and
// nothing is ever copied. So a hundred thousand may leave between two turns of the loop. One pass
// goes over the list at a time and stands any change: `#next` moves on when its waiter leaves. Only
// Loads (loads.ts) writes the fields of the loading.
//
//   idle ──event, poll, recheck──► due ──► loading, then answering ──► idle, or due again after an
//                                                │                     event meanwhile
//                                                └─ failed ──► backing off ──► due
import { mustHold } from '../must-hold.ts';
import type { TimerTask } from '../timer/timer-task.ts';

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

/** A waiter, as the list of its key and a pass over it see it. */
export interface KeyWaiter<V> {
  /** The number of its parking. A load answers waiters up to the number at its beginning. */
  readonly number: number;
  readonly isPending: boolean;
  /** Its neighbours, which the list alone writes. */
  before: KeyWaiter<V> | undefined;
  after: KeyWaiter<V> | undefined;
  /**
   * Offers a state of the key that was loaded after the waiter was parked. True iff that ended it,
   * answered or rejected.
   */
  offer(value: V | undefined): boolean;
  /**
   * Takes the waiter out, unless it has ended. Its promise is rejected with `why`. True iff this
   * call ended it.
   */
  fail(why: unknown): boolean;
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
  #first: KeyWaiter<V> | undefined;
  #last: KeyWaiter<V> | undefined;
  /** In a pass: the waiter to be tried next. */
  #next: KeyWaiter<V> | undefined;
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
  get first(): KeyWaiter<V> | undefined {
    return this.#first;
  }

  /** Puts `waiter` behind the others. */
  add(waiter: KeyWaiter<V>): void {
    waiter.before = this.#last;
    if (this.#last === undefined) this.#first = waiter;
    else this.#last.after = waiter;
    this.#last = waiter;
    this.#size++;
  }

  remove(waiter: KeyWaiter<V>): void {
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
  step(upTo: number): KeyWaiter<V> | undefined {
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
    let before: KeyWaiter<V> | undefined;
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
