/**
 * One setTimeout for the earliest deadline of a peer that has no wake-up of its own. It is armed
 * anew only for an earlier deadline, and looks again when it rings: cheap, as a user would write
 * it.
 */
export class HostAlarm {
  #timeout: NodeJS.Timeout | undefined;
  #atMs = Number.POSITIVE_INFINITY;
  readonly #ring: () => number | undefined;

  /** `ring` runs what is due and returns the next deadline, if there is one. */
  constructor(ring: () => number | undefined) {
    this.#ring = ring;
  }

  /** Sees to it that the alarm rings at `deadlineMs` (of performance.now()) or before. */
  atLatest(deadlineMs: number, nowMs: number): void {
    if (deadlineMs >= this.#atMs) return;
    clearTimeout(this.#timeout);
    this.#atMs = deadlineMs;
    this.#timeout = setTimeout(() => this.#rang(), Math.max(1, Math.ceil(deadlineMs - nowMs)));
  }

  #rang(): void {
    this.#atMs = Number.POSITIVE_INFINITY;
    const next = this.#ring();
    if (next !== undefined) this.atLatest(next, performance.now());
  }
}
