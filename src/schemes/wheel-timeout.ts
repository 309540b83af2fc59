// What `newTimeout` returns: Netty's Timeout. It is a task of the wheel, and remembers how it
// ended.
import { TimerTask } from '../timer/timer-task.ts';
import type { HashedWheelTimer } from './hashed-wheel-timer.ts';

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

/** A {@link Timeout} as the wheel keeps it. */
export class WheelTimeout extends TimerTask implements Timeout {
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

  override run(): void {
    this.#isExpired = true;
    const task = this.task;
    if (typeof task === 'function') task(this);
    else task.run(this);
  }
}
