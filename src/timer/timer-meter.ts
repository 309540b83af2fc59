// What one timer has done so far, and where it tells it: the only file of the timer that counts,
// and that publishes.
//
// Ground rules. Its timer and the wheels call it, and it calls nobody but subscribers. It keeps
// numbers only, no task. It is told of a task before the task runs and when no slot is held
// anywhere, so whatever a subscriber does is as safe as what a task does. It is too late to cancel
// the task that it is told of: that runs.
import { debug } from '../debug.ts';
import { DurationHistogram } from '../duration-histogram.ts';
import type { PassObserver } from './pending-tasks.ts';
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

/** Up to 16 s; who is later is late, however late. */
const LATENESS_BOUNDS = 15;

/** The pass that takes out due tasks. */
interface Pass {
  /** The tick of the task that was taken out last. */
  readonly takenTick: number;
}

export class TimerMeter implements PassObserver {
  /**
   * Counted from the tick of a task's deadline to the last reading of the clock when the task's
   * turn came. No reading is made for it: the reaper has just made one, to see whether its slice is
   * spent; an `advanceClock` makes one in all.
   */
  readonly lateness: DurationHistogram = new DurationHistogram(LATENESS_BOUNDS);
  readonly #tickMs: number;
  #timer!: Timer;
  #pass!: Pass;
  #failed = 0;
  #cascaded = 0;
  #slices = 0;

  constructor(tickMs: number) {
    this.#tickMs = tickMs;
  }

  /** To be called once, before anything runs. The meter is made before the timer and its pass. */
  observe(timer: Timer, pass: Pass): void {
    this.#timer = timer;
    this.#pass = pass;
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

  willRun(task: TimerTask, nowMs: number): void {
    const latenessMs = nowMs - this.#pass.takenTick * this.#tickMs;
    this.lateness.note(latenessMs);
    if (taskRun.hasSubscribers) taskRun.publish({ timer: this.#timer, task, latenessMs } satisfies TaskRun);
  }

  threw(error: unknown, task: TimerTask): void {
    this.#failed++;
    debug('timer: a %s threw %s', task.constructor.name, error);
    if (taskError.hasSubscribers) taskError.publish({ timer: this.#timer, task, error } satisfies TaskError);
  }

  /** @param tasks how many tasks of the bucket were moved. */
  didCascade(level: number, bucket: number, tasks: number): void {
    this.#cascaded += tasks;
    if (wheelCascaded.hasSubscribers) {
      const cascaded: WheelCascaded = { timer: this.#timer, level, bucket, tasks };
      wheelCascaded.publish(cascaded);
    }
  }

  didYield(ran: number, pending: number): void {
    this.#slices++;
    debug('timer: the reaper yielded after %d tasks, %d are pending', ran, pending);
    if (reaperSliced.hasSubscribers)
      reaperSliced.publish({ timer: this.#timer, ran, pending } satisfies ReaperSliced);
  }
}
