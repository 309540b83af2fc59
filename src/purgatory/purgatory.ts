// The purgatory: operations that wait for an event on one of their watch keys, or else for their deadline.
//
// One way through it:   tryCompleteElseWatch -> parked (watch lists + timer) -> checkAndComplete on a key | deadline | cancel -> gone
//
// Ground rules. It owns its Parking and, unless one is shared with it, its timer. An operation is completed exactly once, and leaves
// every watch list and the timer in the call that completes, expires or cancels it, before its user code runs: no purge, no estimate.
// No wake-up is lost, as an operation is tried, then watched on all its keys, then tried again. User code may enter the
// purgatory again from anywhere: no state is held in a local variable across it, but for the pass, which follows the changes.
//
// Costs. Parking: O(keys). An event on a key: O(operations that watch it). Completing: O(keys of the operation).
// (Kafka: DelayedOperationPurgatory, without its locks and its purge.)
import {
  checkedFunction,
  checkedNumber,
  checkedOptions,
  invalidArgType,
  invalidArgValue,
  PurgatoryError,
} from '../errors.ts';
import { SystemTimer } from '../timer/system-timer.ts';
import type { SystemTimerOptions } from '../timer/system-timer-options.ts';
import type { Timer } from '../timer/timer.ts';
import { keeper } from '../timer/timer-protocol.ts';
import { type DelayedOperation, place } from './delayed-operation.ts';
import { Parking } from './parking.ts';
import { Waiter, type WaitResult } from './wait-for.ts';

/** The options of a {@link Purgatory}; all may be left out. Those of {@link SystemTimerOptions} are for its own timer. */
export interface PurgatoryOptions<Op extends DelayedOperation = DelayedOperation>
  extends Omit<SystemTimerOptions, 'onError'> {
  /** A timer to share with others. Default: a SystemTimer of its own, closed with it. */
  timer?: Timer;
  /** The most operations and waiters parked at once: an integer >= 1, or Infinity. Default Infinity. */
  maxParked?: number;
  /** Takes what user code throws inside a pass or an expiry. Default: thrown in a later turn, as an uncaught exception. */
  onError?: (error: unknown, op: Op) => void;
}

/** The options of {@link Purgatory.waitFor}. */
export interface WaitOptions {
  /** The deadline in ms from now; Infinity for none. */
  timeoutMs: number;
  /** Gives up the wait: the promise is rejected with `signal.reason`. */
  signal?: AbortSignal;
}

const MAX_PARKED = { min: 1, max: Number.MAX_SAFE_INTEGER, integer: true, orInfinity: true } as const;
const turnEnd = Promise.resolve();

/** Parks operations until an event on one of their watch keys, or their deadline, completes them. */
export class Purgatory<K = unknown, Op extends DelayedOperation = DelayedOperation> {
  readonly name: string;
  readonly #timer: Timer;
  readonly #ownsTimer: boolean;
  readonly #parking: Parking<K>;
  readonly #maxParked: number = 0;
  #notified = new Set<K>();
  #isFlushDue = false;
  #isClosed = false;

  /**
   * @param name for people: errors and metrics show it.
   * @throws TypeError, RangeError (Node's codes) for a name that is no string, or a bad option.
   */
  constructor(name: string, options?: PurgatoryOptions<Op>) {
    if (typeof name !== 'string') throw invalidArgType('name', 'of type string', name);
    const given = checkedOptions(options);
    this.name = name;
    this.#maxParked = checkedNumber(
      'options.maxParked',
      given.maxParked,
      Number.POSITIVE_INFINITY,
      MAX_PARKED,
    );
    // Nothing but operations of type Op gets into the parking, except waiters, which do not throw.
    const onError = checkedFunction('options.onError', given.onError) as Parking<K>['report'] | undefined;
    const { onError: _, ...timerOptions } = given;
    this.#ownsTimer = given.timer === undefined;
    this.#timer = given.timer === undefined ? new SystemTimer(timerOptions) : checkedTimer(given.timer);
    this.#parking = new Parking(this.#timer, onError);
  }

  /** Parked operations, waiters of `waitFor` included. */
  get numDelayed(): number {
    return this.#parking.watchers.size;
  }

  /** Pairs of a parked operation and a key that it watches. */
  get watched(): number {
    return this.#parking.watchers.pairs;
  }

  /** Keys that a parked operation watches. */
  get watchedKeys(): number {
    return this.#parking.watchers.keys;
  }

  /**
   * Tries `op`; if it cannot be completed yet, parks it until an event on one of `watchKeys`, or its deadline, completes it.
   * True iff this call completed it. A key given twice counts once. O(keys).
   *
   * What `tryComplete` throws comes through, and nothing is parked. An operation that is completed already is not parked.
   *
   * @throws TypeError ERR_INVALID_ARG_TYPE: no DelayedOperation, no array. ERR_INVALID_ARG_VALUE: no keys.
   * @throws PurgatoryError ERR_PURGATORY_CLOSED; _ALREADY_WATCHED: it is parked; _ALREADY_PENDING: it is in a timer;
   *   _FULL: `maxParked`, or the timer's `maxPending`, is reached.
   */
  tryCompleteElseWatch(op: Op, watchKeys: readonly K[]): boolean {
    if (op?.[place] === undefined) throw invalidArgType('op', 'an instance of DelayedOperation', op);
    checkKeys(watchKeys);
    return this.#tryElseWatch(op, watchKeys);
  }

  /**
   * An event on `key`: tries every operation that watches it, in the order they were parked, once each. Returns how many
   * its own tries completed. Operations that are parked meanwhile wait for the next event.
   */
  checkAndComplete(key: K): number {
    const { watchers } = this.#parking;
    const pass = watchers.beginPass(key);
    if (pass === undefined) return 0;
    let completed = 0;
    for (let op = watchers.step(pass); op !== undefined; op = watchers.step(pass)) {
      try {
        if (op.tryComplete()) completed++;
      } catch (error) {
        if (op.isCompleted) completed++;
        this.#parking.report(error, op);
      }
    }
    watchers.endPass();
    return completed;
  }

  /**
   * An event on `key` that is answered at the end of this turn (in a microtask), once however often it is notified before.
   * A completion that notifies in its turn is served in the same go with constant stack: use this from `onComplete`.
   */
  notify(key: K): void {
    if (this.#isClosed) return;
    this.#notified.add(key);
    if (this.#isFlushDue) return;
    this.#isFlushDue = true;
    turnEnd.then(this.#flush);
  }

  /**
   * Waits until `attempt` returns something other than undefined: it is tried now, and on each event on one of `watchKeys`.
   * Resolves with that value, or with `{ expired: true }` after `timeoutMs`.
   *
   * Rejects with `signal.reason` on abort; with what `attempt` throws; with a TypeError or RangeError (Node's codes) for
   * bad arguments; with a PurgatoryError: ERR_PURGATORY_CLOSED, _FULL, or _CANCELLED by `cancelForKey`. Never throws.
   */
  async waitFor<T>(
    watchKeys: readonly K[],
    attempt: () => T | undefined,
    options: WaitOptions,
  ): Promise<WaitResult<T>> {
    checkKeys(watchKeys);
    if (typeof attempt !== 'function') throw invalidArgType('attempt', 'of type function', attempt);
    if (typeof options !== 'object' || options === null) {
      throw invalidArgType('options', 'of type object', options);
    }
    const { timeoutMs, signal } = options;
    if (typeof timeoutMs !== 'number') throw invalidArgType('options.timeoutMs', 'of type number', timeoutMs);
    if (signal !== undefined && !(signal instanceof AbortSignal)) {
      throw invalidArgType('options.signal', 'an instance of AbortSignal', signal);
    }
    const waiter = new Waiter(attempt, timeoutMs, signal);
    if (this.#isClosed) throw this.#closed();
    signal?.throwIfAborted();
    this.#tryElseWatch(waiter, watchKeys);
    if (waiter.isPending) waiter.watchSignal();
    return waiter.promise as Promise<WaitResult<T>>;
  }

  /**
   * Takes out, unanswered, every operation that watches `key`, off its other keys too; returns them in park order. They may be forced
   * or parked again. Waiters of `waitFor` are rejected with ERR_PURGATORY_CANCELLED and not returned.
   */
  cancelForKey(key: K): Op[] {
    const cancelled: Op[] = [];
    const { watchers } = this.#parking;
    for (let op = watchers.oldestOf(key); op !== undefined; op = watchers.oldestOf(key)) {
      this.#takeOut(
        op,
        cancelled,
        'ERR_PURGATORY_CANCELLED',
        `The wait was cancelled in purgatory "${this.name}"`,
      );
    }
    return cancelled;
  }

  /** Runs what is due now in its timer; how many tasks ran. With a shared timer, that is all tasks of the timer. */
  advanceClock(): number {
    return this.#timer.advanceClock();
  }

  /**
   * Ends the purgatory for good, and its timer unless that is shared. Completes nothing: returns what is still parked, in park
   * order; rejects pending waiters with ERR_PURGATORY_CLOSED. A second call returns [].
   */
  close(): Op[] {
    this.#isClosed = true;
    this.#notified.clear();
    const parked: Op[] = [];
    const { watchers } = this.#parking;
    for (let op = watchers.oldest(); op !== undefined; op = watchers.oldest()) {
      this.#takeOut(op, parked, 'ERR_PURGATORY_CLOSED', `Purgatory "${this.name}" was closed`);
    }
    if (this.#ownsTimer) this.#timer.close();
    return parked;
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #tryElseWatch(op: DelayedOperation, keys: readonly K[]): boolean {
    if (this.#isClosed) throw this.#closed();
    if (op.isCompleted) return false;
    if (op[keeper] !== undefined) throw this.#pending(op);
    if (op.tryComplete()) return true;
    // The try was user code: it may have closed the purgatory, or completed or parked the operation elsewhere.
    if (op.isCompleted) return false;
    if (op[keeper] !== undefined) throw this.#pending(op);
    if (this.#isClosed) throw this.#closed();
    if (this.#parking.watchers.size >= this.#maxParked) throw this.#full();
    this.#parking.park(op, keys);
    try {
      return op.tryComplete();
    } catch (error) {
      if (this.#parking.keeps(op)) this.#parking.leave(op);
      throw error;
    }
  }

  readonly #flush = (): void => {
    while (this.#notified.size > 0) {
      const keys = this.#notified;
      this.#notified = new Set();
      for (const key of keys) this.checkAndComplete(key);
    }
    this.#isFlushDue = false;
  };

  #takeOut(
    op: DelayedOperation,
    ops: Op[],
    code: 'ERR_PURGATORY_CANCELLED' | 'ERR_PURGATORY_CLOSED',
    why: string,
  ): void {
    this.#parking.leave(op);
    if (op instanceof Waiter) op.refuse(code, why);
    else ops.push(op as Op);
  }

  #closed(): PurgatoryError {
    return new PurgatoryError('ERR_PURGATORY_CLOSED', `Purgatory "${this.name}" is closed`);
  }

  #full(): PurgatoryError {
    return new PurgatoryError(
      'ERR_PURGATORY_FULL',
      `Purgatory "${this.name}" is full: maxParked is ${this.#maxParked}`,
    );
  }

  #pending(op: DelayedOperation): PurgatoryError {
    if (op[place] >= 0) {
      return new PurgatoryError(
        'ERR_PURGATORY_ALREADY_WATCHED',
        'The operation is parked already: park it once',
      );
    }
    return new PurgatoryError(
      'ERR_PURGATORY_ALREADY_PENDING',
      'The operation is pending in a timer as a plain task: cancel it there before parking it',
    );
  }

  /** Throws unless the purgatory is sound. For tests. */
  static check<K, Op extends DelayedOperation>(purgatory: Purgatory<K, Op>): void {
    purgatory.#parking.watchers.check();
  }
}

/** Throws unless the invariants of the purgatory's structures hold. For tests: O(pairs). */
export function checkPurgatoryInvariants<K, Op extends DelayedOperation>(purgatory: Purgatory<K, Op>): void {
  Purgatory.check(purgatory);
}

function checkKeys(watchKeys: unknown): void {
  if (!Array.isArray(watchKeys)) throw invalidArgType('watchKeys', 'an instance of Array', watchKeys);
  if (watchKeys.length === 0) throw invalidArgValue('watchKeys', 'must name at least one key', watchKeys);
}

function checkedTimer(timer: Timer): Timer {
  if (
    typeof timer?.add !== 'function' ||
    typeof timer.remove !== 'function' ||
    typeof timer.advanceClock !== 'function'
  ) {
    throw invalidArgType('options.timer', 'a Timer, with the methods add, remove and advanceClock', timer);
  }
  return timer;
}
