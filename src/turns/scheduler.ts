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
import { afterMicrotasks, atTurnEnd, inNextTurn } from '../clock/later.ts';
import { inRootContext, inScope } from '../clock/root-context.ts';

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

/** Before anything is known: 16 answers of 1 ms each are a block that a program survives. */
export const FIRST_BATCH = 16;
/** What a batch should take, in ms: the slice is overrun by at most that. */
const AIM_MS = 0.25;
/** Answers of a batch, at most. */
export const MAX_ANSWERS = 64;
/** A reading of the clock and the loop around a batch cost a thousandth of such a batch. */
const MAX_STEPS = 1_024;
/** After so many steps, what was measured before counts half. */
const HALF = 65_536;
/**
 * A slice that is so old, in ms, was never closed: its immediate went to a fake that was there before
 * the import. (A turn that was blocked for so long has two slices.)
 */
const LOST_MS = 1_000;
/** A batch that took longer says nothing of its steps: the process was stopped. Two in a row do. */
const MAX_TIMED_MS = 100;
/** Of a batch whose steps take so long each, the owner hears. */
const SLOW_MS = 5;

export interface JobOptions {
  /** How long it and all other jobs may take in a turn, in ms. Infinity: it never yields. */
  readonly sliceMs: number;
  /** Whether it runs deadlines: those alternate with all other jobs. */
  readonly isOfTimer?: boolean;
  /** Does a batch, and counts its steps. Returns whether anything is left. */
  doBatch(job: Job): boolean;
  /** The rest waits for the next turn. */
  didYield?(): void;
  /** The steps of the last batch took so long each, which is long; and its subject. */
  wasSlow?(stepMs: number, subject: unknown): void;
}

/**
 * Deferred work of one owner, that is done a batch at a time.
 *
 *   owner: wake() ─► scheduler ─► owner: doBatch(job) ─► job.count(steps, answers) ...
 *                       ▲ microtasks, took(ms) │ true: more is left, so another batch follows
 *                       └──────────────────────┘
 *
 * The job knows how much of the work a batch may have: `stepsLeft` steps, of which `answersLeft` may
 * answer a wait. What an answer causes runs in microtasks after the batch, where the batch cannot
 * measure it: so its answers are few, and its steps in vain may be many. The size of a batch adapts
 * to what its steps cost, those microtasks included (but for the last one's). Other files read its
 * fields and write none, but for `needsMicrotasks` and `subject`. Costs. count: O(1).
 */
export class Job {
  readonly #scheduler: Scheduler;
  readonly options: JobOptions;
  /** Whether it goes on by itself. */
  isUnderWay = false;
  /** How many steps the next batch may have, by what the last one took. */
  size: number = FIRST_BATCH;
  /** The steps that are left of the batch under way. 0 or less: it is full. */
  stepsLeft = 0;
  /** The answers that are left of it. */
  answersLeft = 0;
  /** Whether the batch has answered a wait. One that goes on without is bounded (MAX_VAIN). */
  hasAnswered = false;
  /** Whether the batch has caused microtasks, which the next batch is to come after. */
  needsMicrotasks = false;
  /** What the last step of the batch was for: its owner names it when it was slow. */
  subject: unknown = undefined;
  /** How many steps the last batch has done. */
  done = 0;
  /** When the slice of the turn ends, in ms of the clock. */
  endMs: number = Number.POSITIVE_INFINITY;
  #hasRun = false;
  #timedSteps = 0;
  #timedMs = 0;
  #wasLong = false;

  constructor(scheduler: Scheduler, options: JobOptions) {
    this.#scheduler = scheduler;
    this.options = options;
  }

  /**
   * Has it begin at the end of this turn, unless it is under way. Its first batch is small, and
   * smaller where the steps of the last one were slow.
   */
  wake(): void {
    if (this.#begins()) this.#scheduler.wake(this);
  }

  /**
   * As `wake`, but in the next turn, before all others. For a step that may take longer than a
   * batch: no other work has used up a part of the slice then.
   */
  wakeNextTurn(): void {
    if (this.#begins()) this.#scheduler.wakeNextTurn(this);
  }

  /**
   * As `wake`. But where time stands still (a ManualClock, a fake clock) all is done in the
   * call: a test that moves such a clock finds it done.
   */
  run(): void {
    if (this.#begins()) this.#scheduler.run(this);
  }

  #begins(): boolean {
    if (this.isUnderWay) return false;
    this.isUnderWay = true;
    this.#hasRun = true;
    if (this.size > FIRST_BATCH) this.size = FIRST_BATCH;
    return true;
  }

  /** The last reading of the clock, in ms: of an earlier turn, if none was made in this one. */
  get lastMs(): number {
    return this.#scheduler.lastMs;
  }

  /** What a step takes with what it causes, in ms, on the average. Null: none was timed. */
  get stepMs(): number | null {
    return this.#timedSteps === 0 ? null : this.#timedMs / this.#timedSteps;
  }

  /** Counts `steps` steps of the batch, of which `answers` have answered a wait. */
  count(steps: number, answers: number): void {
    this.stepsLeft -= steps;
    this.done += steps;
    if (answers === 0) return;
    this.hasAnswered = true;
    this.needsMicrotasks = true;
    this.answersLeft -= answers;
    if (this.answersLeft <= 0) this.stepsLeft = 0;
  }

  /** How many answers a batch may have. */
  get mostAnswers(): number {
    return Math.min(this.size, MAX_ANSWERS);
  }

  /** Does a batch. Returns whether anything is left. */
  doBatch(endMs: number): boolean {
    this.stepsLeft = this.size;
    this.answersLeft = this.mostAnswers;
    this.hasAnswered = false;
    this.needsMicrotasks = false;
    this.done = 0;
    this.endMs = endMs;
    this.#hasRun = true;
    this.isUnderWay = this.options.doBatch(this);
    return this.isUnderWay;
  }

  /** The last batch took `ms`, with the microtasks after it: the next one takes about AIM_MS. */
  took(ms: number): void {
    const { done, subject } = this;
    this.subject = undefined;
    if (ms > AIM_MS) this.size = Math.max(1, Math.floor((done * AIM_MS) / ms));
    else this.size = Math.min(MAX_STEPS, this.size * 2);
    const isNew = ms > MAX_TIMED_MS && !this.#wasLong && this.#timedSteps > 0;
    this.#wasLong = ms > MAX_TIMED_MS;
    if (isNew) return;
    this.#timedSteps += done;
    this.#timedMs += ms;
    if (ms > done * SLOW_MS) this.options.wasSlow?.(ms / Math.max(done, 1), subject);
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
    this.options.didYield?.();
  }
}

export class Scheduler {
  readonly #clock: Clock;
  /** The run queue: jobs of timers, and all others. */
  #deadlines: Job[] = [];
  #others: Job[] = [];
  /** The kind that is next, if there is any of it. */
  #isDeadlineNext = true;
  /** What waits for the next turn. */
  #yielded: Job[] = [];
  /** Whether jobs run, or will at the end of this turn, or after microtasks. */
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
    if (job.options.isOfTimer) this.#deadlines.push(job);
    else this.#others.push(job);
    this.#drainSoon();
  }

  #drainSoon(): void {
    if (this.#isDraining) return;
    this.#isDraining = true;
    atTurnEnd(this.#drain);
  }

  /** As `job.wakeNextTurn` says. */
  wakeNextTurn(job: Job): void {
    if (this.#yielded.unshift(job) === 1) inNextTurn(this.#nextTurn, this.#clock);
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
   * In the async context of whoever woke the first: each batch enters the root.
   */
  readonly #drain = (): void => {
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
      if (this.#isIdle) break;
      afterMicrotasks(this.#drain);
      return true;
    }
    if (this.#timed !== undefined) this.#read();
    return false;
  }

  /** The job that comes next. Reads the clock: what has spent the slice yields. */
  #next(): Job | undefined {
    if (this.#isIdle) return undefined;
    this.#read();
    const usedMs = this.#clock.isStill ? 0 : this.lastMs - this.beganMs;
    for (let job = this.#take(); job !== undefined; job = this.#take()) {
      if (this.#vainBatches < MAX_VAIN && !(usedMs >= job.options.sliceMs)) return job;
      this.#yield(job);
    }
    return undefined;
  }

  #runBatch(job: Job): void {
    const { isOfTimer, sliceMs } = job.options;
    const endMs = this.beganMs + sliceMs;
    this.#isDeadlineNext = !isOfTimer;
    this.#settlesLeft = job.mostAnswers;
    try {
      // A timer gives each of its tasks a scope. A try may take 8 ns: a scope takes 12.
      const isLeft = isOfTimer ? inRootContext(doBatch, undefined, job, endMs) : inScope(doBatch, job, endMs);
      if (isLeft) this.wake(job);
    } catch (error) {
      this.#yield(job);
      throw error;
    } finally {
      this.#settlesLeft = 0;
    }
    this.#timed = job;
    this.#vainBatches = job.hasAnswered ? 0 : this.#vainBatches + 1;
  }

  #read(): void {
    const nowMs = this.#clock.now();
    this.#timed?.took(Math.max(0, nowMs - this.lastMs)); // a clock may go back
    this.#timed = undefined;
    if (!this.#isSliceOpen || nowMs - this.beganMs >= LOST_MS) this.#openSlice(nowMs);
    this.lastMs = nowMs;
  }

  #openSlice(nowMs: number): void {
    if (this.#isSliceOpen) {
      this.#closeSlice(); // its immediate is lost, and so is that of what has yielded
      if (this.#yielded.length > 0) inNextTurn(this.#nextTurn, this.#clock);
    }
    inNextTurn(this.#closeSlice, this.#clock);
    this.#isSliceOpen = true;
    this.beganMs = nowMs;
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
    if (this.#yielded.push(job) === 1) inNextTurn(this.#nextTurn, this.#clock);
    inRootContext(job.didYield, job);
  }

  readonly #nextTurn = (): void => {
    const jobs = this.#yielded;
    if (jobs.length === 0) return;
    this.#yielded = [];
    this.#isDeadlineNext = jobs[0].options.isOfTimer === true;
    this.#deadlines = jobs.filter(({ options }) => options.isOfTimer).concat(this.#deadlines);
    this.#others = jobs.filter(({ options }) => !options.isOfTimer).concat(this.#others);
    this.#drainSoon();
  };
}

function doBatch(job: Job, endMs: number): boolean {
  return job.doBatch(endMs);
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
