// How much is done between two readings of the clock: a batch. It adapts to what its steps cost,
// the continuations that ran after it included.
//
// Ground rules. A batch ends after `steps` steps, or after as many of them as `answers` that
// answered somebody. The work of an answer runs after the batch, where the batch cannot measure it:
// so its answers are few. Steps in vain run no work of others, so a batch may have many.
//
// Costs. adapt: O(1).

/** Before anything is known: 16 answers of 1 ms each are a block that a program survives. */
export const FIRST = 16;
/** What a batch should take, with its continuations, in ms: the slice is overrun by at most that. */
const AIM_MS = 0.25;
export const MAX_ANSWERS = 64;
/** A reading of the clock and the loop around a batch cost a thousandth of such a batch. */
const MAX_STEPS = 1_024;
/** After so many steps, what was measured before counts half. */
const HALF = 65_536;
/** A batch that took longer says nothing about its steps: the process was blocked, or stopped. */
const MAX_TIMED_MS = 100;

export class Batch {
  #size = FIRST;
  /** What is left of the batch under way. */
  steps: number = FIRST;
  answers: number = FIRST;
  /** Whether something was done in it after which the microtasks should run. */
  hasAnswered = false;
  #isTimed = false;
  #timedSteps = 0;
  #timedMs = 0;

  /** What a step takes with its continuations, in ms, on the average. Null: none was timed. */
  get stepMs(): number | null {
    return this.#timedSteps === 0 ? null : this.#timedMs / this.#timedSteps;
  }

  /** Forgets what was learnt about the size. */
  reset(): void {
    this.#size = FIRST;
    this.begin();
  }

  /** @param isTimed whether {@link adapt} will be told all of the time from now on. */
  begin(isTimed = true): void {
    this.#isTimed = isTimed;
    this.steps = this.#size;
    this.answers = this.mostAnswers;
    this.hasAnswered = false;
  }

  get mostAnswers(): number {
    return Math.min(this.#size, MAX_ANSWERS);
  }

  get isFull(): boolean {
    return this.steps <= 0 || this.answers <= 0;
  }

  /** How many steps were done in it. */
  get done(): number {
    return this.#size - this.steps;
  }

  /** Whether `steps` steps fit in a batch of their own. */
  fits(steps: number): boolean {
    return steps <= Math.min(this.#size, MAX_ANSWERS);
  }

  /** Counts `steps` steps, of which `answers` have answered somebody. */
  count(steps: number, answers: number): void {
    this.steps -= steps;
    this.answers -= answers;
    if (answers > 0) this.hasAnswered = true;
  }

  step(answered: boolean): void {
    this.steps--;
    if (!answered) return;
    this.answers--;
    this.hasAnswered = true;
  }

  /** A batch took `tookMs`: the next one takes about AIM_MS. */
  adapt(tookMs: number): void {
    if (this.#isTimed) this.#time(tookMs);
    if (tookMs > AIM_MS) this.#size = Math.max(1, Math.floor((this.#size * AIM_MS) / tookMs));
    else this.#size = Math.min(MAX_STEPS, this.#size * 2);
  }

  #time(tookMs: number): void {
    this.#isTimed = false;
    if (tookMs > MAX_TIMED_MS) return;
    this.#timedSteps += this.done;
    this.#timedMs += tookMs;
    if (this.#timedSteps < HALF) return;
    this.#timedSteps /= 2;
    this.#timedMs /= 2;
  }
}
