// The pending calls of a client, by correlation id. Every client of a request-reply protocol keeps
// such a table beside its socket.
//
// Ground rules. It owns the table of expected replies. It also owns its timer, unless the timer is
// shared with it. An id is in the table exactly while the promise of its `expect` is pending. A
// late reply finds nothing there. Promises settle later. So the code that awaits a reply never runs
// while a call changes the table.
//
// Costs. Expecting, answering and expiring a reply: O(1) each.
import { throwIfAborted } from '../../base/abort-listeners.ts';
import { checkedNumber, checkedSignal, LIMIT, requiredOptions } from '../../base/checks.ts';
import { debugOnce, isDebugging } from '../../base/debug.ts';
import {
  repliesClosed,
  repliesFull,
  replyExpected,
  replyTimedOut,
  timerOfRepliesClosed,
} from '../../base/errors.ts';
import { Rejection } from '../../base/rejection.ts';
import { keyText } from '../../base/text.ts';
import { knownOptions, type OptionNames } from '../../base/unread-options.ts';
import type { Clock } from '../../clock/clock.ts';
import { twinOf, twinText } from '../../purgatory/debug-hints.ts';
import { sharedOrOwnTimer } from '../../timer/system-timer.ts';
import type { Timer } from '../../timer/timer.ts';
import { checkedTimeout } from '../../timer/timer-task.ts';
import { DEFAULT_SLICE_MS, schedulerOf } from '../../turns/scheduler.ts';
import { Settler } from '../../turns/settler.ts';
import { ExpectedReply, type ReplyKeeper } from './expected-reply.ts';

/** The options of {@link Replies}; all may be left out. */
export interface RepliesOptions {
  /** A timer to share with others. Default: a SystemTimer of its own, closed with it. */
  timer?: Timer | undefined;
  /** The most replies expected at once: an integer >= 1, or Infinity. Default Infinity. */
  maxPending?: number | undefined;
  /** The source of time of its own timer. Default: the system's clock. */
  clock?: Clock | undefined;
}

/** The options of {@link Replies.expect}. */
export interface ExpectOptions {
  /**
   * The deadline in ms from now; Infinity for none. Then it is in no timer, and keeps no process
   * alive.
   */
  timeoutMs: number;
  /** Ends the wait: the promise is rejected with `signal.reason`. */
  signal?: AbortSignal | undefined;
}

const REPLIES_OPTIONS: OptionNames<RepliesOptions> = { timer: true, maxPending: true, clock: true };
const EXPECT_OPTIONS: OptionNames<ExpectOptions> = { timeoutMs: true, signal: true };

/**
 * Expected replies, each under its correlation id `K` (any value that a Map distinguishes) and its
 * deadline. A pending reply keeps the process alive, unless `unref()` was called, or it has no
 * deadline.
 */
export class Replies<K = string, V = unknown> {
  readonly #expected = new Map<K, ExpectedReply<K, V>>();
  readonly #timer: Timer;
  readonly #ownsTimer: boolean;
  readonly #maxPending: number;
  readonly #settler: Settler;
  #isClosed = false;

  /**
   * @throws TypeError, RangeError (Node's codes) for an option of the wrong type or out of its
   *   range.
   */
  constructor(options?: RepliesOptions) {
    const { timer, maxPending, clock } = knownOptions('replies', options, REPLIES_OPTIONS);
    this.#maxPending = checkedNumber('options.maxPending', maxPending, Infinity, LIMIT);
    this.#ownsTimer = timer === undefined;
    this.#timer = sharedOrOwnTimer({ timer, clock });
    this.#settler = new Settler(schedulerOf(this.#timer), DEFAULT_SLICE_MS);
  }

  /** Replies that are expected now. O(1). */
  get size(): number {
    return this.#expected.size;
  }

  /**
   * Resolves with the value that `resolve(id, value)` gets. O(1).
   *
   * Rejects with the error that `reject(id, error)` or `rejectAll(error)` gets; with
   * `signal.reason` on abort; with a TypeError or RangeError (Node's codes) for bad arguments; with
   * a PurgatoryError: ERR_PURGATORY_TIMEOUT after `timeoutMs`; _ALREADY_EXPECTED: a reply with this
   * id is expected, and stays expected; _FULL: `maxPending`, or that of the timer, is reached;
   * _CLOSED. Never throws.
   */
  expect(id: K, options: ExpectOptions): Promise<V> {
    try {
      const { timeoutMs, signal } = checkedExpectOptions(options);
      if (this.#isClosed) throw repliesClosed();
      throwIfAborted(signal);
      if (this.#expected.has(id)) throw replyExpected(keyText(id));
      if (this.#expected.size >= this.#maxPending) throw repliesFull(this.#maxPending);
      const reply = new ExpectedReply<K, V>(id, timeoutMs, signal);
      this.#add(reply);
      return reply.promise();
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /**
   * The reply `id` has arrived. True iff it was expected. False for a reply that is late, or that
   * is the second. O(1).
   */
  resolve(id: K, value: V): boolean {
    return this.#answer(id, value);
  }

  /** The reply `id` is an error: as `resolve`. O(1). */
  reject(id: K, error: unknown): boolean {
    return this.#answer(id, new Rejection(error));
  }

  /**
   * No more replies will come, for example because the connection is lost. Rejects all expected
   * replies and returns their number. O(expected).
   */
  rejectAll(error: unknown): number {
    const count = this.#expected.size;
    const rejection = new Rejection(error);
    for (const reply of this.#expected.values()) this.#settle(reply, rejection);
    return count;
  }

  /**
   * An expected reply keeps the process alive, as at first. Calls `ref` of the timer, also of a
   * shared one. O(1).
   */
  ref(): this {
    this.#timer.ref?.();
    return this;
  }

  /** No reply keeps the process alive. Calls `unref` of the timer, also of a shared one. O(1). */
  unref(): this {
    this.#timer.unref?.();
    return this;
  }

  /**
   * Closes the table for good, and its timer unless that is shared. Expected replies are rejected
   * with ERR_PURGATORY_CLOSED, and so is each later `expect`. A second call does nothing.
   * O(expected).
   */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.rejectAll(repliesClosed());
    if (this.#ownsTimer) this.#timer.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #add(reply: ExpectedReply<K, V>): void {
    if (reply.delayMs !== Number.POSITIVE_INFINITY) this.#timer.add(reply);
    reply.$keeper = this.#keeper;
    this.#expected.set(reply.id, reply);
    try {
      reply.watchSignal();
    } catch (error) {
      this.#end(reply); // a signal that is no real one may throw
      throw error;
    }
  }

  #answer(id: K, outcome: unknown): boolean {
    const reply = this.#expected.get(id);
    if (reply === undefined) {
      if (isDebugging) this.#hintAtTwin(id);
      return false;
    }
    this.#settle(reply, outcome);
    return true;
  }

  #hintAtTwin(id: K): void {
    const twin = twinOf(id) as K | undefined;
    if (twin === undefined || !this.#expected.has(twin)) return;
    debugOnce(
      this,
      'twin',
      'replies: %s came, and %s is expected: they are two',
      twinText(id),
      twinText(twin),
    );
  }

  #settle(reply: ExpectedReply<K, V>, outcome: unknown): void {
    this.#end(reply);
    this.#settler.settle(reply.end(outcome));
  }

  /** Takes `reply` off the table, the timer and its signal. */
  #end(reply: ExpectedReply<K, V>): void {
    this.#expected.delete(reply.id);
    reply.$keeper = undefined;
    this.#timer.remove(reply);
    reply.forgetSignal();
  }

  readonly #keeper: ReplyKeeper = {
    expire: (reply: ExpectedReply<K, V>) =>
      this.#settle(reply, new Rejection(replyTimedOut(keyText(reply.id), reply.delayMs))),
    abort: (reply: ExpectedReply<K, V>, reason) => this.#settle(reply, new Rejection(reason)),
    /** Called in one case only: a shared timer is closed. */
    remove: (reply: ExpectedReply<K, V>) => {
      this.#settle(reply, new Rejection(timerOfRepliesClosed()));
      return false;
    },
  };
}

function checkedExpectOptions(options: ExpectOptions): ExpectOptions {
  const { timeoutMs, signal } = requiredOptions('options', options);
  knownOptions('an expected reply', options, EXPECT_OPTIONS);
  return {
    timeoutMs: checkedTimeout('options.timeoutMs', timeoutMs),
    signal: checkedSignal('options.signal', signal),
  };
}
