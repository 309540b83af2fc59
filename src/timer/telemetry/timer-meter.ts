// What one timer has done so far. The only file of the timer that counts, and that publishes
// events.
//
// Ground rules. The timer and its wheels call it. It calls nobody but subscribers. It keeps numbers
// and no task. It learns of a task before the task runs, when no slot is held in a local variable.
// So a subscriber may do all that a task may do. But it cannot cancel the task of the event.
import { debug } from '../../base/debug.ts';
import { DurationHistogram } from '../../base/duration-histogram.ts';
import type { PassObserver } from '../driven-timer.ts';
import type { Timer } from '../timer.ts';
import type { TimerTask } from '../timer-task.ts';
import {
  type ReaperSliced,
  reaperSliced,
  type TaskError,
  type TaskRun,
  taskError,
  taskRun,
  type WheelCascaded,
  wheelCascaded,
} from './timer-events.ts';
import type { TimerSnapshot } from './timer-state.ts';

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
  readonly counts: Omit<TimerSnapshot['totals'], 'ran'> = { failed: 0, cascaded: 0, slices: 0 };

  willRun(task: TimerTask, latenessMs: number): void {
    this.lateness.note(latenessMs);
    if (taskRun.hasSubscribers) taskRun.publish({ timer: this.timer, task, latenessMs } satisfies TaskRun);
  }

  threw(error: unknown, task: TimerTask): void {
    this.counts.failed++;
    debug('timer: a %s threw %s', task.constructor.name, error);
    if (taskError.hasSubscribers) taskError.publish({ timer: this.timer, task, error } satisfies TaskError);
  }

  /** @param tasks how many tasks of the bucket were moved. */
  didCascade(level: number, bucket: number, tasks: number): void {
    this.counts.cascaded += tasks;
    if (wheelCascaded.hasSubscribers) {
      const cascaded: WheelCascaded = { timer: this.timer, level, bucket, tasks };
      wheelCascaded.publish(cascaded);
    }
  }

  didYield(ran: number, pending: number): void {
    this.counts.slices++;
    debug('timer: the reaper yielded after %d tasks, %d are pending', ran, pending);
    if (reaperSliced.hasSubscribers)
      reaperSliced.publish({ timer: this.timer, ran, pending } satisfies ReaperSliced);
  }
}
