// Idle timeouts: who has not been heard of for `timeoutMs`? For connections, sessions, caches.
//
// Ground rules. It owns its index of elements, one task each in the timer, and the timer unless one is shared with it. A touch
// only notes the time (touch-time.ts); a task that comes due is filed again for the time that is left since the last touch, so an
// element that is busy is re-linked once a timeout and not once a touch. An element is out of the index and the timer before a
// listener hears that it is idle, so a listener may touch it again. Listeners run in the root context (docs/async-context.md).
//
// Accuracy. Never early. Late by the timer's lateness; on the system clock, where elements share their time of touch and their
// looks, by two hundredths of the shortest timeout besides, at least 2 and at most 200 ms.
//
// Costs. touch of a tracked element: about 10 ns while its memory is at hand; start, remove: O(1). `npm run bench -- idle`.
import type { Clock } from '../clock/clock.ts';
import { systemClock } from '../clock/system-clock.ts';
import { checkedFunction, checkedNumber, checkedOptions, invalidArgType, PurgatoryError } from '../errors.ts';
import { reportError } from '../timer/refusals.ts';
import { SystemTimer } from '../timer/system-timer.ts';
import type { Timer } from '../timer/timer.ts';
import { ElementIndex } from './element-index.ts';
import { IdleTask } from './idle-task.ts';
import { TouchTime } from './touch-time.ts';

/** Hears of an element that has become idle. */
export type IdleListener<E> = (element: E) => void;

/** The options of {@link IdleTimeouts}. */
export interface IdleTimeoutsOptions<E> {
  /** After how many ms without a touch an element is idle: > 0, up to Number.MAX_SAFE_INTEGER. */
  timeoutMs: number;
  /** A timer to share with others. Default: a SystemTimer of its own, closed with it. */
  timer?: Timer;
  /** What `timer` reads, for a timer that does not tell by a `clock` property. Default: that property, else {@link systemClock}. */
  clock?: Clock;
  /** The first listener. */
  onIdle?: IdleListener<E>;
  /** Takes what a listener throws. Default: thrown in a later turn, as an uncaught exception. */
  onError?: (error: unknown, element: E) => void;
}

const TIMEOUT = { min: Number.MIN_VALUE, max: Number.MAX_SAFE_INTEGER } as const;

/** Tracks elements of any type, and tells its listeners which have not been touched for their timeout. */
export class IdleTimeouts<E> {
  readonly timeoutMs: number;
  readonly #timer: Timer;
  readonly #ownsTimer: boolean;
  readonly #clock: Clock;
  readonly #touchTime: TouchTime;
  readonly #index = new ElementIndex<E>();
  readonly #onError: ((error: unknown, element: E) => void) | undefined;
  #listeners: readonly IdleListener<E>[] = [];
  #isClosed = false;

  /** @throws TypeError, RangeError (Node's codes) for a bad option; `timeoutMs` must be given. */
  constructor(options: IdleTimeoutsOptions<E>) {
    const { timeoutMs, timer, clock, onIdle, onError } = checkedOptions(options);
    this.timeoutMs = checkedTimeout('options.timeoutMs', timeoutMs);
    this.#onError = checkedFunction('options.onError', onError);
    if (checkedFunction('options.onIdle', onIdle) !== undefined) this.addListener(onIdle as IdleListener<E>);
    if (timer !== undefined && (typeof timer?.add !== 'function' || typeof timer.remove !== 'function')) {
      throw invalidArgType('options.timer', 'a Timer, with the methods add and remove', timer);
    }
    this.#clock = clock ?? (timer as { clock?: Clock } | undefined)?.clock ?? systemClock;
    if (typeof this.#clock.now !== 'function') {
      throw invalidArgType('options.clock', 'a Clock, with the method now', clock);
    }
    this.#ownsTimer = timer === undefined;
    this.#timer = timer ?? new SystemTimer({ clock: this.#clock });
    this.#touchTime = new TouchTime(this.#clock);
    this.#touchTime.serve(this.timeoutMs);
  }

  /** How many elements are tracked. */
  get size(): number {
    return this.#index.size;
  }

  /** Whether `element` is tracked. O(1). */
  has(element: E): boolean {
    return this.#index.find(element) !== undefined;
  }

  /**
   * Starts the countdown of `element`, or starts it over. With `timeoutMs`, that is the element's own timeout from now on, in place of
   * the common one. O(1); about 10 ns for an element that is tracked, if it is an object and no `timeoutMs` is given.
   *
   * @throws TypeError, RangeError (Node's codes) for a bad `timeoutMs`; for a new element, or with `timeoutMs`, what the timer's
   *   `add` throws, and PurgatoryError ERR_PURGATORY_CLOSED. Nothing has changed then.
   */
  touch(element: E, timeoutMs?: number): void {
    if (timeoutMs === undefined && this.#index.touch(element, this.#touchTime.stamp())) return;
    this.#start(element, timeoutMs ?? this.timeoutMs);
  }

  /** Stops tracking `element`; its listeners hear nothing. True iff it was tracked. O(1). */
  remove(element: E): boolean {
    const task = this.#index.find(element);
    if (task === undefined) return false;
    this.#index.remove(task);
    task.cancel();
    return true;
  }

  /**
   * How many ms are left until `element` is idle, unless it is touched: exact, or too large by as much as the class may be late.
   * 0 if its time has come and its turn has not; undefined for an element that is not tracked. O(1), one clock reading.
   */
  remainingMs(element: E): number | undefined {
    const task = this.#index.find(element);
    if (task === undefined) return undefined;
    const nowMs = this.#clock.now();
    return Math.max(this.#idleAtMs(task, nowMs) - nowMs, 0);
  }

  /** Adds a listener behind the others; one that is there already is not added again. @throws TypeError for no function. */
  addListener(listener: IdleListener<E>): this {
    if (typeof listener !== 'function') throw invalidArgType('listener', 'of type function', listener);
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

  /** Ends it for good, and its timer unless that is shared. Returns the elements that were tracked, in the order they came. */
  close(): E[] {
    this.#isClosed = true;
    const elements: E[] = [];
    for (const task of this.#index.tasks()) {
      elements.push(task.element);
      this.#index.remove(task);
      task.cancel();
    }
    if (this.#ownsTimer) this.#timer.close();
    return elements;
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #start(element: E, timeoutMs: number): void {
    checkedTimeout('timeoutMs', timeoutMs);
    if (this.#isClosed) throw new PurgatoryError('ERR_PURGATORY_CLOSED', 'The IdleTimeouts are closed');
    this.#touchTime.serve(timeoutMs);
    const touched = this.#touchTime.exactStamp();
    const tracked = this.#index.find(element);
    const task = tracked ?? new IdleTask(element, timeoutMs, touched, this.#onDue);
    this.#file(task, touched.ms + timeoutMs, touched.ms);
    task.timeoutMs = timeoutMs;
    if (tracked === undefined) this.#index.add(task);
    else this.#index.touch(element, touched);
  }

  #file(task: IdleTask<E>, idleAtMs: number, nowMs: number): void {
    task.nextDelayMs = this.#touchTime.lookAt(idleAtMs) - nowMs;
    this.#timer.add(task);
  }

  #idleAtMs(task: IdleTask<E>, nowMs: number): number {
    return Math.min(this.#index.touched(task).ms, nowMs) + task.timeoutMs;
  }

  readonly #onDue = (task: IdleTask<E>): void => {
    const nowMs = this.#clock.now();
    const idleAtMs = this.#idleAtMs(task, nowMs);
    if (idleAtMs > nowMs) {
      this.#file(task, idleAtMs, nowMs);
      return;
    }
    this.#index.remove(task);
    for (const listener of this.#listeners) {
      try {
        listener(task.element);
      } catch (error) {
        reportError(error, task.element, this.#onError);
      }
    }
  };
}

function checkedTimeout(name: string, timeoutMs: unknown): number {
  if (timeoutMs === undefined) throw invalidArgType(name, 'of type number', timeoutMs);
  return checkedNumber(name, timeoutMs, 0, TIMEOUT);
}
