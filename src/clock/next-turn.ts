// What the host is to run in its next turn: one immediate for all of it.
//
// Ground rules. It owns that immediate and never clears it. A task may be cancelled from anywhere.
// But when an `uncaughtException` handler clears an immediate, because of an error that another
// immediate threw, Node's queue of immediates breaks for good (20, 22 and 24: an endless TypeError
// about `_idleNext`). So an immediate with nothing left to run is unref'd, and the next job uses it
// again. It runs jobs in the root context. Microtasks run after each job (later.ts says how
// many), so most of what a job has caused is done before the next one begins.
//
// Costs. add, delete: O(1), and one host immediate for each turn.
import { throwLater } from '../base/report-error.ts';
import { HostTurn } from './host-turn.ts';
import { afterMicrotasks } from './later.ts';

/** A job that waits for the next turn. */
export interface NextTurnJob {
  run(): void;
  /** Whether it keeps the process alive. A change while it waits needs a call of `hold`. */
  readonly isRef: boolean;
}

/** Runs jobs in a later turn. */
export interface Turns {
  add(job: NextTurnJob): void;
  delete(job: NextTurnJob): void;
  hold(change: -1 | 1): void;
}

export class NextTurn implements Turns {
  #coming = new Set<NextTurnJob>();
  /** The jobs that are left of the turn under way. */
  #current = new Set<NextTurnJob>();
  #turn: HostTurn | undefined;
  #holding = 0;

  /**
   * Runs `job` once in the next turn, after the jobs that were added before. During a turn it waits
   * for the turn after that.
   */
  add(job: NextTurnJob): void {
    this.#turn ??= new HostTurn(this.#run);
    const { isRef } = job;
    this.#coming.add(job);
    if (isRef) this.#holding++; // right after `add`: no call in between that may overflow the stack
    this.#tellHost();
  }

  /** Forgets `job`, unless it has begun to run. */
  delete(job: NextTurnJob): void {
    const { isRef } = job;
    if (!this.#coming.delete(job) && !this.#current.delete(job)) return;
    if (isRef) this.#holding--;
    this.#tellHost();
  }

  /** To be called when a waiting job begins (1) or ceases (-1) to keep the process alive. */
  hold(change: -1 | 1): void {
    this.#holding += change;
    this.#tellHost();
  }

  #tellHost(): void {
    if (this.#turn !== undefined) this.#turn.isHeld = this.#holding > 0;
  }

  readonly #run = (): void => {
    const current = this.#coming;
    this.#coming = this.#current;
    this.#current = current;
    this.#turn = undefined;
    this.#runNext();
  };

  readonly #runNext = (): void => {
    const [job] = this.#current;
    if (job === undefined) return;
    this.delete(job);
    try {
      job.run();
    } catch (error) {
      throwLater(error);
    }
    if (this.#current.size > 0) afterMicrotasks(this.#runNext);
  };
}
