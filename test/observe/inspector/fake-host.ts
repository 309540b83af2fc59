// A host whose time a test moves, with the clock of the sources: seconds of the history, frames and
// blocks of the event loop come when it says so.
import { ManualClock } from '../../../src/index.ts';
import type { Host } from '../../../src/observe/inspector/host.ts';
import { turn } from '../../support/turns.ts';

interface Interval {
  readonly everyMs: number;
  readonly run: () => void;
  dueMs: number;
}

export class FakeHost implements Host {
  /** The time of the sources. */
  readonly clock: ManualClock = new ManualClock();
  readonly #wallMs: number;
  readonly #intervals = new Set<Interval>();
  #nowMs = 0;
  #ranMs = 0;
  #waitedMs = 0;

  /** @param wallMs the time of day at first. */
  constructor(wallMs: number) {
    this.#wallMs = wallMs;
  }

  now(): number {
    return this.#nowMs;
  }

  wallNow(): number {
    return this.#wallMs + this.#nowMs;
  }

  every(everyMs: number, run: () => void): () => void {
    const interval = { everyMs, run, dueMs: this.#nowMs + everyMs };
    this.#intervals.add(interval);
    return () => this.#intervals.delete(interval);
  }

  spent(): readonly [ranMs: number, waitedMs: number] {
    return [this.#ranMs, this.#waitedMs];
  }

  /** The time goes on by `ms`, and its intervals run. A turn of the real host passes a second. */
  async advance(ms: number): Promise<void> {
    const untilMs = this.#nowMs + ms;
    let turnAtMs = this.#nowMs;
    for (;;) {
      const next = [...this.#intervals].reduce<Interval | undefined>(
        (a, b) => (a === undefined || b.dueMs < a.dueMs ? b : a),
        undefined,
      );
      if (next === undefined || next.dueMs > untilMs) break;
      this.#moveTo(Math.max(this.#nowMs, next.dueMs));
      next.dueMs = this.#nowMs + next.everyMs;
      next.run();
      if (this.#nowMs - turnAtMs < 1000) continue;
      turnAtMs = this.#nowMs;
      await turn();
    }
    this.#moveTo(untilMs);
    await turn();
  }

  /** The event loop is blocked for `ms`: on a CPU, but for `waitedMs`. */
  block(ms: number, waitedMs = 0): void {
    this.#moveTo(this.#nowMs + ms);
    this.#ranMs += ms - waitedMs;
    this.#waitedMs += waitedMs;
  }

  #moveTo(ms: number): void {
    this.clock.advance(ms - this.#nowMs);
    this.#nowMs = ms;
  }
}
