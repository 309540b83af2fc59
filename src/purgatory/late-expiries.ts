// Deadlines that have met a try for an event in time, whose promise is open: they come a few turns
// of the host later, unless that try, or something else, ends their waits before.
//
// Invariants. Such a wait is parked, and in no timer. All that are held in a turn come together, as
// a job. A try that hangs holds its deadline for no longer.
import { inNextTurn } from '../clock/later.ts';
import { Fifo } from '../turns/fifo.ts';
import type { Job, Scheduler } from '../turns/scheduler.ts';
import type { DelayedOperation } from './delayed-operation.ts';

/** Turns in which a read of something near, such as a file or a cache, settles. */
const TURNS = 4;

export class LateExpiries {
  readonly #job: Job;
  readonly #due = new Fifo<DelayedOperation>();
  /** Those that are held in this turn. */
  #held: DelayedOperation[] | undefined;

  /** @param expire gets each, if it is parked still or not. */
  constructor(scheduler: Scheduler, sliceMs: number, expire: (operation: DelayedOperation) => void) {
    const doBatch = (job: Job): boolean => {
      while (this.#due.size > 0 && job.stepsLeft > 0) {
        expire(this.#due.take());
        job.count(1, 1);
      }
      return this.#due.size > 0;
    };
    this.#job = scheduler.job({ sliceMs, isOfTimer: true, doBatch });
  }

  hold(operation: DelayedOperation): void {
    if (this.#held === undefined) {
      const held: DelayedOperation[] = [];
      this.#held = held;
      inNextTurn(() => {
        this.#held = undefined;
        this.#wait(held, TURNS - 1);
      });
    }
    this.#held.push(operation);
  }

  #wait(held: readonly DelayedOperation[], turns: number): void {
    if (turns > 0) {
      inNextTurn(() => this.#wait(held, turns - 1));
      return;
    }
    for (const each of held) this.#due.push(each);
    this.#job.wake();
  }
}
