// The last ten minutes, second by second. So a page that is opened after an incident shows it.
//
// Ground rules. It records while somebody needs it: the history, and each that watches. It keeps no
// process alive. It uses the host's own interval, because a fake clock must not add seconds. It
// keeps at most MAX_SECONDS seconds, each with at most MAX_RECORDED purgatories, timers and buses.
// It keeps no purgatory: the values of the second before are found by weak reference. Costs: each
// second takes a snapshot of each purgatory, without its keys, and reads the lateness of each timer
// and the state of each bus. docs/inspector.md has the figures.

import { quantile } from '../../base/duration-histogram.ts';
import type { LiveSources } from '../live-sources.ts';
import type { ObservedPurgatory, ObservedTimer } from '../sources.ts';
import {
  LONG_PASS_MS,
  MAX_RECORDED,
  MAX_SECONDS,
  SECOND_MS,
  type Second,
  type SecondOfPurgatory,
  type SecondOfTimer,
} from './frame.ts';
import { HostMeter } from './host-meter.ts';
import { LastErrors, type NotedError } from './last-errors.ts';

const { setInterval, clearInterval } = globalThis;
/** Since 1970, in ms, whatever a test fakes later. */
export const wallNow: () => number = Date.now.bind(Date);

/** No shorter block of the event loop is seen. */
const PROBE_MS = 50;

type Counts = Readonly<Record<string, number>>;

interface Counted {
  readonly totals: Counts;
  readonly refused: Counts;
  readonly error: NotedError | undefined;
}

export class SecondRecorder {
  readonly #shown: LiveSources;
  readonly #report: (error: unknown) => void;
  readonly errors: LastErrors = new LastErrors();
  readonly #host = new HostMeter(PROBE_MS);
  readonly #seconds: Second[] = [];
  readonly #users = new Set<object>();
  #number = 0;
  #interval: NodeJS.Timeout | undefined;
  #counted = new WeakMap<object, Counted>();
  #lateness = new WeakMap<object, readonly number[]>();

  /** @param report gets what the sources throw; that second is not recorded. */
  constructor(shown: LiveSources, report: (error: unknown) => void) {
    this.#shown = shown;
    this.#report = report;
  }

  /** Records until `user` stops it, and each other user. */
  start(user: object): void {
    this.#users.add(user);
    if (this.#interval !== undefined) return;
    this.#counted = new WeakMap();
    this.#lateness = new WeakMap();
    this.#host.start();
    this.errors.start();
    try {
      this.#read();
    } catch {
      // The next reading throws it too, and that is reported.
    }
    this.#interval = setInterval(() => this.#record(), SECOND_MS).unref();
  }

  stop(user: object): void {
    if (!this.#users.delete(user) || this.#users.size > 0) return;
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
    try {
      const read = this.#read();
      this.#seconds.push({ number: ++this.#number, wallMs: wallNow(), ...this.#host.take(), ...read });
      if (this.#seconds.length > MAX_SECONDS) this.#seconds.shift();
    } catch (error) {
      this.#report(error);
    }
  }

  /** Counts what was since the last call. The first call counts nothing of what was before. */
  #read(): Pick<Second, 'purgatories' | 'timers' | 'cutOff'> {
    const { purgatories, timers, buses } = this.#shown.look();
    const cutOff = buses.slice(0, MAX_RECORDED).filter(([, bus]) => {
      const { state, nowMs, sinceMs } = bus.snapshot();
      return state !== 'live' && state !== 'closed' && nowMs - sinceMs >= SECOND_MS;
    });
    return {
      purgatories: recorded(purgatories, (purgatory) => this.#ofPurgatory(purgatory)),
      timers: recorded(timers, (timer) => this.#ofTimer(timer)),
      ...(cutOff.length > 0 && { cutOff: cutOff.map(([name]) => name) }),
    };
  }

  #ofPurgatory(purgatory: ObservedPurgatory): SecondOfPurgatory {
    const { parked, totals, refused = {}, events } = purgatory.snapshot({ top: 0 });
    const { oldestPass: pass, passesUnderWay: passes } = events;
    const error = this.errors.of(purgatory);
    const before = this.#counted.get(purgatory);
    this.#counted.set(purgatory, { totals: { ...totals }, refused: { ...refused }, error });
    const refusedSince = since(refused, before?.refused);
    return {
      ...since({ ...totals }, before?.totals),
      parked,
      ...(Object.keys(refusedSince).length > 0 && { refused: refusedSince }),
      ...(pass !== null && pass.ageMs >= LONG_PASS_MS && { pass: { ...pass, passes } }),
      ...(error !== undefined && error !== before?.error && { error: error.shown }),
    };
  }

  #ofTimer(timer: ObservedTimer): SecondOfTimer {
    const { counts, leMs } = (timer.$lateness ?? timer.snapshot().lateness).histogram;
    const before = this.#lateness.get(timer);
    this.#lateness.set(timer, counts);
    const ranSince = counts.map((count, bin) => count - (before?.[bin] ?? 0));
    const latenessMs = quantile(leMs, ranSince, 0.99) ?? 0;
    return {
      ran: ranSince.reduce((sum, count) => sum + count, 0),
      latenessMs: Number.isFinite(latenessMs) ? latenessMs : null,
    };
  }
}

function recorded<S, T>(all: readonly (readonly [string, S])[], read: (one: S) => T): Record<string, T> {
  return Object.fromEntries(all.slice(0, MAX_RECORDED).map(([name, each]) => [name, read(each)]));
}

/** What has grown, by how much. */
function since(counts: Counts, before: Counts = {}): Counts {
  const grown = Object.entries(counts).map(([name, n]) => [name, n - (before[name] ?? 0)] as const);
  return Object.fromEntries(grown.filter(([, n]) => n > 0));
}
