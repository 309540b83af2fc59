// The running of due tasks: a pass of a timer, in slices or to its end.
//
// Ground rules. It alone calls user code. No slot is kept in a local variable across that call, so
// user code may do all it wants (add, cancel, close, throw, advanceClock) and the pass goes on. An
// error of a task goes to `onError`, and stops nothing.
//
// A slice may run in batches, with the microtasks and other work after each. In between, a task may
// be cancelled or added, and `advanceClock` may run the rest.
import { reportError } from '../base/report-error.ts';
import type { Job } from '../turns/job.ts';
import type { PassObserver, PendingTasks } from './pending-tasks.ts';
import type { TaskKeeper, TimerTask } from './timer-task.ts';

/** The timer whose tasks are run. */
interface RunningTimer extends TaskKeeper {
  now(): number;
  readonly lastReadingMs: number;
}

export class TaskRunner {
  readonly #timer: RunningTimer;
  readonly #tasks: PendingTasks;
  readonly #sliceMs: number;
  readonly #onError: ((error: unknown, task: TimerTask) => void) | undefined;
  readonly #observer: PassObserver | undefined;
  #isRunning = false;
  /** How many tasks have run in the slice. */
  #ran = 0;

  constructor(
    timer: RunningTimer,
    tasks: PendingTasks,
    options: { sliceMs: number; onError?: (error: unknown, task: TimerTask) => void },
    observer: PassObserver | undefined,
  ) {
    this.#timer = timer;
    this.#tasks = tasks;
    this.#sliceMs = options.sliceMs;
    this.#onError = options.onError;
    this.#observer = observer;
  }

  /** True while tasks run. */
  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** Runs what is due at `tick`. Returns how many tasks ran. @throws what the clock throws. */
  runAll(tick: number): number {
    return this.#run(tick, undefined, undefined);
  }

  /** As `runAll`, for one slice, which begins at `nowMs`. The pass may stay open then. */
  runSlice(tick: number, nowMs: number): void {
    this.#ran = this.#run(tick, nowMs + this.#sliceMs, undefined);
    this.didYield();
  }

  /** Opens a pass up to `tick`, unless one is open: what is added from now on waits for the next. */
  open(tick: number): void {
    if (!this.#tasks.isPassOpen) this.#tasks.openPass(tick);
  }

  /**
   * Runs a batch of the pass that is open. Returns whether the pass stays open.
   */
  runBatch(job: Job): boolean {
    this.#ran += this.#run(undefined, job.endMs, job);
    const { isPassOpen } = this.#tasks;
    if (!isPassOpen) this.#ran = 0;
    return isPassOpen;
  }

  /** To be called at the end of a slice. */
  didYield(): void {
    if (this.#tasks.isPassOpen) this.#observer?.didYield(this.#ran, this.#tasks.size);
    this.#ran = 0;
  }

  /** Runs one task of a pass that a slice has left open, and reads the clock. False if there is none. */
  runNext(): boolean {
    const tasks = this.#tasks;
    if (this.#isRunning || !tasks.isPassOpen) return false;
    this.#isRunning = true;
    try {
      const task = tasks.take();
      if (task === undefined) return false;
      this.#runTask(task);
      this.#timer.now();
    } finally {
      this.#isRunning = false;
    }
    return true;
  }

  /** Goes on with the pass that is open; then makes one up to `tick`, if one is given. */
  #run(tick: number | undefined, endMs: number | undefined, job: Job | undefined): number {
    const tasks = this.#tasks;
    this.#isRunning = true;
    let ran = 0;
    try {
      // A pass that the last slice has left ends first: the tasks that it adds wait for the next.
      if (tasks.isPassOpen) ran = this.#runPass(endMs, job);
      if (tick !== undefined && !tasks.isPassOpen) {
        tasks.openPass(tick);
        ran += this.#runPass(endMs, job);
      }
    } finally {
      this.#isRunning = false; // also when the clock has thrown: else the timer would never run again
    }
    return ran;
  }

  #runPass(endMs: number | undefined, job: Job | undefined): number {
    const tasks = this.#tasks;
    let ran = 0;
    do {
      const task = tasks.take();
      if (task !== undefined) {
        this.#runTask(task);
        ran++;
        job?.count(1, 1);
      } else if (!tasks.isPassOpen) {
        break;
      }
      // The clock is read after each task: one long task after many short ones must not block.
    } while (!(job !== undefined && job.left <= 0) && !(endMs !== undefined && this.#timer.now() >= endMs));
    return ran;
  }

  #runTask(task: TimerTask): void {
    const timer = this.#timer;
    try {
      if (task.$keeper === timer) task.$keeper = undefined; // throws for one that is frozen
      this.#observer?.willRun(task, timer.lastReadingMs);
      task.run();
    } catch (error) {
      this.report(error, task);
    }
  }

  report(error: unknown, task: TimerTask): void {
    this.#observer?.threw(error, task);
    reportError(error, task, this.#onError);
  }
}
