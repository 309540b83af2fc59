// Idle timeouts: which elements have not been touched for `timeoutMs`? For connections, sessions,
// leases and caches.
//
// Invariants. Each element is a task of the timer. A touch notes the time and leaves the task where
// it is, so no task is filed later than its element may be idle. When it runs, the element is idle,
// or the task is filed again for the rest; an element that is held has its task filed all the same, so
// it keeps its place in the timer. An element is forgotten before the listener is called, in the root
// context, so that may do anything. Its own timeout is forgotten when the listener has returned. It is
// never early, and late as any task is.
// Costs. touch, refresh, hold, remove, and each run of a task: O(1). An element that is touched or
// held all the time is filed once a timeout. About 165 bytes an element.
import { checkedFunction, requiredSpan } from '../../base/checks.ts';
import { debugOnce } from '../../base/debug.ts';
import { closed, countRefusal } from '../../base/errors.ts';
import { invalidArgType } from '../../base/node-errors.ts';
import { asGiven, nameFirst, optional, type Rules, readOptions, titleOf } from '../../base/options.ts';
import { reportError, runReported } from '../../base/report-error.ts';
import { keyText } from '../../base/text.ts';
import type { Clock } from '../../clock/clock.ts';
import { checkedTop, firstOf, type SnapshotOptions } from '../../purgatory/telemetry/purgatory-snapshot.ts';
import type { Timer } from '../../timer/timer.ts';
import { TimerClient } from '../../timer/timer-client.ts';
import { sharedOrOwnTimer } from '../../timer/timer-option.ts';
import { TimerTask } from '../../timer/timer-task.ts';

/**
 * Is called with an element that has become idle. It may touch that element again, which has its own
 * timeout still, until the listener returns.
 */
export type IdleListener<E> = (element: E) => void;

/** The options of {@link IdleTimeouts}; all may be left out. */
export interface IdleTimeoutsOptions<E> {
  /**
   * After how many ms without a touch an element is idle: > 0, up to Number.MAX_SAFE_INTEGER, or
   * Infinity for never. Default: none, so the first `touch` of each element has to name one.
   */
  timeoutMs?: number | undefined;
  /**
   * A timer to share. It holds a task for each element that has a deadline. When it is closed, the
   * elements never become idle, and `touch` throws. Default: a SystemTimer of its own, which closes
   * with it.
   */
  timer?: Timer | undefined;
  /** The source of time of its own timer. Default: the system's clock. */
  clock?: Clock | undefined;
  /**
   * Gets each element that was not touched in time. Default: such elements leave without a word, for
   * those who ask `has` or `refresh`.
   */
  onIdle?: IdleListener<E> | undefined;
  /**
   * Is called with what the listener throws, and with what its promise rejects with.
   * Default: it is thrown in a later turn, as an uncaught exception.
   */
  onError?: ((error: unknown, element: E) => void) | undefined;
}

/** IdleTimeouts at one moment. Times are in ms by the clock of their timer. */
export interface IdleTimeoutsSnapshot {
  name: string;
  /** When it was made. */
  nowMs: number;
  /** Elements that are tracked. */
  tracked: number;
  /** Those of them that are held. */
  held: number;
  /** The option; null for none, and for Infinity. */
  timeoutMs: number | null;
  totals: IdleTotals;
  /**
   * Touches that were refused, by the code of the error: ERR_PURGATORY_FULL always, others once there
   * was one.
   */
  refused: Record<string, number>;
  /** The elements that were not touched for the longest time, among the first 4,096. */
  quietest: QuietElement[];
}

/** How elements ended, counted since the IdleTimeouts were made. */
export interface IdleTotals {
  /** Tracked: those that have ended, and those that are tracked now. */
  tracked: number;
  /** Not touched for their timeout. */
  idle: number;
  /** By `remove` or `close`. */
  removed: number;
  /** Throws and rejections of the listener. */
  failed: number;
}

/** An element that was not touched for long. */
export interface QuietElement {
  element: string;
  /** Since its last touch. */
  quietMs: number;
  /** Until it is idle; null for a timeout of Infinity, and while it is held. */
  remainingMs: number | null;
}

/** Elements that a snapshot looks at: a fraction of a millisecond. */
const MAX_LOOKS = 4_096;

const IDLE_OPTIONS: Rules<IdleTimeoutsOptions<never>> = {
  timeoutMs: optional(requiredSpan),
  timer: asGiven,
  clock: asGiven,
  onIdle: checkedFunction,
  onError: checkedFunction,
};

class TrackedElement<E> extends TimerTask {
  readonly element: E;
  readonly #run: (tracked: TrackedElement<E>) => void;
  /** A timer reads it in each `add`. */
  declare delayMs: number;
  /** When it was last touched, in ms of the timer's clock. */
  touchedMs: number;
  /** Its own timeout, or the common one. */
  timeoutMs: number;
  /** How many hold it. */
  holds = 0;

  constructor(element: E, run: (tracked: TrackedElement<E>) => void, touchedMs: number, timeoutMs: number) {
    super(timeoutMs);
    this.element = element;
    this.#run = run;
    this.touchedMs = touchedMs;
    this.timeoutMs = timeoutMs;
  }

  /** How many ms are left at `nowMs`. 0 or less when the time has come. */
  restMs(nowMs: number): number {
    if (this.holds > 0) return Number.POSITIVE_INFINITY;
    return this.touchedMs + this.timeoutMs - nowMs;
  }

  override run(): void {
    this.#run(this);
  }
}

/** Calls its listener with each tracked element that has not been touched for its timeout. */
export class IdleTimeouts<E> extends TimerClient {
  /** The common timeout in ms, if there is one. */
  readonly timeoutMs: number | undefined;
  readonly #title: string;
  readonly #ownsTimer: boolean;
  readonly #tracked = new Map<E, TrackedElement<E>>();
  /** Those that the listener is being called with. */
  readonly #told = new Map<E, TrackedElement<E>>();
  readonly #onIdle: IdleListener<E> | undefined;
  readonly #onError: ((error: unknown, element: E) => void) | undefined;
  readonly #ended = { idle: 0, removed: 0, failed: 0 };
  readonly #refused: Record<string, number> = { ERR_PURGATORY_FULL: 0 };
  #isClosed = false;
  /** Elements that are held. */
  #held = 0;

  /**
   * @param name for people: errors, snapshots and metrics show it.
   * @throws TypeError, RangeError (Node's codes) for a name that is no string, or a bad option.
   */
  constructor(name: string, options?: IdleTimeoutsOptions<E>);
  /** @deprecated The form until version 2: give the name first. */
  constructor(options?: IdleTimeoutsOptions<E> & { name?: string | undefined });
  constructor(first?: string | IdleTimeoutsOptions<E>, second?: IdleTimeoutsOptions<E>) {
    const [name, options] = nameFirst('IdleTimeouts', first, second, 'idle');
    const title = titleOf('IdleTimeouts', name);
    const rules = IDLE_OPTIONS as Rules<IdleTimeoutsOptions<E>>;
    const { timeoutMs, onIdle, onError, ...choice } = readOptions(title, options, rules);
    super(name, sharedOrOwnTimer(choice));
    this.#title = title;
    this.timeoutMs = timeoutMs;
    this.#onError = onError;
    this.#onIdle = onIdle;
    this.#ownsTimer = choice.timer === undefined;
  }

  /** How many elements are tracked. O(1). */
  get size(): number {
    return this.#tracked.size;
  }

  override get numDelayed(): number {
    return this.#tracked.size;
  }

  /** Whether it was closed. Then it tracks nothing. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Whether `element` is tracked. O(1). */
  has(element: E): boolean {
    return this.#tracked.has(element);
  }

  /**
   * Starts the countdown of `element`, or starts it over. `timeoutMs` is the element's own timeout
   * from now on, in place of the common one: > 0, or Infinity. An element that is not tracked is
   * tracked from now on: `refresh` leaves it alone. O(1): for a tracked element without `timeoutMs`,
   * a look into a Map and a reading of the clock.
   *
   * @param element any value but undefined. Values are compared as a Map compares its keys.
   * @throws TypeError, RangeError (Node's codes) for an `element` of undefined, a bad `timeoutMs`, or
   * a new element without one where there is no common one. PurgatoryError ERR_PURGATORY_CLOSED,
   * also when a shared timer was closed. For a new element, what the timer's `add` throws. Nothing
   * has changed then.
   */
  touch(element: E, timeoutMs?: number): void {
    const tracked = this.#tracked.get(element);
    if (tracked?.isPending && timeoutMs === undefined) tracked.touchedMs = this.timer.now();
    else this.#start(tracked, element, timeoutMs ?? this.#timeoutOf(tracked, element));
  }

  /**
   * As `touch`, but only if `element` is tracked; true iff it is. For a lease: a keepalive that comes
   * too late must not bring the lease back. O(1).
   *
   * @throws as `touch`.
   */
  refresh(element: E, timeoutMs?: number): boolean {
    if (timeoutMs !== undefined) requiredSpan('timeoutMs', timeoutMs);
    const isTracked = this.has(element);
    if (isTracked) this.touch(element, timeoutMs);
    return isTracked;
  }

  /**
   * Holds `element` while it is in use, as a session by an open stream: it is not idle until all that
   * hold it have let go, and its countdown starts over then. An element that is not tracked is
   * tracked from now on. Returns what lets go: true the first time; a later call, and one for an
   * element that was removed meanwhile, does nothing. O(1).
   *
   * @throws as `touch`.
   */
  hold(element: E): () => boolean {
    this.touch(element);
    const held = this.#tracked.get(element) as TrackedElement<E>;
    if (held.holds++ === 0) this.#held++;
    let isHeld = true;
    return () => {
      const isFirst = isHeld && this.#tracked.get(element) === held;
      isHeld = false;
      if (isFirst && --held.holds === 0) {
        this.#held--;
        held.touchedMs = this.timer.now();
      }
      return isFirst;
    };
  }

  /** Stops tracking `element`, without a word. True iff it was tracked. O(1). */
  remove(element: E): boolean {
    const tracked = this.#tracked.get(element);
    if (tracked === undefined) return false;
    tracked.cancel();
    this.#tracked.delete(element);
    if (tracked.holds > 0) this.#held--;
    this.#ended.removed++;
    return true;
  }

  /**
   * How many ms are left until `element` is idle, unless it is touched. 0 if the time has come and the
   * listener was not called yet; Infinity for a timeout of Infinity, and while it is held. Undefined
   * for an element that is not tracked. O(1), one clock reading.
   */
  remainingMs(element: E): number | undefined {
    const restMs = this.#tracked.get(element)?.restMs(this.timer.now());
    return restMs === undefined ? undefined : Math.max(restMs, 0);
  }

  /**
   * Those that are tracked, and totals of those that have ended, as plain JSON. Changes nothing.
   * O(top), and a bounded number of steps to find the quietest.
   *
   * @throws TypeError, RangeError (Node's codes) when `top` is no integer from 0 to 100.
   */
  snapshot(options?: SnapshotOptions): IdleTimeoutsSnapshot {
    const top = checkedTop(options);
    const nowMs = this.timer.now();
    const { timeoutMs = Number.POSITIVE_INFINITY } = this;
    const tracked = this.#tracked.size;
    const { idle, removed } = this.#ended;
    const looked = top === 0 ? [] : firstOf(this.#tracked.values(), MAX_LOOKS);
    return {
      name: this.name,
      nowMs,
      tracked,
      held: this.#held,
      timeoutMs: finiteOrNull(timeoutMs),
      totals: { tracked: tracked + idle + removed, ...this.#ended },
      refused: { ...this.#refused },
      quietest: looked
        .sort((x, y) => x.touchedMs - y.touchedMs)
        .slice(0, top)
        .map((each) => ({
          element: keyText(each.element),
          quietMs: Math.round(nowMs - each.touchedMs),
          remainingMs: finiteOrNull(Math.max(0, Math.round(each.restMs(nowMs)))),
        })),
    };
  }

  /**
   * Ends it for good, and its timer unless that is shared. Returns the elements that were tracked,
   * the first that came first. A second call returns []. O(elements).
   */
  override close(): E[] {
    this.#isClosed = true;
    if (this.#ownsTimer) this.timer.close();
    for (const tracked of this.#tracked.values()) tracked.cancel();
    const elements = [...this.#tracked.keys()];
    this.#ended.removed += elements.length;
    this.#held = 0;
    this.#tracked.clear();
    return elements;
  }

  /** The timeout of its own, or the common one. */
  #timeoutOf(tracked: TrackedElement<E> | undefined, element: E): number | undefined {
    const told = this.#told.size === 0 ? undefined : this.#told.get(element);
    return (tracked ?? told)?.timeoutMs ?? this.timeoutMs;
  }

  /** A new element, one that gets another timeout, or one that the timer does not hold. */
  #start(known: TrackedElement<E> | undefined, element: E, timeoutMs: number | undefined): void {
    if (element === undefined)
      throw invalidArgType('element', 'an object, such as a socket, or the id of one', element);
    if (timeoutMs === undefined) {
      throw invalidArgType('timeoutMs', 'of type number where the option timeoutMs is left out', timeoutMs);
    }
    requiredSpan('timeoutMs', timeoutMs);
    const nowMs = this.timer.now();
    const tracked = known ?? new TrackedElement<E>(element, this.#run, nowMs, timeoutMs);
    try {
      if (this.#isClosed) throw closed(this.#title);
      if (this.timer.isClosed) throw closed(`The timer of ${this.#title}`);
      // With a longer timeout it is idle later than its task is filed.
      if (!tracked.isPending || timeoutMs < tracked.timeoutMs) this.#file(tracked, timeoutMs);
    } catch (error) {
      countRefusal(this.#refused, error);
      throw error;
    }
    tracked.touchedMs = nowMs;
    tracked.timeoutMs = timeoutMs;
    if (known === undefined) this.#tracked.set(element, tracked);
  }

  /** Moves the task if it is pending. @throws what the timer's `add` throws. */
  #file(tracked: TrackedElement<E>, delayMs: number): void {
    if (delayMs === Number.POSITIVE_INFINITY) return;
    tracked.delayMs = delayMs;
    this.timer.add(tracked);
  }

  readonly #run = (tracked: TrackedElement<E>): void => {
    if (tracked.holds > 0) this.#file(tracked, tracked.timeoutMs);
    // Not by the time now: what has arrived since the pass came due is not read yet.
    else if (tracked.restMs(this.timer.dueMs) > 0) this.#file(tracked, tracked.restMs(this.timer.now()));
    else this.#isIdle(tracked);
  };

  #isIdle(tracked: TrackedElement<E>): void {
    const { element } = tracked;
    this.#tracked.delete(element);
    this.#ended.idle++;
    this.#told.set(element, tracked);
    if (this.#onIdle === undefined) debugOnce(this, 'deaf', 'idle timeouts have no listener');
    const report = (error: unknown): void => {
      this.#ended.failed++;
      reportError(error, element, this.#onError);
    };
    runReported(() => this.#onIdle?.(element), report);
    this.#told.delete(element);
  }
}

function finiteOrNull(ms: number): number | null {
  return ms === Number.POSITIVE_INFINITY ? null : ms;
}
