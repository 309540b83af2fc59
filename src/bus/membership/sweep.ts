// A sweep: a look at everything that is parked, once, because events may have been missed. It is
// made in short slices, spread over a given time.
//
// Ground rules. It belongs to one purgatory, or to SharedWaits. Between two slices it holds no
// operation and no place: what it goes over (a Walk) survives any change. Nothing is left out that
// was there at its beginning and stays. It begins at a random place, so that many processes do not
// all read the same things first. Its wake-ups keep no process alive.
// Costs. O(places of the walk). It is a job of the scheduler, woken every SLICE_EVERY_MS. If slices
// of MAX_SLICE_MS cannot keep to `sweepMs`, it takes longer.

import { throwLater } from '../../base/report-error.ts';
import type { Clock } from '../../clock/clock.ts';
import { SystemTimer } from '../../timer/system-timer.ts';
import { type Job, schedulerOf } from '../../turns/scheduler.ts';

/** What a sweep goes over, round by round. */
export interface Walk {
  /** Begins a round, from `random` (in [0, 1)) of all places on, or else from where it stands. */
  begin(random?: number): void;
  /** Steps to the end of the round. It may grow: a round begins anew where places have moved. */
  readonly left: number;
  /** Looks at the next place; returns how many operations that tried. Throws nothing. */
  step(): number;
}

export interface SweepOptions {
  /** What a sweep is spread over, in ms; 0: as soon as slices allow. */
  readonly sweepMs: number;
  readonly clock: Clock;
  readonly random: () => number;
}

const MAX_SLICE_MS = 2;
const SLICE_EVERY_MS = 10;

export class Sweep {
  readonly #walk: Walk;
  readonly #options: SweepOptions;
  readonly #job: Job;
  #timer: SystemTimer | undefined;
  #ended: (tried: number) => void = () => {};
  #tried = 0;
  #steps = 0;
  /** Steps that are to be left until the next wake-up. */
  #left = 0;
  #beganMs = 0;

  constructor(walk: Walk, options: SweepOptions) {
    this.#walk = walk;
    this.#options = options;
    this.#job = schedulerOf(options).job({ sliceMs: MAX_SLICE_MS, doBatch: (job) => this.#tryBatch(job) });
  }

  /**
   * Begins a sweep; runs no user code in this call. `ended` is called when it is over, with how
   * many operations it tried. A sweep that is under way goes round once more, from where it is or
   * behind its round, and calls the last `ended` alone.
   */
  begin(ended: (tried: number) => void): void {
    const isNew = this.#timer === undefined;
    const { clock, random } = this.#options;
    this.#timer ??= new SystemTimer({ clock, onError: throwLater }).unref();
    this.#ended = ended;
    if (isNew) this.#tried = 0;
    this.#walk.begin(isNew ? random() : undefined);
    this.#steps = this.#walk.left;
    this.#beganMs = this.#timer.now();
    if (isNew) this.#timer.schedule(this.#goOn, 0);
  }

  /** Ends a sweep that is under way, without a call of `ended`. */
  stop(): void {
    this.#timer?.close();
    this.#timer = undefined;
  }

  readonly #goOn = (): void => {
    const share = ((this.#timer?.now() ?? 0) - this.#beganMs + SLICE_EVERY_MS) / this.#options.sweepMs;
    this.#left = Math.max(0, Math.floor(this.#steps * (1 - share)));
    this.#job.run();
  };

  #tryBatch(job: Job): boolean {
    const walk = this.#walk;
    while (this.#timer !== undefined && walk.left > this.#left) {
      if (job.stepsLeft <= 0) return true;
      const tried = walk.step();
      job.count(1, tried);
      this.#tried += tried;
    }
    if (this.#timer === undefined) return false; // user code has stopped it
    if (walk.left > 0) this.#timer.schedule(this.#goOn, SLICE_EVERY_MS);
    else {
      this.stop();
      this.#ended(this.#tried);
    }
    return false;
  }
}
