// What the host is to run in its next turn: one immediate for all of it.
//
// Ground rules. It owns that immediate and never clears it. Node's queue of immediates breaks for good when one is cleared by an
// `uncaughtException` handler for an error that another immediate threw (20, 22 and 24: an endless TypeError about `_idleNext`), and a
// task may be cancelled from anywhere. An immediate with nothing left to run is unref'd; what comes before its turn uses it again.
// The host's own setImmediate is used: whoever needs it has the host's own setTimeout before it. What runs is run in the root context.
//
// Costs. add, delete: O(1), one host immediate a turn.
import { setImmediate as hostSetImmediate } from 'node:timers';
import { rootContext } from '../root-context.ts';

/** What waits for the next turn. */
export interface NextTurnJob {
  run(): void;
  /** Whether it keeps the process alive; to be changed by `hold` while it waits. */
  readonly isRef: boolean;
}

export class NextTurn {
  #coming = new Set<NextTurnJob>();
  /** What is left of the turn under way. */
  #current = new Set<NextTurnJob>();
  #immediate: ReturnType<typeof hostSetImmediate> | undefined;
  #isHeld = false;
  #holding = 0;

  /** Runs `job` once in the next turn, after what was added before. One added while a turn runs waits for the turn after it. */
  add(job: NextTurnJob): void {
    if (this.#immediate === undefined) {
      this.#immediate = rootContext.runInAsyncScope(hostSetImmediate, undefined, this.#run);
      this.#isHeld = true;
    }
    const { isRef } = job;
    this.#coming.add(job);
    if (isRef) this.#holding++; // nothing that can overflow the stack between this and the line before
    this.#tellHost();
  }

  /** Forgets `job`, unless it has begun to run. */
  delete(job: NextTurnJob): void {
    const { isRef } = job;
    if (!this.#coming.delete(job) && !this.#current.delete(job)) return;
    if (isRef) this.#holding--;
    this.#tellHost();
  }

  /** A job that waits keeps the process alive from now on, or no longer does. */
  hold(change: -1 | 1): void {
    this.#holding += change;
    this.#tellHost();
  }

  #tellHost(): void {
    const isHeld = this.#holding > 0;
    if (this.#immediate === undefined || isHeld === this.#isHeld) return;
    if (isHeld) this.#immediate.ref();
    else this.#immediate.unref();
    this.#isHeld = isHeld;
  }

  readonly #run = (): void => {
    const current = this.#coming;
    this.#coming = this.#current;
    this.#current = current;
    this.#immediate = undefined;
    try {
      for (const job of current) {
        this.delete(job);
        job.run();
      }
    } finally {
      // After a throw.
      for (const job of current) {
        this.delete(job);
        this.add(job);
      }
    }
  };
}
