// How long the work of one turn of the event loop may take, and the next turn for what is left.
//
// Ground rules. There is one for each clock: all purgatories of that clock share its mark, so ten of
// them together take no longer than one. Time comes from the clock, turns come from the host. So on
// a ManualClock, and on a fake clock, time stands still and nothing is ever spent. Work that begins
// within less than PAUSE_MS of the last reading may be in the same turn, and continues its slice.
// When a job throws, or the clock, the others run in the turn after.
//
// Costs. isSpent: one reading of the clock. nextTurn: one immediate for all that wait.
import { setImmediate as hostSetImmediate } from 'node:timers';
import type { Clock } from '../clock/clock.ts';
import { clockOf } from '../clock/system-clock.ts';
import { PAUSE_MS } from './budget.ts';
import { rootContext } from './root-context.ts';

export class TurnSlice {
  readonly #clock: Pick<Clock, 'now'>;
  #beganMs = Number.NEGATIVE_INFINITY;
  #lastMs = Number.NEGATIVE_INFINITY;
  #waiting: (() => void)[] = [];

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** The last reading, in ms. */
  get lastMs(): number {
    return this.#lastMs;
  }

  /** How long the slice of this turn had lasted at the last reading, in ms. */
  get usedMs(): number {
    return this.#lastMs - this.#beganMs;
  }

  /** Begins the slice of this turn, or goes on with the one that began in it. Returns the time. */
  begin(): number {
    const nowMs = this.#clock.now();
    if (!(nowMs - this.#lastMs < PAUSE_MS)) this.#beganMs = nowMs;
    this.#lastMs = nowMs;
    return nowMs;
  }

  /** Whether `sliceMs` have passed since the slice began. One reading. */
  isSpent(sliceMs: number): boolean {
    const nowMs = this.#clock.now();
    this.#lastMs = nowMs;
    return nowMs - this.#beganMs >= sliceMs;
  }

  /** Runs `job` in the next turn of the event loop, in the root context, with a new slice. */
  nextTurn(job: () => void): void {
    if (this.#waiting.push(job) === 1) rootContext.runInAsyncScope(hostSetImmediate, undefined, this.#turn);
  }

  readonly #turn = (): void => {
    const jobs = this.#waiting;
    this.#waiting = [];
    let begun = 0;
    try {
      const nowMs = this.#clock.now();
      this.#beganMs = nowMs;
      this.#lastMs = nowMs;
      for (const job of jobs) {
        begun++;
        job();
      }
    } finally {
      // After a throw, of the clock too: the jobs are of several purgatories.
      for (const job of jobs.slice(begun)) this.nextTurn(job);
    }
  };
}

const slices = new WeakMap<object, TurnSlice>();

/** The slice that all who work by the clock of `timer` share. */
export function turnSliceOf(timer: object): TurnSlice {
  const clock = clockOf(timer);
  let slice = slices.get(clock);
  if (slice === undefined) {
    slice = new TurnSlice(clock);
    slices.set(clock, slice);
  }
  return slice;
}
