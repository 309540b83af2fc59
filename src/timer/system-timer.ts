// The timer of the library: hierarchical timing wheels with a DelayQueue, driven by a clock.
//
// It adds to Timer the wheels, periodic tasks, and a meter with its snapshot.
import { readOptions } from '../base/options.ts';
import { type MakeScheme, PendingTasks } from './pending-tasks.ts';
import {
  type FixedDelayOptions,
  type FixedRateOptions,
  fixedDelayTask,
  fixedRateTask,
} from './periodic-task.ts';
import { SYSTEM_TIMER_OPTIONS, type SystemTimerOptions } from './system-timer-options.ts';
import { tickAt } from './tick.ts';
import { Timer } from './timer.ts';
import { TimerMeter } from './timer-meter.ts';
import type { TimerSnapshot } from './timer-snapshot.ts';
import type { TimerTask } from './timer-task.ts';
import { WheelScheme } from './wheels/wheel-scheme.ts';

/**
 * A {@link Timer} on hierarchical timing wheels. To start or stop a task is O(1), however many are
 * pending. A pending task keeps the process alive, unless `unref()` was called.
 */
export class SystemTimer extends Timer {
  readonly #tickMs: number;
  readonly #tasks: PendingTasks<WheelScheme>;
  readonly #meter: TimerMeter;

  /**
   * @throws TypeError, RangeError (Node's codes) for an option of the wrong type or out of its
   * range.
   */
  constructor(options?: SystemTimerOptions) {
    const { wheelSize, ...common } = readOptions('a timer', options, SYSTEM_TIMER_OPTIONS);
    const { tickMs, clock } = common;
    const bits = 32 - Math.clz32(wheelSize - 1);
    const nowMs = clock.now();
    const meter = new TimerMeter();
    const make: MakeScheme<WheelScheme> = (slab, cursor) => new WheelScheme(slab, cursor, bits, meter);
    const tasks = new PendingTasks(make, tickAt(nowMs, tickMs));
    super(common, nowMs, tasks, meter);
    this.#tickMs = tickMs;
    this.#tasks = tasks;
    this.#meter = meter;
    meter.timer = this;
  }

  /**
   * Runs `callback` every `periodMs` (>= 1), first after `options.initialDelayMs` (default
   * `periodMs`), without drift. If `callback` returns a promise, the run lasts until the promise
   * settles. No other run begins before, and runs that were due meanwhile are left out. A throw or
   * a rejection is reported like that of any task, and the series goes on. Returns the task of the
   * series, which is pending until `cancel()`, also while a run is under way.
   *
   * @throws as `add`; TypeError, RangeError (Node's codes) for a bad argument.
   */
  scheduleAtFixedRate(callback: () => unknown, periodMs: number, options?: FixedRateOptions): TimerTask {
    const task = fixedRateTask(this, callback, periodMs, options);
    this.add(task);
    return task;
  }

  /**
   * As `scheduleAtFixedRate`, but with `delayMs` (>= 0) between the end of a run and the next.
   * @throws as that.
   */
  scheduleWithFixedDelay(callback: () => unknown, delayMs: number, options?: FixedDelayOptions): TimerTask {
    const task = fixedDelayTask(this, callback, delayMs, options);
    this.add(task);
    return task;
  }

  /**
   * A picture of the timer, as plain JSON. Changes nothing. O(wheels + bins of the lateness).
   */
  override snapshot(): TimerSnapshot {
    const nowMs = this.now();
    const nextExpirationMs = this.nextExpirationMs ?? null; // makes the head one that has tasks
    const tickMs = this.#tickMs;
    const wheels = this.#tasks.scheme;
    const { lowest } = wheels;
    const { head, size } = wheels.queue;
    return {
      tickMs,
      wheelSize: lowest.buckets.length,
      nowMs,
      pending: this.size,
      nextExpirationMs,
      isRef: this.hasRef(),
      levels: Array.from(lowest.levels(), (wheel) => ({
        tickMs: wheel.span * tickMs,
        position: wheel.indexAt(tickAt(nowMs, tickMs)),
      })),
      delayQueue: {
        size,
        head:
          head === undefined
            ? null
            : { level: head.wheel.level, bucket: head.index, expirationMs: head.expiration * tickMs },
      },
      lateness: this.#meter.lateness.snapshot(),
      totals: this.#meter.totals,
    };
  }
}
