// Idle timeouts: which elements have not been touched for `timeoutMs`? For connections, sessions,
// leases and caches.
//
// Invariants. A touch only notes a stretch of time (touch-time.ts). When the time of a bucket
// comes, each of its elements is idle, or is filed anew for the rest of its timeout. An element is
// forgotten before its listeners are called, in the root context, so a listener may do anything. It
// is never early. It is late by the timer's lateness and, on the system clock, by up to 2 % of the
// shortest timeout: 2 ms for a short one, 128 ms at most.
// Costs. touch, start, remove, and each look at an element: O(1). About 65 bytes an element.
import { requiredFunction } from '../../base/checks.ts';
import { debugOnce } from '../../base/debug.ts';
import { idleTimeoutsClosed } from '../../base/errors.ts';
import { mustHold } from '../../base/must-hold.ts';
import { invalidArgType } from '../../base/node-errors.ts';
import { reportError } from '../../base/report-error.ts';
import type { Timer } from '../../timer/timer.ts';
import { ElementIndex, NO_ROW, type Row } from './element-index.ts';
import { ElementTable } from './element-table.ts';
import { type IdleBucket, IdleBuckets, type Place } from './idle-buckets.ts';
import {
  checkedIdleTimeoutsOptions,
  type IdleListener,
  type IdleTimeoutsOptions,
  requiredTimeout,
} from './idle-timeouts-options.ts';
import { MAX_STRETCH_MS, NO_STRETCH, TouchTime } from './touch-time.ts';

/** Calls its listeners with each tracked element that has not been touched for its timeout. */
export class IdleTimeouts<E> {
  /** The common timeout, if there is one. */
  readonly timeoutMs: number | undefined;
  readonly #timer: Timer;
  readonly #ownsTimer: boolean;
  readonly #touchTime: TouchTime;
  readonly #index = new ElementIndex<E>();
  readonly #table: ElementTable<E>;
  readonly #buckets: IdleBuckets;
  readonly #onError: ((error: unknown, element: E) => void) | undefined;
  #listeners: readonly IdleListener<E>[] = [];
  #isClosed = false;

  /** @throws TypeError, RangeError (Node's codes) for a bad option. */
  constructor(options?: IdleTimeoutsOptions<E>) {
    const { timeoutMs, timer, ownsTimer, clock, onIdle, onError } = checkedIdleTimeoutsOptions(options);
    this.timeoutMs = timeoutMs;
    this.#table = new ElementTable(timeoutMs ?? 0);
    this.#onError = onError;
    if (onIdle !== undefined) this.addListener(onIdle);
    this.#ownsTimer = ownsTimer;
    this.#timer = timer;
    this.#buckets = new IdleBuckets(timer, (bucket) => this.#look(bucket));
    this.#touchTime = new TouchTime(clock);
    if (timeoutMs !== undefined) this.#touchTime.serve(timeoutMs);
  }

  /** How many elements are tracked. */
  get size(): number {
    return this.#table.size;
  }

  /** Whether `element` is tracked. O(1). */
  has(element: E): boolean {
    return this.#index.find(element) !== NO_ROW;
  }

  /**
   * Starts the countdown of `element`, or starts it over. `timeoutMs` is the element's own timeout
   * from now on, in place of the common one. An element that is not tracked is tracked from now on:
   * `refresh` leaves it alone. O(1): for a tracked element without `timeoutMs`, little more than a
   * field.
   *
   * @param element any value but undefined. Values are compared as a Map compares its keys.
   * @throws TypeError, RangeError (Node's codes) for an `element` of undefined, a bad `timeoutMs`, or
   * a new element without one where there is no common one. For a new element, or with a `timeoutMs`
   * that ends before the one under way: what the timer's `add` throws, and PurgatoryError
   * ERR_PURGATORY_CLOSED. Nothing has changed then.
   */
  touch(element: E, timeoutMs?: number): void {
    const row = this.#index.find(element);
    if (row === NO_ROW || timeoutMs !== undefined) {
      this.#start(row, element, timeoutMs ?? this.timeoutMs);
      return;
    }
    const stretch = this.#touchTime.stretch();
    if (stretch === NO_STRETCH) this.#table.setTouched(row, this.#touchTime.now());
    else this.#table.setStretch(row, stretch);
  }

  /**
   * As `touch`, but only if `element` is tracked; true iff it is. For a lease: a keepalive that comes
   * too late must not bring the lease back. O(1).
   *
   * @throws as `touch`.
   */
  refresh(element: E, timeoutMs?: number): boolean {
    if (timeoutMs !== undefined) requiredTimeout('timeoutMs', timeoutMs);
    const isTracked = this.has(element);
    if (isTracked) this.touch(element, timeoutMs);
    return isTracked;
  }

  /** Stops tracking `element`, and calls no listener. True iff it was tracked. O(1). */
  remove(element: E): boolean {
    const row = this.#index.find(element);
    if (row === NO_ROW) return false;
    this.#forget(row);
    return true;
  }

  /**
   * How many ms are left until `element` is idle, unless it is touched. The number is exact, or too
   * large by as much as the class may be late. 0 if the time has come and no listener was called
   * yet. Undefined for an element that is not tracked. O(1), one clock reading.
   */
  remainingMs(element: E): number | undefined {
    const row = this.#index.find(element);
    if (row === NO_ROW) return undefined;
    const nowMs = this.#touchTime.now();
    return Math.max(this.#touchedMs(row, nowMs) + this.#table.timeoutMs(row) - nowMs, 0);
  }

  /** Adds a listener behind the others, unless it is there. @throws TypeError for no function. */
  addListener(listener: IdleListener<E>): this {
    requiredFunction('listener', listener);
    if (!this.#listeners.includes(listener)) this.#listeners = [...this.#listeners, listener];
    return this;
  }

  /** Takes a listener out. True iff it was there. */
  removeListener(listener: IdleListener<E>): boolean {
    const others = this.#listeners.filter((each) => each !== listener);
    const isFound = others.length < this.#listeners.length;
    this.#listeners = others;
    return isFound;
  }

  /**
   * A tracked element keeps the process alive, as at first. Calls `ref` of the timer, also of a
   * shared one. O(1).
   */
  ref(): this {
    this.#timer.ref?.();
    return this;
  }

  /** No element keeps the process alive. Calls `unref` of the timer, also of a shared one. O(1). */
  unref(): this {
    this.#timer.unref?.();
    return this;
  }

  /**
   * Ends it for good, and its timer unless that is shared. Returns the elements that were tracked,
   * in any order.
   */
  close(): E[] {
    this.#isClosed = true;
    const elements = Array.from(this.#table.rows(), (row) => this.#table.element(row));
    for (const element of elements) this.remove(element);
    if (this.#ownsTimer) this.#timer.close();
    return elements;
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #start(row: Row, element: E, timeoutMs: number | undefined): void {
    if (element === undefined)
      throw invalidArgType('element', 'an object, such as a socket, or the id of one', element);
    if (timeoutMs === undefined) {
      throw invalidArgType('timeoutMs', 'of type number where the option timeoutMs is left out', timeoutMs);
    }
    requiredTimeout('timeoutMs', timeoutMs);
    if (this.#isClosed) throw idleTimeoutsClosed();
    const nowMs = this.#touchTime.now();
    if (this.#touchTime.serve(timeoutMs)) this.#lookSooner(nowMs);
    const lookAtMs = this.#touchTime.lookAt(nowMs + timeoutMs, nowMs);
    if (row === NO_ROW) {
      this.#index.add(element, this.#table.add(element, timeoutMs, nowMs, this.#buckets.at(lookAtMs, nowMs)));
      return;
    }
    if (lookAtMs < this.#table.bucket(row).lookAtMs) this.#file(row, lookAtMs, nowMs);
    this.#table.setTouched(row, nowMs);
    this.#table.setTimeout(row, timeoutMs);
  }

  #file(row: Row, lookAtMs: number, nowMs: number): void {
    this.#buckets.lostRow(this.#table.move(row, this.#buckets.at(lookAtMs, nowMs)));
  }

  #forget(row: Row): void {
    this.#index.remove(this.#table.element(row));
    this.#buckets.lostRow(this.#table.remove(row));
    if (this.#table.isSparse) this.#table.compact((element, movedTo) => this.#index.move(element, movedTo));
  }

  #touchedMs(row: Row, nowMs: number): number {
    const stretch = this.#table.stretch(row);
    const touchedMs = stretch === NO_STRETCH ? this.#table.touchedMs(row) : this.#touchTime.endMs(stretch);
    return Math.min(touchedMs, nowMs);
  }

  /** The stretches are shorter now, so their ring comes round earlier. */
  #lookSooner(nowMs: number): void {
    const lookAtMs = this.#touchTime.lookAt(Number.POSITIVE_INFINITY, nowMs);
    for (const row of this.#table.rows()) {
      this.#table.setTouched(row, this.#touchedMs(row, nowMs));
      const bucket = this.#table.bucket(row);
      if (bucket.lookAtMs > lookAtMs) this.#buckets.postpone(bucket, lookAtMs, nowMs);
    }
  }

  /**
   * Looks at each element of a bucket, in order. Rows move, and a listener may do anything. So
   * nothing is kept from one element to the next.
   */
  #look(bucket: IdleBucket): void {
    let nowMs = this.#touchTime.now();
    // A shared timer can be full. Then an element may get no other bucket. So the bucket stays in
    // the timer until its last element has left.
    if (!this.#ownsTimer && bucket.size > 1) {
      this.#buckets.postpone(
        bucket,
        this.#touchTime.lookAt(nowMs + (this.timeoutMs ?? MAX_STRETCH_MS), nowMs),
        nowMs,
      );
    }
    for (let place = 0 as Place; place < bucket.places; place++) {
      const row = bucket.rowAt(place);
      if (row === NO_ROW) continue;
      const touchedMs = this.#touchedMs(row, nowMs);
      const idleAtMs = touchedMs + this.#table.timeoutMs(row);
      // Not by `nowMs`: what has arrived since the pass came due is not read yet.
      if (idleAtMs > this.#timer.dueMs) {
        if (this.#touchTime.isToKeep(this.#table.stretch(row))) this.#table.setTouched(row, touchedMs);
        this.#fileOrKeep(row, this.#touchTime.lookAt(idleAtMs, nowMs), nowMs);
      } else {
        const element = this.#table.element(row);
        this.#forget(row);
        this.#callListeners(element);
        nowMs = this.#touchTime.now();
      }
    }
  }

  /**
   * Files a row that is looked at. When the timer is full, the row stays in its bucket. Then the
   * bucket is looked at when the row needs it, or before.
   */
  #fileOrKeep(row: Row, lookAtMs: number, nowMs: number): void {
    try {
      this.#file(row, lookAtMs, nowMs);
    } catch (error) {
      if ((error as { code?: unknown } | null)?.code !== 'ERR_PURGATORY_FULL') throw error;
      const bucket = this.#table.bucket(row);
      if (lookAtMs < bucket.lookAtMs) this.#buckets.postpone(bucket, lookAtMs, nowMs);
    }
  }

  #callListeners(element: E): void {
    if (this.#listeners.length === 0) debugOnce(this, 'deaf', 'idle timeouts have no listener');
    for (const listener of this.#listeners) {
      try {
        listener(element);
      } catch (error) {
        reportError(error, element, this.#onError);
      }
    }
  }

  /**
   * Throws unless the structures of `idle` are sound and its timer holds what it should. For tests:
   * O(elements). @internal
   */
  static check<E>(idle: IdleTimeouts<E>): void {
    const table = idle.#table;
    idle.#buckets.check(table.check());
    for (const row of table.rows()) {
      mustHold(idle.#index.find(table.element(row)) === row, `the element of row ${row} is not found there`);
      const idleAtMs = idle.#touchedMs(row, Number.POSITIVE_INFINITY) + table.timeoutMs(row);
      mustHold(table.bucket(row).lookAtMs < idleAtMs + MAX_STRETCH_MS, `row ${row} is looked at too late`);
    }
  }
}
