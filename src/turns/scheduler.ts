// The scheduler of a clock: it runs all deferred work of that clock, the jobs, in fair rotation.
//
//   a turn of the host                                         the next turn
//   user code wakes jobs A, B │ A │ microtasks │ B │ A │ ...   │ A │ B │ ...
//                             ▲ the end of the turn            ▲ what has yielded
//                             └─ the slice: 5 ms, all included ┘
//
// Each job gets a batch in rotation; deadlines and all other jobs alternate. The first batch of a
// turn opens the slice, an immediate closes it. When it is spent, or after a throw, the rest
// yields in its order. Where time stands still (a ManualClock, a fake), it is never spent.
import type { Clock } from '../clock/clock.ts';
import { afterMicrotasks, inNextTurn, TurnEnd } from '../clock/later.ts';
import { FIRST_BATCH, Job, type JobOptions, type JobRunner } from './job.ts';

/**
 * How long jobs take in a turn of the event loop before they yield, in ms: a third of a frame at 60
 * Hz. Shorter slices cost more turns than they are worth (`npm run bench -- defaults`).
 */
export const DEFAULT_SLICE_MS = 5;

/**
 * Batches in a row that answer no wait: some milliseconds of them. Then jobs yield on any clock: a
 * condition that notifies its own key would go on for ever.
 */
const MAX_VAIN = 10_000;

export class Scheduler implements JobRunner {
  readonly #clock: Clock;
  /** The run queue: jobs of timers, and all others. */
  #deadlines: Job[] = [];
  #others: Job[] = [];
  /** The kind that is next, if there is any of it. */
  #isDeadlineNext = true;
  /** What waits for the next turn. */
  #yielded: Job[] = [];
  readonly #turnEnd = new TurnEnd(() => this.#drain());
  /** Whether jobs run, or will go on after microtasks. */
  #isDraining = false;
  #isSliceOpen = false;
  /** When the slice of this turn was opened, in ms. */
  beganMs = 0;
  /** The last reading, in ms. Infinity: none yet. */
  lastMs: number = Number.POSITIVE_INFINITY;
  #vainBatches = 0;
  /** The job whose batch has the time since the last reading. */
  #timed: Job | undefined;
  /** How many promises may yet settle in the batch under way, or before the slice opens. */
  #settlesLeft: number = FIRST_BATCH;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  job(options: JobOptions): Job {
    return new Job(this, options);
  }

  /** As `job.wake` says, at the end of this turn. */
  wake(job: Job): void {
    if (job.isOfTimer) this.#deadlines.push(job);
    else this.#others.push(job);
    if (!this.#isDraining) this.#turnEnd.request();
  }

  /** As `job.wakeNextTurn` says. */
  wakeNextTurn(job: Job): void {
    if (this.#yielded.unshift(job) === 1) inNextTurn(this.#nextTurn);
  }

  /** As `job.run` says. */
  run(job: Job): void {
    if (!this.#clock.isStill) {
      this.wake(job);
      return;
    }
    const outer = this.#settlesLeft;
    try {
      do this.#settlesLeft = job.mostAnswers;
      while (job.doBatch(Number.POSITIVE_INFINITY));
    } finally {
      this.#settlesLeft = outer;
      job.isUnderWay = false;
    }
  }

  /**
   * Whether a promise may settle in the call that ends it: as many as a batch may answer, and a few
   * in a turn before its slice opens. It reads no clock: one that throws would lose the answer.
   */
  takeSettle(): boolean {
    return this.#settlesLeft-- > 0;
  }

  /**
   * Runs jobs until none is left, or the slice is spent, or microtasks are to run before the next.
   */
  readonly #drain = (): void => {
    this.#isDraining = true;
    let goesOn = false;
    try {
      goesOn = this.#runBatches();
    } catch (error) {
      for (let job = this.#take(); job !== undefined; job = this.#take()) this.#yield(job);
      throw error;
    } finally {
      this.#isDraining = goesOn;
    }
  };

  /** Returns whether it goes on after the microtasks. */
  #runBatches(): boolean {
    for (let job = this.#next(); job !== undefined; job = this.#next()) {
      this.#runBatch(job);
      if (!job.needsMicrotasks) continue;
      if (this.#isIdle) return false;
      afterMicrotasks(this.#drain);
      return true;
    }
    return false;
  }

  /** The job that comes next. Reads the clock: what has spent the slice yields. */
  #next(): Job | undefined {
    if (this.#isIdle) return undefined;
    this.#read();
    const usedMs = this.#clock.isStill ? 0 : this.lastMs - this.beganMs;
    for (let job = this.#take(); job !== undefined; job = this.#take()) {
      if (this.#vainBatches < MAX_VAIN && !(usedMs >= job.sliceMs)) return job;
      this.#yield(job);
    }
    return undefined;
  }

  #runBatch(job: Job): void {
    let isLeft = true;
    let hasThrown = true;
    this.#isDeadlineNext = !job.isOfTimer;
    this.#settlesLeft = job.mostAnswers;
    try {
      isLeft = job.doBatch(this.beganMs + job.sliceMs);
      hasThrown = false;
    } finally {
      this.#settlesLeft = 0;
      if (hasThrown) this.#yield(job);
      else if (isLeft) this.wake(job);
    }
    if (isLeft) this.#timed = job;
    this.#vainBatches = job.hasAnswered ? 0 : this.#vainBatches + 1;
  }

  #read(): void {
    const nowMs = this.#clock.now();
    if (this.#isSliceOpen) {
      this.#timed?.took(nowMs - this.lastMs);
    } else {
      inNextTurn(this.#closeSlice);
      this.#isSliceOpen = true;
      this.beganMs = nowMs;
    }
    this.#timed = undefined;
    this.lastMs = nowMs;
  }

  readonly #closeSlice = (): void => {
    this.#isSliceOpen = false;
    this.#settlesLeft = FIRST_BATCH;
    this.#vainBatches = 0;
  };

  get #isIdle(): boolean {
    return this.#deadlines.length + this.#others.length === 0;
  }

  #take(): Job | undefined {
    const isDeadline = this.#isDeadlineNext ? this.#deadlines.length > 0 : this.#others.length === 0;
    return isDeadline ? this.#deadlines.shift() : this.#others.shift();
  }

  /**
   * The job goes on in the next turn, by an immediate of its own. (By the one that closes the slice,
   * it would go on in the turn that has just spent it.)
   */
  #yield(job: Job): void {
    if (this.#yielded.push(job) === 1) inNextTurn(this.#nextTurn);
    job.didYield();
  }

  readonly #nextTurn = (): void => {
    const jobs = this.#yielded;
    this.#yielded = [];
    this.#isDeadlineNext = jobs[0].isOfTimer;
    this.#deadlines = jobs.filter(({ isOfTimer }) => isOfTimer).concat(this.#deadlines);
    this.#others = jobs.filter(({ isOfTimer }) => !isOfTimer).concat(this.#others);
    this.#turnEnd.request();
  };
}

const schedulers = new WeakMap<object, Scheduler>();

/** The scheduler of the clock of `timer`: all that work by that clock share it. */
export function schedulerOf({ clock }: { readonly clock: Clock }): Scheduler {
  let scheduler = schedulers.get(clock);
  if (scheduler === undefined) {
    scheduler = new Scheduler(clock);
    schedulers.set(clock, scheduler);
  }
  return scheduler;
}
