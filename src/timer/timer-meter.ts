// What one timer has done so far, and its events on channels of node:diagnostics_channel. No other
// file of the timer counts or publishes.
//
// Ground rules. The timer and its wheels call it. It calls subscribers alone. It keeps numbers and
// no task. An event without a subscriber costs a read and a branch. Subscribers run inside the
// timer's call, so they must be quick. They may do all that a task may do: no slot is held in a
// local variable, and the task of the event is not pending any more. A parked operation that a
// listener takes out is neither tried nor run. What a subscriber throws becomes an uncaught
// exception in a later turn (Node does that), and the timer goes on.

import { type Channel, channel } from 'node:diagnostics_channel';
import { debug } from '../base/debug.ts';
import { DurationHistogram } from '../base/duration-histogram.ts';
import { className } from '../base/text.ts';
import { inOwnScope } from '../clock/root-context.ts';
import { NONE } from '../slab/slab.ts';
import type { PassObserver, Timer } from './timer.ts';
import type { TimerSnapshot } from './timer-snapshot.ts';
import type { TimerTask } from './timer-task.ts';

/** `purgatory:task:run`: a task is about to run, and can no longer be cancelled; an operation can. */
export interface TaskRun {
  readonly timer: Timer;
  readonly task: TimerTask;
  /** How long after the tick of its deadline, in ms, by the timer's last reading of the clock. */
  readonly latenessMs: number;
}

/** `purgatory:task:error`: a task threw. (For a parked operation: `purgatory:operation:error`.) */
export interface TaskError {
  readonly timer: Timer;
  readonly task: TimerTask;
  readonly error: unknown;
}

/**
 * `purgatory:wheel:cascaded`: tasks of an expired overflow bucket have moved to finer wheels. A
 * large bucket moves in several parts, and each is an event.
 */
export interface WheelCascaded {
  readonly timer: Timer;
  /** The bucket's wheel: 1 for the first overflow wheel, and so on. */
  readonly level: number;
  /** The bucket's index in its wheel. */
  readonly bucket: number;
  /** How many tasks have moved: 1 or more. */
  readonly tasks: number;
}

/** `purgatory:reaper:sliced`: the reaper has yielded to the event loop with more to run. */
export interface ReaperSliced {
  readonly timer: Timer;
  /** How many tasks ran in the slice. 0: other work had spent it. */
  readonly ran: number;
  /** How many tasks are pending, due or not. */
  readonly pending: number;
}

const taskRun: Channel = channel('purgatory:task:run');
const taskError: Channel = channel('purgatory:task:error');
const wheelCascaded: Channel = channel('purgatory:wheel:cascaded');
const reaperSliced: Channel = channel('purgatory:reaper:sliced');

/** Up to 16 s. */
const LATENESS_BOUNDS = 15;

export class TimerMeter implements PassObserver {
  /**
   * From the tick of a task's deadline to the last reading of the clock. It makes no reading of its
   * own: the reaper has made one after the task before, and an `advanceClock` at its beginning.
   */
  readonly lateness: DurationHistogram = new DurationHistogram(LATENESS_BOUNDS);
  /** The timer of the events. To be set before anything runs: the meter is made before it. */
  timer!: Timer;
  readonly #counts = { failed: 0, cascaded: 0, slices: 0 };

  get totals(): TimerSnapshot['totals'] {
    return { ran: this.lateness.count, ...this.#counts };
  }

  willRun(task: TimerTask, latenessMs: number): boolean {
    this.lateness.note(latenessMs);
    return !taskRun.hasSubscribers || this.#publishRun(task, latenessMs);
  }

  #publishRun(task: TimerTask, latenessMs: number): boolean {
    const keptBy = task.$keeper;
    taskRun.publish({ timer: this.timer, task, latenessMs } satisfies TaskRun);
    return keptBy === undefined || (task.$keeper === keptBy && task.$slot === NONE);
  }

  threw(error: unknown, task: TimerTask): void {
    this.#counts.failed++;
    debug('timer: a %s threw %s', className(task), error);
    if (taskError.hasSubscribers) taskError.publish({ timer: this.timer, task, error } satisfies TaskError);
  }

  /** @param tasks how many tasks of the bucket were moved. */
  didCascade(level: number, bucket: number, tasks: number): void {
    this.#counts.cascaded += tasks;
    if (wheelCascaded.hasSubscribers) {
      const cascaded: WheelCascaded = { timer: this.timer, level, bucket, tasks };
      inOwnScope(() => wheelCascaded.publish(cascaded));
    }
  }

  didYield(ran: number, pending: number): void {
    this.#counts.slices++;
    debug('timer: the reaper yielded after %d tasks, %d are pending', ran, pending);
    if (!reaperSliced.hasSubscribers) return;
    const sliced: ReaperSliced = { timer: this.timer, ran, pending };
    inOwnScope(() => reaperSliced.publish(sliced));
  }
}
