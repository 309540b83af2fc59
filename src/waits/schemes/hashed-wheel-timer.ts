// Scheme 6 of Varghese & Lauck (1987): a hashed wheel whose buckets are lists in no order. Netty's
// HashedWheelTimer.
//
//   START_TIMER            O(1)   append to the bucket of the tick's remainder
//   STOP_TIMER             O(1)   unlink
//   PER_TICK_BOOKKEEPING   O(n / wheelSize) on average where a task of the bucket is due, O(n)
//                          where all are in one bucket; O(1) where none is due
//   space                  O(n + wheelSize)   a list head (16 bytes) and a bound (8 bytes) a bucket
//
// Ground rules. Those of the wheel (hashed-wheel.ts).
import { checkedNumber, type NumberRule } from '../../base/checks.ts';
import { invalidArgType, invalidArgValue } from '../../base/node-errors.ts';
import { knownOptions, type OptionNames } from '../../base/options.ts';
import {
  SYSTEM_TIMER_OPTIONS,
  type SystemTimerOptions,
  TICK_MS,
  WHEEL_SIZE,
} from '../../timer/system-timer-options.ts';
import { TimerTask } from '../../timer/timer-task.ts';
import { bucketsOf, UnsortedHashedWheel } from './hashed-wheel.ts';
import { SchemeTimer } from './scheme-timer.ts';

/**
 * The options of a {@link HashedWheelTimer}, by Netty's names or by the library's. Give one name of
 * a pair.
 */
export interface HashedWheelTimerOptions extends SystemTimerOptions {
  /** The tick in ms (`tickMs`): an integer from 1 to 2^31 - 1. Default 100, as in Netty. */
  tickDurationMs?: number | undefined;
  /**
   * Buckets of the wheel (`wheelSize`): an integer from 2 to 65,536, rounded up to a power of two.
   * Default 512.
   */
  ticksPerWheel?: number | undefined;
  /**
   * The most timeouts pending at once (`maxPending`): an integer, or Infinity. 0 or less means no
   * limit, as in Netty.
   */
  maxPendingTimeouts?: number | undefined;
}

/**
 * What a {@link Timeout} runs: a function, or an object with the method `run`. Both get the timeout
 * as argument.
 */
export type TimeoutTask = ((timeout: Timeout) => void) | { run(timeout: Timeout): void };

/** One start of a timer (io.netty.util.Timeout). */
export interface Timeout {
  /** The timer that it was started on. */
  readonly timer: HashedWheelTimer;
  /** What it runs. */
  readonly task: TimeoutTask;
  /** True once its task has been run, or is being run. */
  readonly isExpired: boolean;
  /** True once it was cancelled, by itself or by the end of its timer. */
  readonly isCancelled: boolean;
  /** Takes it out of the timer at once. True iff it was neither expired nor cancelled. O(1). */
  cancel(): boolean;
}

const OPTIONS: OptionNames<HashedWheelTimerOptions> = {
  ...SYSTEM_TIMER_OPTIONS,
  tickDurationMs: true,
  ticksPerWheel: true,
  maxPendingTimeouts: true,
};
const DEFAULT_TICK_MS = 100;
const DEFAULT_WHEEL_SIZE = 512;
const MAX_PENDING_TIMEOUTS: NumberRule = {
  min: Number.MIN_SAFE_INTEGER,
  max: Number.MAX_SAFE_INTEGER,
  integer: true,
  orInfinity: true,
};

/**
 * Scheme 6, a hashed wheel. For many timeouts of similar, coarse delays that are nearly all
 * cancelled, such as those of connections.
 *
 * It also has the methods and options of io.netty.util.HashedWheelTimer. It differs in five ways. A
 * timeout is never early by the clock. A cancelled timeout leaves the wheel at once, and not a tick
 * later. What a task throws goes to `onError`, and not to a log. A refusal is a PurgatoryError. No
 * thread is started, nothing is armed while nothing is pending, and a task may call `stop`.
 */
export class HashedWheelTimer extends SchemeTimer {
  /** @throws TypeError, RangeError (Node's codes) for a bad option, or both of a pair. */
  constructor(options?: HashedWheelTimerOptions) {
    const given = knownOptions('a timer', options, OPTIONS);
    const tickMs = checkedNumber(...eitherOf(given, 'tickDurationMs', 'tickMs'), DEFAULT_TICK_MS, TICK_MS);
    const wheelSize = checkedNumber(
      ...eitherOf(given, 'ticksPerWheel', 'wheelSize'),
      DEFAULT_WHEEL_SIZE,
      WHEEL_SIZE,
    );
    const maxPending = checkedMaxPending(given);
    const { tickDurationMs, ticksPerWheel, wheelSize: _, maxPendingTimeouts, ...common } = given;
    super((slab, cursor) => new UnsortedHashedWheel(slab, cursor, bucketsOf(wheelSize)), {
      ...common,
      tickMs,
      maxPending,
    });
  }

  /**
   * Runs `task` once, `delayMs` from now, never inside this call. The timer starts with its first
   * timeout. O(1).
   *
   * @throws TypeError, RangeError (Node's codes) for a task that cannot run, or a delay that is not
   * finite.
   * @throws PurgatoryError ERR_PURGATORY_CLOSED after `stop`; ERR_PURGATORY_FULL:
   * `maxPendingTimeouts` is reached.
   */
  newTimeout(task: TimeoutTask, delayMs: number): Timeout {
    if (typeof task !== 'function' && typeof task?.run !== 'function') {
      throw invalidArgType('task', 'of type function or an object with the method run', task);
    }
    const timeout = new WheelTimeout(this, task, delayMs);
    this.add(timeout);
    return timeout;
  }

  /** How many timeouts (and tasks of `add`) are pending. */
  get pendingTimeouts(): number {
    return this.size;
  }

  /**
   * Ends the timer for good, as `close` does. Cancels the timeouts that never ran and returns them,
   * by deadline. Tasks of `add` are no longer pending either, but only `close` returns them. A
   * second call returns [].
   */
  stop(): Timeout[] {
    return this.close().filter((task) => task instanceof WheelTimeout);
  }
}

/**
 * The name that was given and its value. @throws TypeError with ERR_INVALID_ARG_VALUE when both
 * were.
 */
function eitherOf(
  options: HashedWheelTimerOptions,
  name: keyof HashedWheelTimerOptions,
  other: keyof HashedWheelTimerOptions,
): [name: string, value: unknown] {
  if (options[name] === undefined) return [`options.${other}`, options[other]];
  if (options[other] !== undefined) {
    throw invalidArgValue(`options.${name}`, `cannot be given together with ${other}`, options[name]);
  }
  return [`options.${name}`, options[name]];
}

function checkedMaxPending(options: HashedWheelTimerOptions): number | undefined {
  const [name, value] = eitherOf(options, 'maxPendingTimeouts', 'maxPending');
  if (name === 'options.maxPending') return options.maxPending;
  const most = checkedNumber(name, value, Number.POSITIVE_INFINITY, MAX_PENDING_TIMEOUTS);
  return most > 0 ? most : Number.POSITIVE_INFINITY;
}

/** A {@link Timeout} as the wheel keeps it: a task that remembers how it ended. */
class WheelTimeout extends TimerTask implements Timeout {
  readonly timer: HashedWheelTimer;
  readonly task: TimeoutTask;
  #isExpired = false;

  constructor(timer: HashedWheelTimer, task: TimeoutTask, delayMs: number) {
    super(delayMs);
    this.timer = timer;
    this.task = task;
  }

  get isExpired(): boolean {
    return this.#isExpired;
  }

  get isCancelled(): boolean {
    return !this.#isExpired && !this.isPending;
  }

  override run(): unknown {
    this.#isExpired = true;
    const task = this.task;
    return typeof task === 'function' ? task(this) : task.run(this);
  }
}
