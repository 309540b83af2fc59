// The last ten minutes, second by second. So a page that is opened after an incident shows it.
//
// Ground rules. It records from `start` to `stop`, whether somebody watches or not, and keeps no
// process alive. It uses the host's own interval, because a fake clock must not add seconds. It
// keeps at most MAX_SECONDS seconds, each with at most MAX_RECORDED purgatories and MAX_RECORDED
// timers. It keeps no purgatory: the values of the second before are found by weak reference.
// Costs: each second takes a snapshot of each purgatory, without its keys, and reads the lateness
// of each timer. docs/operations.md has the figures.

import { quantile } from '../../base/duration-histogram.ts';
import type { LiveSources } from '../live-sources.ts';
import type { ObservedPurgatory, ObservedTimer } from '../sources.ts';
import {
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
import type { EndTotals, PurgatoryView } from './view-types.ts';
import { passView } from './views.ts';

const { setInterval, clearInterval } = globalThis;
const now = performance.now.bind(performance);
const wallNow = Date.now.bind(Date);

/** The history does not show a shorter block of the event loop, whether somebody watches or not. */
const PROBE_MS = 100;

type Counted = Pick<PurgatoryView, 'totals' | 'refused'>;

/** For a purgatory that was made since the second before. */
const NOTHING: Counted = { totals: { completed: 0, expired: 0, cancelled: 0, failed: 0 }, refused: {} };

export class SecondRecorder {
  readonly #shown: LiveSources;
  readonly #report: (error: unknown) => void;
  /** Heard of while this records, or while somebody else starts it. */
  readonly errors: LastErrors = new LastErrors();
  readonly #host = new HostMeter(PROBE_MS);
  readonly #seconds: Second[] = [];
  #number = 0;
  #atMs = 0;
  #interval: NodeJS.Timeout | undefined;
  readonly #counted = new WeakMap<object, Counted>();
  readonly #lateness = new WeakMap<object, readonly number[]>();

  /** @param report gets what the sources throw; that second is not recorded. */
  constructor(shown: LiveSources, report: (error: unknown) => void) {
    this.#shown = shown;
    this.#report = report;
  }

  start(): void {
    if (this.#interval !== undefined) return;
    this.#host.start();
    this.errors.start();
    this.#atMs = now();
    this.#interval = setInterval(() => {
      try {
        this.#record();
      } catch (error) {
        this.#report(error);
      }
    }, SECOND_MS).unref();
  }

  stop(): void {
    if (this.#interval === undefined) return;
    this.errors.stop();
    clearInterval(this.#interval);
    this.#interval = undefined;
    this.#host.stop();
  }

  /** The oldest first. */
  get seconds(): readonly Second[] {
    return this.#seconds;
  }

  #record(): void {
    const atMs = now();
    const { purgatories, timers } = this.#shown.look();
    const read = {
      purgatories: Object.fromEntries(
        purgatories.slice(0, MAX_RECORDED).map(([name, purgatory]) => [name, this.#ofPurgatory(purgatory)]),
      ),
      timers: Object.fromEntries(
        timers.slice(0, MAX_RECORDED).map(([name, timer]) => [name, this.#ofTimer(timer)]),
      ),
    };
    const overMs = atMs - this.#atMs;
    this.#seconds.push({
      number: ++this.#number,
      wallMs: wallNow(),
      overMs,
      host: this.#host.take(),
      ...read,
    });
    this.#atMs = atMs;
    if (this.#seconds.length > MAX_SECONDS) this.#seconds.shift();
  }

  #ofPurgatory(purgatory: ObservedPurgatory): SecondOfPurgatory {
    const { parked, totals, refused = {}, events } = purgatory.snapshot({ top: 0 });
    const counted: Counted = { totals: { ...totals }, refused: { ...refused } };
    const before = this.#counted.get(purgatory) ?? (this.#number === 1 ? counted : NOTHING);
    this.#counted.set(purgatory, counted);
    const ended = (kind: keyof EndTotals): number => totals[kind] - before.totals[kind];
    const refusedSince = Object.entries(refused)
      .map(([code, n]) => [code, n - (before.refused[code] ?? 0)] as const)
      .filter(([, n]) => n > 0);
    const pass = passView(events);
    const rare: RareInSecond = {
      ...(refusedSince.length > 0 && { refused: Object.fromEntries(refusedSince) }),
      ...(pass !== null &&
        pass.ageMs >= LONG_PASS_MS && { pass: { ...pass, passes: events.passesUnderWay } }),
    };
    const second = [
      parked,
      ended('completed'),
      ended('expired'),
      ended('cancelled'),
      ended('failed'),
    ] as const;
    return Object.keys(rare).length === 0 ? second : [...second, rare];
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
