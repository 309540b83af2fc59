// The timer of the library: hierarchical timing wheels with a DelayQueue, driven by a clock.
//
// It adds to DrivenTimer the wheels, periodic tasks, a meter with its snapshot, and `release`. That
// is for purgatories: when one event completes very many operations, `settle` comes once, at its
// end. (`remove` settles at once: on a fake host that looks through a bucket.)
import type { DurationSnapshot } from '../base/duration-histogram.ts';
import { DrivenTimer } from './driven-timer.ts';
import { PendingTasks } from './pending-tasks.ts';
import {
  type FixedDelayOptions,
  FixedDelayTask,
  type FixedRateOptions,
  FixedRateTask,
} from './periodic-task.ts';
import { checkedTimerOptions, type SystemTimerOptions } from './system-timer-options.ts';
import { TimerMeter } from './telemetry/timer-meter.ts';
import { timerSnapshot } from './telemetry/timer-snapshot.ts';
import type { TimerSnapshot } from './telemetry/timer-state.ts';
import { tickAt } from './tick.ts';
import type { Timer } from './timer.ts';
import { NOT_HELD, type TimerTask } from './timer-task.ts';
import { type DidCascade, TimingWheels } from './wheels/timing-wheels.ts';

/**
 * A {@link Timer} on hierarchical timing wheels. To start or stop a task is O(1), however many are
 * pending. A pending task keeps the process alive, unless `unref()` was called.
 */
export class SystemTimer extends DrivenTimer {
  readonly #tickMs: number;
  readonly #tasks: PendingTasks<TimingWheels>;
  readonly #meter: TimerMeter;

  /**
   * @throws TypeError, RangeError (Node's codes) for an option of the wrong type or out of its
   * range.
   */
  constructor(options?: SystemTimerOptions) {
    const checked = checkedTimerOptions(options);
    const { wheelSize, tickMs, clock } = checked;
    const bits = 32 - Math.clz32(wheelSize - 1);
    const nowMs = clock.now();
    const meter = new TimerMeter();
    const didCascade: DidCascade = (level, bucket, moved) => meter.didCascade(level, bucket, moved);
    const tasks = new PendingTasks((slab) => new TimingWheels(slab, bits, didCascade), tickAt(nowMs, tickMs));
    super(checked, nowMs, tasks, meter);
    this.#tickMs = tickMs;
    this.#tasks = tasks;
    this.#meter = meter;
    meter.timer = this;
  }

  /**
   * Runs `callback` every `periodMs` (>= 1), first after `options.initialDelayMs` (default
   * `periodMs`), without drift. When it throws, the error is reported and the series goes on.
   * Returns the task of the series, which is pending until `cancel()`.
   *
   * @throws as `add`; TypeError, RangeError (Node's codes) for a bad argument.
   */
  scheduleAtFixedRate(callback: () => void, periodMs: number, options?: FixedRateOptions): TimerTask {
    const task = new FixedRateTask(this, this.clock, callback, periodMs, options);
    this.add(task);
    return task;
  }

  /**
   * As `scheduleAtFixedRate`, but with `delayMs` (>= 0) between the end of a run and the next.
   * @throws as that.
   */
  scheduleWithFixedDelay(callback: () => void, delayMs: number, options?: FixedDelayOptions): TimerTask {
    const task = new FixedDelayTask(this, callback, delayMs, options);
    this.add(task);
    return task;
  }

  /**
   * A picture of the timer, as plain JSON. Changes nothing. O(wheels x wheelSize): the number of
   * pending tasks adds a bounded number of steps, as `maxPerBucket` tells.
   */
  snapshot(): TimerSnapshot {
    return timerSnapshot(this, this.#tickMs, this.#tasks, this.#meter);
  }

  /**
   * The lateness of a snapshot, without the counting. For the inspector's history. O(bins).
   *
   * @internal
   */
  get $lateness(): DurationSnapshot {
    return this.#meter.lateness.snapshot();
  }

  /**
   * Takes out a task if it is pending here, in `slot`, and leaves its $keeper and the memory as
   * they are. `settle` must follow, once for all that are released in a row. O(1).
   *
   * @internal
   */
  release(task: TimerTask, slot: number): void {
    const tasks = this.#tasks;
    if (!tasks.holds(task, slot)) return;
    tasks.release(slot);
    task.$slot = NOT_HELD;
  }
}

/**
 * `timer`, if `release` does what its `remove` does: a SystemTimer whose methods nobody has
 * overridden.
 *
 * @internal
 */
export function releasing(timer: Timer): SystemTimer | undefined {
  if (!(timer instanceof SystemTimer)) return undefined;
  const { add, remove } = SystemTimer.prototype;
  return timer.add === add && timer.remove === remove ? timer : undefined;
}
