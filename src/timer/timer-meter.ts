// What one timer has done so far, and where it tells it: the only file of the timer that counts, and that publishes.
//
// Ground rules. SystemTimer and its wheels call it, and it calls nobody but subscribers. It keeps numbers only, no task. It is told of a
// task before the task runs and when no slot is held anywhere, so whatever a subscriber does is as safe as what a task does.
import { LatenessHistogram } from './lateness.ts';
import type { Timer } from './timer.ts';
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
import type { TimerTask } from './timer-task.ts';
import type { TimerTaskList } from './timer-task-list.ts';
import type { TimingWheel } from './timing-wheel.ts';

export class TimerMeter {
  readonly lateness: LatenessHistogram = new LatenessHistogram();
  readonly #timer: Timer;
  #failed = 0;
  #cascaded = 0;
  #slices = 0;

  constructor(timer: Timer) {
    this.#timer = timer;
  }

  get failed(): number {
    return this.#failed;
  }

  get cascaded(): number {
    return this.#cascaded;
  }

  get slices(): number {
    return this.#slices;
  }

  willRun(task: TimerTask, latenessMs: number): void {
    this.lateness.note(latenessMs);
    if (taskRun.hasSubscribers) taskRun.publish({ timer: this.#timer, task, latenessMs } satisfies TaskRun);
  }

  threw(error: unknown, task: TimerTask): void {
    this.#failed++;
    if (taskError.hasSubscribers) taskError.publish({ timer: this.#timer, task, error } satisfies TaskError);
  }

  /** @param tasks how many of `bucket`, a bucket of a wheel above `lowest`, were moved. */
  didCascade(lowest: TimingWheel, bucket: TimerTaskList, tasks: number): void {
    this.#cascaded += tasks;
    if (wheelCascaded.hasSubscribers) {
      wheelCascaded.publish({
        timer: this.#timer,
        level: lowest.levelOf(bucket),
        bucket: lowest.indexOf(bucket),
        tasks,
      } satisfies WheelCascaded);
    }
  }

  didYield(ran: number, pending: number): void {
    this.#slices++;
    if (reaperSliced.hasSubscribers)
      reaperSliced.publish({ timer: this.#timer, ran, pending } satisfies ReaperSliced);
  }
}
