// The pending calls of a client, by correlation id. Every client of a request-reply protocol keeps
// such a table beside its socket.
//
// Ground rules. It owns the table of expected replies. It also owns its timer, unless the timer is
// shared with it. An id is in the table exactly while the promise of its `expect` is pending. A
// late reply finds nothing there. Promises settle later. So the code that awaits a reply never runs
// while a call changes the table.
//
// Costs. Expecting, answering, refreshing and expiring a reply: O(1) each.
import { addAbortable, removeAbortable, throwIfAborted } from '../../base/abort-listeners.ts';
import { checkedTimeout, LIMIT, requiredFunction, singleKey } from '../../base/checks.ts';
import { debug, debugOnce, isDebugging } from '../../base/debug.ts';
import { closed, countRefusal, full, notWithin, PurgatoryError } from '../../base/errors.ts';
import {
  asGiven,
  deprecate,
  nameFirst,
  numberOf,
  optional,
  type Rules,
  readOptions,
  titleOf,
} from '../../base/options.ts';
import { Rejection } from '../../base/rejection.ts';
import { runReported } from '../../base/report-error.ts';
import { cut, keyText } from '../../base/text.ts';
import type { Clock } from '../../clock/clock.ts';
import { twinOf, twinText } from '../../purgatory/debug-hints.ts';
import { checkedWaitOptions, type WaitOptions } from '../../purgatory/purgatory-options.ts';
import { ageMs } from '../../purgatory/telemetry/purgatory-meter.ts';
import {
  checkedTop,
  type EndlessSnapshot,
  firstOf,
  MAX_ENDLESS,
  type SnapshotOptions,
} from '../../purgatory/telemetry/purgatory-snapshot.ts';
import { NONE } from '../../slab/slab.ts';
import type { Timer } from '../../timer/timer.ts';
import { TimerClient } from '../../timer/timer-client.ts';
import { sharedOrOwnTimer } from '../../timer/timer-option.ts';
import { DEFAULT_SLICE_MS, schedulerOf } from '../../turns/scheduler.ts';
import { Settler } from '../../turns/settler.ts';
import { ExpectedReply, type ReplyKeeper } from './expected-reply.ts';
import { type ReplyEnded, replyEnded } from './reply-ended.ts';

/** The options of {@link Replies}; all may be left out. */
export interface RepliesOptions {
  /** A timer to share with others. Default: a SystemTimer of its own, closed with it. */
  timer?: Timer | undefined;
  /** The most replies expected at once: an integer >= 1, or Infinity. Default Infinity. */
  maxParked?: number | undefined;
  /** @deprecated The former name of `maxParked`, until version 2. */
  maxPending?: number | undefined;
  /** The source of time of its own timer. Default: the system's clock. */
  clock?: Clock | undefined;
}

/** The options of {@link Replies.expect} and {@link Replies.call}: those of a wait. */
export type ExpectOptions = WaitOptions;

/** Replies at one moment. Times are in ms by the clock of their timer. */
export interface RepliesSnapshot {
  name: string;
  /** When it was made: what `deadlineMs` is to be compared with. */
  nowMs: number;
  /** Replies that are expected. */
  expected: number;
  /** The option; null for no limit. */
  maxParked: number | null;
  /** @deprecated The former name of `maxParked`, until version 2. */
  maxPending: number | null;
  totals: RepliesTotals;
  /**
   * Calls that expected nothing, by the code of the error: ERR_PURGATORY_FULL always, others once
   * there was one. They are in no other total.
   */
  refused: Record<string, number>;
  /** Those without a deadline. */
  endless: EndlessSnapshot;
  /** The age of the oldest with a deadline, if it is among the first thousand. */
  oldestMs: number | null;
  /** Those that have been expected longest, the oldest first. */
  oldest: OldReply[];
}

/** How expected replies ended, counted since the Replies were made. */
export interface RepliesTotals {
  /** Expected: those that have ended, and those that are expected now. */
  expected: number;
  /** By `resolve`. */
  resolved: number;
  /** By `reject` and `rejectAll`, and calls whose `send` has failed. */
  rejected: number;
  /** By the deadline. */
  expired: number;
  /** By an abort or `close`. */
  cancelled: number;
}

/** A reply that has been expected for long. */
export interface OldReply {
  id: string;
  ageMs: number;
  /** By the clock of the timer; null when it has none. */
  deadlineMs: number | null;
  /** The option, where it was given. */
  label?: string;
}

type How = ReplyEnded['how'];

/** What `expect` sends. */
const NOTHING = (): void => {};

const REPLIES_OPTIONS: Rules<RepliesOptions> = {
  timer: asGiven,
  maxParked: optional(numberOf(LIMIT)),
  maxPending: optional(numberOf(LIMIT)),
  clock: asGiven,
};

/**
 * Expected replies, each under its correlation id `K` (any value that a Map distinguishes) and its
 * deadline. A pending reply keeps the process alive, unless `unref()` was called, or it has no
 * deadline.
 */
export class Replies<K = string, V = unknown> extends TimerClient {
  readonly #expected = new Map<K, ExpectedReply<K, V>>();
  readonly #title: string;
  readonly #ownsTimer: boolean;
  /** The option. Infinity for no limit. */
  readonly maxParked: number;
  readonly #settler: Settler;
  readonly #ended = { resolved: 0, rejected: 0, expired: 0, cancelled: 0 };
  readonly #refused: Record<string, number> = { ERR_PURGATORY_FULL: 0 };
  /** How many have no deadline. */
  #endless = 0;
  #isClosed = false;

  /**
   * @param name for people: errors, snapshots and metrics show it.
   * @throws TypeError, RangeError (Node's codes) for a name that is no string, or a bad option.
   */
  constructor(name: string, options?: RepliesOptions);
  /** @deprecated The form until version 2: give the name first. */
  constructor(options?: RepliesOptions & { name?: string | undefined });
  constructor(first?: string | RepliesOptions, second?: RepliesOptions) {
    const [name, options] = nameFirst('Replies', first, second, 'replies');
    const title = titleOf('Replies', name);
    const { maxParked, maxPending, ...choice } = readOptions(title, options, REPLIES_OPTIONS);
    super(name, sharedOrOwnTimer(choice));
    this.#title = title;
    if (maxPending !== undefined) deprecate('maxPending of Replies is called maxParked from version 2 on');
    this.maxParked = maxParked ?? maxPending ?? Number.POSITIVE_INFINITY;
    this.#ownsTimer = choice.timer === undefined;
    this.#settler = new Settler(schedulerOf(this.timer), DEFAULT_SLICE_MS);
  }

  /** Replies that are expected now. O(1). */
  get size(): number {
    return this.#expected.size;
  }

  override get numDelayed(): number {
    return this.#expected.size;
  }

  /** Whether it was closed: then nothing is expected, and nothing can be. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /**
   * Resolves with the value that `resolve(id, value)` gets. To send the request, too, use `call`.
   * O(1).
   *
   * Rejects with the error that `reject(id, error)` or `rejectAll(error)` gets; with
   * `signal.reason` on abort; with a TypeError or RangeError (Node's codes) for bad arguments; with
   * a PurgatoryError: ERR_PURGATORY_TIMEOUT after `timeoutMs`; _ALREADY_EXPECTED: a reply with this
   * id is expected, and stays expected; _FULL: `maxParked`, or the timer's `maxPending`, is reached;
   * _CLOSED. Never throws.
   */
  expect(id: K, options: ExpectOptions): Promise<V> {
    return this.#begin(id, options, NOTHING);
  }

  /**
   * Expects the reply `id`, and calls `send`, which sends the request. The reply may come before
   * `send` has ended. O(1).
   *
   * Rejects as `expect` does, and then `send` is not called; or with what `send` throws, or its
   * promise rejects with, while the reply is expected. Then it is expected no longer. Never throws.
   */
  call(id: K, options: ExpectOptions, send: () => unknown): Promise<V> {
    return this.#begin(id, options, send);
  }

  /**
   * The reply `id` has arrived. True iff it was expected. False for a reply that is late, or that
   * is the second. O(1).
   */
  resolve(id: K, value: V): boolean {
    return this.#answer(id, 'resolved', value);
  }

  /** The reply `id` is an error: as `resolve`. O(1). */
  reject(id: K, error: unknown): boolean {
    return this.#answer(id, 'rejected', new Rejection(error));
  }

  /**
   * The reply `id` is still to come: its deadline is `timeoutMs` from now. For a request that was
   * queued and now runs, or has made progress. True iff it is expected. O(1).
   *
   * @param timeoutMs in ms, or Infinity for none.
   * @throws TypeError, RangeError (Node's codes) for a bad `timeoutMs`. What the timer's `add`
   *   throws: where the deadline was Infinity, ERR_PURGATORY_FULL. Nothing has changed then.
   */
  refresh(id: K, timeoutMs: number): boolean {
    checkedTimeout('timeoutMs', timeoutMs);
    const reply = this.#expected.get(id);
    if (reply === undefined) return false;
    const wasEndless = reply.delayMs === Number.POSITIVE_INFINITY;
    this.#file(reply, timeoutMs);
    this.#endless += Number(timeoutMs === Number.POSITIVE_INFINITY) - Number(wasEndless);
    return true;
  }

  /**
   * No more replies will come, for example because the connection is lost. Rejects all expected
   * replies and returns their number. O(expected).
   */
  rejectAll(error: unknown): number {
    return this.#endAll('rejected', error);
  }

  /** Those that are expected, and totals of those that have ended, as plain JSON. O(top). */
  snapshot(options?: SnapshotOptions): RepliesSnapshot {
    const top = checkedTop(options);
    const nowMs = this.timer.now();
    const { resolved, rejected, expired, cancelled } = this.#ended;
    const maxParked = this.maxParked === Number.POSITIVE_INFINITY ? null : this.maxParked;
    const expected = this.#expected.size;
    return {
      name: this.name,
      nowMs,
      expected,
      maxParked,
      maxPending: maxParked,
      totals: { expected: expected + resolved + rejected + expired + cancelled, ...this.#ended },
      refused: { ...this.#refused },
      endless: { parked: this.#endless },
      oldestMs: this.#oldestMs(nowMs),
      oldest: firstOf(this.#expected.values(), top).map((reply) => oldReply(reply, nowMs)),
    };
  }

  /**
   * Closes the table for good, and its timer unless that is shared. Expected replies are rejected
   * with ERR_PURGATORY_CLOSED, and so is each later `expect`. A second call does nothing.
   * O(expected).
   */
  override close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#endAll('cancelled', closed(this.#title));
    if (this.#ownsTimer) this.timer.close();
  }

  #begin(id: K, options: ExpectOptions, send: () => unknown): Promise<V> {
    try {
      requiredFunction('send', send);
      const reply = new ExpectedReply<K, V>(id, checkedWaitOptions(options));
      const promise = reply.promise();
      this.#add(reply);
      // Its signal may have aborted as it was listened to.
      if (send !== NOTHING && this.#expected.get(id) === reply)
        runReported(send, (error) => this.#notSent(reply, error));
      return promise;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #add(reply: ExpectedReply<K, V>): void {
    try {
      if (this.#isClosed) throw closed(this.#title);
      singleKey('id', reply.id, 'several ids are several expect');
      throwIfAborted(reply.signal);
      if (this.#expected.has(reply.id)) throw expectedAlready(reply);
      if (this.#expected.size >= this.maxParked) throw full(this.#title, 'maxParked', this.maxParked);
      this.#file(reply, reply.delayMs);
    } catch (error) {
      countRefusal(this.#refused, error);
      throw error;
    }
    reply.sinceStamp = reply.filedStamp;
    this.#expected.set(reply.id, reply);
    if (reply.delayMs === Number.POSITIVE_INFINITY) this.#endless++;
    try {
      if (reply.signal !== undefined) addAbortable(reply.signal, reply);
    } catch (error) {
      this.#takeOut(reply); // a signal that is no real one may throw
      throw error;
    }
  }

  /** Starts the deadline of `reply`, or starts it over. All or nothing. */
  #file(reply: ExpectedReply<K, V>, timeoutMs: number): void {
    const { delayMs } = reply;
    const timer = this.timer;
    // The timer moves only what it keeps itself.
    reply.$keeper = reply.$slot === NONE ? undefined : timer;
    reply.delayMs = timeoutMs;
    try {
      if (timeoutMs === Number.POSITIVE_INFINITY) {
        timer.checkRoom(timeoutMs);
        timer.remove(reply);
      } else {
        timer.add(reply);
      }
    } catch (error) {
      reply.delayMs = delayMs;
      throw error;
    } finally {
      reply.$keeper = this.#keeper;
    }
    reply.filedStamp = (timeoutMs === Number.POSITIVE_INFINITY ? timer.now() : timer.lastReadingMs) | 0;
  }

  #answer(id: K, how: 'resolved' | 'rejected', outcome: unknown): boolean {
    const reply = this.#expected.get(singleKey('id', id, 'several ids are several calls'));
    if (reply === undefined) {
      if (isDebugging) this.#hintAtTwin(id);
      return false;
    }
    this.#end(reply, how, outcome);
    return true;
  }

  #notSent(reply: ExpectedReply<K, V>, error: unknown): void {
    if (this.#expected.get(reply.id) === reply) this.#end(reply, 'rejected', new Rejection(error));
    // Its caller has an answer.
    else debug('replies "%s": send failed after the end of %s: %s', this.name, reply.text, error);
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

  #endAll(how: How, error: unknown): number {
    const count = this.#expected.size;
    const rejection = new Rejection(error);
    for (const reply of this.#expected.values()) this.#end(reply, how, rejection);
    return count;
  }

  #end(reply: ExpectedReply<K, V>, how: How, outcome: unknown): void {
    this.#takeOut(reply);
    this.#ended[how]++;
    if (replyEnded.hasSubscribers) this.#publish(reply, how);
    this.#settler.settle(reply.end(outcome));
  }

  #publish({ id, label, sinceStamp }: ExpectedReply<K, V>, how: How): void {
    const expectedMs = ageMs(sinceStamp, this.timer.now());
    replyEnded.publish({ replies: this, id, label, how, expectedMs } satisfies ReplyEnded);
  }

  #oldestMs(nowMs: number): number | null {
    const first = firstOf(this.#expected.values(), MAX_ENDLESS);
    const oldest = first.find(({ delayMs }) => delayMs !== Number.POSITIVE_INFINITY);
    return oldest === undefined ? null : ageMs(oldest.sinceStamp, nowMs);
  }

  /** Takes `reply` off the table, the timer and its signal. */
  #takeOut(reply: ExpectedReply<K, V>): void {
    this.#expected.delete(reply.id);
    if (reply.delayMs === Number.POSITIVE_INFINITY) this.#endless--;
    reply.$keeper = undefined;
    this.timer.remove(reply);
    if (reply.signal !== undefined) removeAbortable(reply.signal, reply);
  }

  readonly #keeper: ReplyKeeper = {
    expire: (reply: ExpectedReply<K, V>) => {
      const error = notWithin(`No reply of "${this.name}" to ${reply.text}`, reply.delayMs);
      this.#end(reply, 'expired', new Rejection(error));
    },
    abort: (reply: ExpectedReply<K, V>, reason) => this.#end(reply, 'cancelled', new Rejection(reason)),
    /** Called in one case only: a shared timer is closed. */
    remove: (reply: ExpectedReply<K, V>) => {
      this.#end(reply, 'cancelled', new Rejection(closed(`The timer of ${this.#title}`)));
      return false;
    },
  };
}

function expectedAlready({ id }: ExpectedReply<unknown, unknown>): PurgatoryError {
  const text = `A reply to ${keyText(id)} is expected already: give each request an id of its own`;
  return new PurgatoryError('ERR_PURGATORY_ALREADY_EXPECTED', text);
}

function oldReply<K, V>(reply: ExpectedReply<K, V>, nowMs: number): OldReply {
  const { delayMs, label } = reply;
  const isEndless = delayMs === Number.POSITIVE_INFINITY;
  const filedMs = Math.floor(nowMs) - ageMs(reply.filedStamp, nowMs);
  return {
    id: keyText(reply.id),
    ageMs: ageMs(reply.sinceStamp, nowMs),
    deadlineMs: isEndless ? null : filedMs + Math.max(delayMs, 0),
    ...(label !== undefined && { label: cut(label) }),
  };
}
