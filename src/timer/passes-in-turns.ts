// The passes of a timer on the system clock, as a job that takes turns with all other jobs of that
// clock.
//
// Ground rules. It belongs to one DrivenTimer. A pass is opened when the timer wakes. So what is
// added before its first batch waits for the next pass. Between two batches the microtasks run,
// which takes a turn of the host. So only timers of `systemClock` have this. Any other clock, and a
// fake, may wake a timer in the middle of a turn: such a timer has a slice of its own. The drop-in
// timers have turns of their own (waits/timers/drained-turns.ts).
import type { Job } from '../turns/job.ts';
import { schedulerOf } from '../turns/scheduler.ts';
import type { TaskRunner } from './task-runner.ts';

export class PassesInTurns {
  readonly #runner: TaskRunner;
  readonly #endPass: () => void;
  readonly #job: Job;

  /** @param endPass is called at the end of each pass, and after a throw. */
  constructor(timer: object, sliceMs: number, runner: TaskRunner, endPass: () => void) {
    this.#runner = runner;
    this.#endPass = endPass;
    this.#job = schedulerOf(timer).job({
      sliceMs,
      isOfTimer: true,
      step: (job) => this.#runBatch(job),
      didYield: () => runner.didYield(),
    });
  }

  /** Whether a pass goes on by itself. */
  get isUnderWay(): boolean {
    return this.#job.isUnderWay;
  }

  /** Begins a pass over all tasks up to `tick`, unless one is under way. */
  begin(tick: number): void {
    this.#runner.open(tick);
    this.#job.run();
  }

  #runBatch(job: Job): boolean {
    let isOpen = false;
    try {
      isOpen = this.#runner.runBatch(job);
    } finally {
      if (!isOpen) this.#endPass();
    }
    return isOpen;
  }
}
