// The last ten minutes, second by second. So a page that is opened after an incident shows it.
//
// Ground rules. It records from `start` to `stop`, whether somebody watches or not, and keeps no
// process alive. It uses the host's own interval, because a fake clock must not add seconds. It
// keeps at most MAX_SECONDS seconds, each with at most MAX_RECORDED purgatories and MAX_RECORDED
// timers. It keeps no purgatory: the values of the second before are found by weak reference.
// Costs: each second takes a snapshot of each purgatory, without its keys, and reads the lateness
// of each timer. docs/operations.md has the figures.

import { quantile } from '../duration-histogram.ts';
import type { LiveSources } from '../live-sources.ts';
import type { ObservedPurgatory, ObservedTimer } from '../sources.ts';
import {
  type History,
  LONG_PASS_MS,
  MAX_RECORDED,
  MAX_SECONDS,
  type RareInSecond,
  SECOND_MS,
  type Second,
  type SecondOfPurgatory,
  type SecondOfTimer,
} from './frame.ts';
import { HostMeter } from './host-meter.ts';
import { LastErrors } from './last-errors.ts';
import { passView } from './views.ts';

const { setInterval, clearInterval } = globalThis;
const now = performance.now.bind(performance);
const wallNow = Date.now.bind(Date);

/** The history does not show a shorter block of the event loop, whether somebody watches or not. */
const PROBE_MS = 100;

type Ends = readonly [completed: number, expired: number, cancelled: number, failed: number];

/** For a purgatory that was made since the second before. */
const NO_ENDS: Ends = [0, 0, 0, 0];

export class SecondRecorder {
  readonly #shown: LiveSources;
  /** Heard of while this records, or while somebody else starts it. */
  readonly errors: LastErrors = new LastErrors();
  readonly #host = new HostMeter(PROBE_MS);
  readonly #seconds: Second[] = [];
  #number = 0;
  #atMs = 0;
  #interval: NodeJS.Timeout | undefined;
  readonly #ends = new WeakMap<object, Ends>();
  readonly #refused = new WeakMap<object, Readonly<Record<string, number>>>();
  readonly #lateness = new WeakMap<object, readonly number[]>();

  constructor(shown: LiveSources) {
    this.#shown = shown;
  }

  start(): void {
    if (this.#interval !== undefined) return;
    this.#host.start();
    this.errors.start();
    this.#atMs = now();
    this.#interval = setInterval(() => this.#record(), SECOND_MS).unref();
  }

  stop(): void {
    if (this.#interval === undefined) return;
    this.errors.stop();
    clearInterval(this.#interval);
    this.#interval = undefined;
    this.#host.stop();
  }

  get last(): Second | null {
    return this.#seconds[this.#seconds.length - 1] ?? null;
  }

  history(run: string): History {
    return { run, seconds: this.#seconds };
  }

  #record(): void {
    const atMs = now();
    const { purgatories, timers } = this.#shown.look();
    this.#seconds.push({
      number: ++this.#number,
      wallMs: wallNow(),
      overMs: atMs - this.#atMs,
      host: this.#host.take(),
      purgatories: Object.fromEntries(
        purgatories.slice(0, MAX_RECORDED).map(([name, purgatory]) => [name, this.#ofPurgatory(purgatory)]),
      ),
      timers: Object.fromEntries(
        timers.slice(0, MAX_RECORDED).map(([name, timer]) => [name, this.#ofTimer(timer)]),
      ),
    });
    this.#atMs = atMs;
    if (this.#seconds.length > MAX_SECONDS) this.#seconds.shift();
  }

  #ofPurgatory(purgatory: ObservedPurgatory): SecondOfPurgatory {
    const { parked, totals, refused = {}, events } = purgatory.snapshot({ top: 0 });
    const ends: Ends = [totals.completed, totals.expired, totals.cancelled, totals.failed];
    const before = this.#ends.get(purgatory) ?? (this.#number === 1 ? ends : NO_ENDS);
    this.#ends.set(purgatory, ends);
    const [completed, expired, cancelled, failed] = ends.map((each, index) => each - before[index]);
    const refusedSince = this.#refusedSince(purgatory, refused);
    const pass = passView(events);
    const rare: RareInSecond = {
      ...(refusedSince !== undefined && { refused: refusedSince }),
      ...(pass !== null &&
        pass.ageMs >= LONG_PASS_MS && { pass: { ...pass, passes: events.passesUnderWay } }),
    };
    const counted = [parked, completed, expired, cancelled, failed] as const;
    return Object.keys(rare).length === 0 ? counted : [...counted, rare];
  }

  /** Undefined when it refused none since the second before. */
  #refusedSince(
    purgatory: ObservedPurgatory,
    refused: Readonly<Record<string, number>>,
  ): Readonly<Record<string, number>> | undefined {
    const before = this.#refused.get(purgatory) ?? (this.#number === 1 ? refused : {});
    this.#refused.set(purgatory, { ...refused });
    const since = Object.entries(refused)
      .map(([code, n]) => [code, n - (before[code] ?? 0)] as const)
      .filter(([, n]) => n > 0);
    return since.length === 0 ? undefined : Object.fromEntries(since);
  }

  #ofTimer(timer: ObservedTimer): SecondOfTimer {
    const { counts, leMs } = (timer.$lateness ?? timer.snapshot().lateness).histogram;
    const before = this.#lateness.get(timer) ?? counts;
    this.#lateness.set(timer, counts);
    const since = counts.map((count, bin) => count - before[bin]);
    const ran = since.reduce((sum, count) => sum + count, 0);
    const latenessMs = quantile(leMs, since, 0.99) ?? 0;
    return [ran, Number.isFinite(latenessMs) ? latenessMs : null];
  }
}
