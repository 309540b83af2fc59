// A job: deferred work that is done a batch at a time, as far as each turn of the host allows.
//
//   owner: wake() ─► runner: doBatch() ─► owner: doBatch(job) ─► job.count(steps, answers) ...
//                       ▲ microtasks, took(ms) │ true: more is left, so another batch follows
//                       └──────────────────────┘
//
// The owner has the work. The job knows how much of it a batch may have: `left` steps, of which
// `answersLeft` may answer a wait. What an answer causes runs in microtasks after the batch, where
// the batch cannot measure it: so its answers are few, and its steps in vain may be many. The size
// of a batch adapts to what its steps cost, those microtasks included. Other rooms read its fields
// and write none. Costs. count: O(1).

/** Before anything is known: 16 answers of 1 ms each are a block that a program survives. */
export const FIRST_BATCH = 16;
/** What a batch should take, in ms: the slice is overrun by at most that. */
const AIM_MS = 0.25;
export const MAX_ANSWERS = 64;
/** A reading of the clock and the loop around a batch cost a thousandth of such a batch. */
const MAX_STEPS = 1_024;
/** After so many steps, what was measured before counts half. */
const HALF = 65_536;
/** A batch that took longer says nothing about its steps: the process was blocked, or stopped. */
const MAX_TIMED_MS = 100;

export interface JobOptions {
  /** How long it and all other jobs may take in a turn, in ms. Infinity: it never yields. */
  readonly sliceMs: number;
  /** Whether it runs deadlines: those alternate with all other jobs. */
  readonly isOfTimer?: boolean;
  /** Does a batch, and counts its steps. Returns whether anything is left. */
  doBatch(job: Job): boolean;
  /** The rest waits for the next turn. */
  didYield?(): void;
}

/** What runs jobs: the scheduler of their clock, which imports this file. */
export interface JobRunner {
  /** The last reading of the clock, in ms. */
  readonly lastMs: number;
  wake(job: Job): void;
  wakeNextTurn(job: Job): void;
  run(job: Job): void;
}

export class Job {
  readonly #runner: JobRunner;
  readonly #options: JobOptions;
  readonly sliceMs: number;
  readonly isOfTimer: boolean;
  /** Whether it goes on by itself. */
  isUnderWay = false;
  /** How many steps the next batch may have. */
  size: number = FIRST_BATCH;
  /** The steps that are left of the batch under way. 0 or less: it is full. */
  left = 0;
  /** The answers that are left of it. */
  answersLeft = 0;
  /** Whether the batch has answered a wait. One that goes on without is bounded (MAX_VAIN). */
  hasAnswered = false;
  /** Whether the batch has caused microtasks, which the next batch is to come after. */
  needsMicrotasks = false;
  /** How many steps the last batch has done. */
  done = 0;
  /** When the slice of the turn ends, in ms of the clock. */
  endMs: number = Number.POSITIVE_INFINITY;
  #hasRun = false;
  #timedSteps = 0;
  #timedMs = 0;

  constructor(runner: JobRunner, options: JobOptions) {
    this.#runner = runner;
    this.#options = options;
    this.sliceMs = options.sliceMs;
    this.isOfTimer = options.isOfTimer === true;
  }

  /** Has it begin at the end of this turn, unless it is under way. Its first batch is small. */
  wake(): void {
    if (this.#begins()) this.#runner.wake(this);
  }

  /**
   * As `wake`, but in the next turn, before all others. For a step that may take longer than a
   * batch: no other work has used up a part of the slice then.
   */
  wakeNextTurn(): void {
    if (this.#begins()) this.#runner.wakeNextTurn(this);
  }

  /**
   * As `wake`. But where time stands still (a ManualClock, a fake clock) all is done in the
   * call: a test that moves such a clock finds it done.
   */
  run(): void {
    if (this.#begins()) this.#runner.run(this);
  }

  #begins(): boolean {
    if (this.isUnderWay) return false;
    this.isUnderWay = true;
    this.#hasRun = true;
    this.size = FIRST_BATCH;
    return true;
  }

  /** The last reading of the clock, in ms: of an earlier turn, if none was made in this one. */
  get lastMs(): number {
    return this.#runner.lastMs;
  }

  /** What a step takes with what it causes, in ms, on the average. Null: none was timed. */
  get stepMs(): number | null {
    return this.#timedSteps === 0 ? null : this.#timedMs / this.#timedSteps;
  }

  /** Counts `steps` steps of the batch, of which `answers` have answered a wait. */
  count(steps: number, answers: number): void {
    this.left -= steps;
    this.done += steps;
    if (answers === 0) return;
    this.hasAnswered = true;
    this.needsMicrotasks = true;
    this.answersLeft -= answers;
    if (this.answersLeft <= 0) this.left = 0;
  }

  /** How many answers a batch may have. */
  get mostAnswers(): number {
    return Math.min(this.size, MAX_ANSWERS);
  }

  /** Does a batch. Returns whether anything is left. */
  doBatch(endMs: number): boolean {
    this.left = this.size;
    this.answersLeft = Math.min(this.left, MAX_ANSWERS);
    this.hasAnswered = false;
    this.needsMicrotasks = false;
    this.done = 0;
    this.endMs = endMs;
    this.#hasRun = true;
    this.isUnderWay = this.#options.doBatch(this);
    return this.isUnderWay;
  }

  /** The last batch took `ms`, with the microtasks after it: the next one takes about AIM_MS. */
  took(ms: number): void {
    if (ms > AIM_MS) this.size = Math.max(1, Math.floor((this.size * AIM_MS) / ms));
    else this.size = Math.min(MAX_STEPS, this.size * 2);
    if (ms > MAX_TIMED_MS) return;
    this.#timedSteps += this.done;
    this.#timedMs += ms;
    if (this.#timedSteps < HALF) return;
    this.#timedSteps /= 2;
    this.#timedMs /= 2;
  }

  /**
   * The rest waits for the next turn. Its owner hears of it once, for however many turns it waits.
   */
  didYield(): void {
    if (!this.#hasRun) return;
    this.#hasRun = false;
    this.#options.didYield?.();
  }
}
