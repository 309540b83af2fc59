// The timer of the library: hierarchical timing wheels with a DelayQueue, driven by a clock.
//
// Ground rules. Those of DrivenTimer, with WheelTasks for its pending tasks, so the clock jumps from non-empty bucket to
// non-empty bucket. What it adds to a driven timer: periodic tasks, a meter with its snapshot, and a short way in and out.
//
// The short way is for purgatories, which have checked their operations themselves: it saves the accesses to a task's fields
// that would only find out again what they know. With many classes of operations each access costs (timer-protocol.ts).

import type { DurationSnapshot } from '../duration-histogram.ts';
import { checkedDelay } from './checked-delay.ts';
import { DrivenTimer } from './driven-timer.ts';
import {
  type FixedDelayOptions,
  FixedDelayTask,
  type FixedRateOptions,
  FixedRateTask,
} from './periodic-task.ts';
import { checkedTimerOptions, type SystemTimerOptions } from './system-timer-options.ts';
import { tickAt } from './tick.ts';
import type { Timer } from './timer.ts';
import { TimerMeter } from './timer-meter.ts';
import { NOT_HELD, type TaskKeeper } from './timer-protocol.ts';
import { type TimerSnapshot, timerSnapshot } from './timer-snapshot.ts';
import type { TimerTask } from './timer-task.ts';
import { WheelTasks } from './wheel-tasks.ts';

/**
 * A {@link Timer} on hierarchical timing wheels. START_TIMER and STOP_TIMER are O(1), whatever is pending; the clock jumps
 * from non-empty bucket to non-empty bucket. A pending task keeps the process alive unless `unref()`.
 */
export class SystemTimer extends DrivenTimer {
  readonly #tickMs: number;
  readonly #tasks: WheelTasks;
  readonly #meter: TimerMeter;

  /** @throws TypeError, RangeError (Node's codes) for an option of the wrong type or out of its range. */
  constructor(options?: SystemTimerOptions) {
    const checked = checkedTimerOptions(options);
    const { wheelSize, tickMs, clock } = checked;
    const meter = new TimerMeter(tickMs);
    const bits = 32 - Math.clz32(wheelSize - 1);
    const nowMs = clock.now();
    const tasks = new WheelTasks(bits, tickAt(nowMs, tickMs), (level, bucket, moved) =>
      meter.didCascade(level, bucket, moved),
    );
    super(checked, nowMs, tasks, meter);
    this.#tickMs = tickMs;
    this.#tasks = tasks;
    this.#meter = meter;
    meter.observe(this, tasks);
  }

  /**
   * Runs `callback` every `periodMs` (>= 1), first after `options.initialDelayMs` (default `periodMs`); drift-free. What it throws is
   * reported and the series goes on. The task returned is the series: pending until `cancel()`.
   *
   * @throws as `add`; TypeError, RangeError (Node's codes) for a bad argument.
   */
  scheduleAtFixedRate(callback: () => void, periodMs: number, options?: FixedRateOptions): TimerTask {
    const task = new FixedRateTask(this, this.clock, callback, periodMs, options);
    this.add(task);
    return task;
  }

  /** As `scheduleAtFixedRate`, with `delayMs` (>= 0) between the end of a run and the next. @throws as that. */
  scheduleWithFixedDelay(callback: () => void, delayMs: number, options?: FixedDelayOptions): TimerTask {
    const task = new FixedDelayTask(this, callback, delayMs, options);
    this.add(task);
    return task;
  }

  /**
   * What is pending and how the timer is doing, as plain JSON; changes nothing. O(wheels x wheelSize): what is pending adds
   * a bounded number of steps, as `maxPerBucket` tells.
   */
  snapshot(): TimerSnapshot {
    return timerSnapshot(this, this.#tickMs, this.#tasks, this.#meter);
  }

  /** The lateness of a snapshot, without the counting. For the inspector's history. O(bins). @internal */
  get $lateness(): DurationSnapshot {
    return this.#meter.lateness.snapshot();
  }

  /**
   * The short way in: as `add` of a task that is pending nowhere, for `keeper`, which is to be its $keeper. O(1).
   *
   * @throws what `add` throws for the timer's part and for `delayMs`; nothing has changed then.
   * @internal
   */
  addFor(keeper: TaskKeeper, task: TimerTask, delayMs: number): void {
    this.file(task, checkedDelay(delayMs), NOT_HELD, keeper);
  }

  /**
   * The short way out, for a task that came in by it and is in `slot`; leaves $keeper alone. `settle` is to follow, once for all that are
   * released in a row. O(1).
   *
   * @internal
   */
  release(task: TimerTask, slot: number): void {
    this.#tasks.release(task, slot);
  }
}

/**
 * `timer`, if it has the short way: a SystemTimer whose `add` and `remove` nobody has overridden.
 *
 * @internal
 */
export function withShortWay(timer: Timer): SystemTimer | undefined {
  if (!(timer instanceof SystemTimer)) return undefined;
  const { add, remove } = SystemTimer.prototype;
  return timer.add === add && timer.remove === remove ? timer : undefined;
}
