// The last ten minutes, second by second. So a page that is opened after an incident shows it.
//
// Ground rules. It records while somebody needs it: the history, and each that watches. It keeps no
// process alive. It keeps at most MAX_SECONDS seconds, each with at most MAX_RECORDED purgatories,
// timers and buses. It keeps no purgatory: the values of the second before are found by weak
// reference. Costs: each second takes a snapshot of each purgatory, and reads the lateness of each
// timer and the state of each bus. docs/inspector.md has the figures.

import { quantile } from '../../base/duration-histogram.ts';
import type { OldOperation, SlowTrySnapshot } from '../../purgatory/telemetry/purgatory-snapshot.ts';
import { type LiveSources, snapshotOf } from '../live-sources.ts';
import type { ObservedPurgatory, ObservedSnapshot, ObservedTimer } from '../sources.ts';
import {
  type Kept,
  type LastError,
  MAX_RECORDED,
  MAX_SECONDS,
  NOTED,
  SECOND_MS,
  type Second,
  type SecondOfPurgatory,
  type SecondOfTimer,
  type WaitedFor,
} from './frame.ts';
import type { Host } from './host.ts';
import { HostMeter } from './host-meter.ts';
import { LastErrors } from './last-errors.ts';

/** Of the oldest operations, hottest keys and holders of a purgatory: more than the page shows. */
const LOOKED_AT = 32;
/** No shorter block of the event loop is seen. */
const PROBE_MS = 50;

type Counts = Readonly<Record<string, number>>;

interface Counted {
  readonly totals: Counts;
  readonly refused: Counts;
  readonly error: LastError | undefined;
  readonly slowTry: SlowTrySnapshot | null;
}

export class SecondRecorder {
  readonly #shown: LiveSources;
  readonly #report: (error: unknown) => void;
  readonly #errors = new LastErrors();
  readonly #host: Host;
  readonly #meter: HostMeter;
  readonly #seconds: Second[] = [];
  readonly #users = new Set<object>();
  #number = 0;
  #stopClock: (() => void) | undefined;
  #counted = new WeakMap<object, Counted>();
  #lateness = new WeakMap<object, readonly number[]>();

  /** @param report gets what the sources throw; that second is not recorded. */
  constructor(host: Host, shown: LiveSources, report: (error: unknown) => void) {
    this.#host = host;
    this.#meter = new HostMeter(host, PROBE_MS);
    this.#shown = shown;
    this.#report = report;
  }

  /** Records until `user` stops it, and each other user. */
  start(user: object): void {
    this.#users.add(user);
    if (this.#stopClock !== undefined) return;
    this.#counted = new WeakMap();
    this.#lateness = new WeakMap();
    this.#meter.start();
    this.#errors.start();
    try {
      this.#read();
    } catch {
      // The next reading throws it too, and that is reported.
    }
    this.#stopClock = this.#host.every(SECOND_MS, () => this.#record());
  }

  stop(user: object): void {
    if (!this.#users.delete(user) || this.#users.size > 0) return;
    this.#errors.stop();
    this.#stopClock?.();
    this.#stopClock = undefined;
    this.#meter.stop();
  }

  /** The oldest first. */
  get seconds(): readonly Second[] {
    return this.#seconds;
  }

  #record(): void {
    try {
      const read = this.#read();
      this.#seconds.push({
        number: ++this.#number,
        wallMs: this.#host.wallNow(),
        ...this.#meter.take(),
        ...read,
      });
      if (this.#seconds.length > MAX_SECONDS) this.#seconds.shift();
    } catch (error) {
      this.#report(error);
    }
  }

  /** Counts what was since the last call. The first call counts nothing of what was before. */
  #read(): Pick<Second, 'purgatories' | 'timers' | 'cutOff' | 'inDoubt'> {
    const { purgatories, timers, buses } = this.#shown.look();
    const seen = buses.slice(0, MAX_RECORDED).map(([name, bus]) => ({ ...bus.snapshot(), name }));
    const cutOff = seen.filter((bus) => bus.state !== 'live' && bus.nowMs - bus.sinceMs >= SECOND_MS);
    const inDoubt = seen.filter(({ doubt }) => doubt !== null);
    return {
      purgatories: recorded(purgatories, (purgatory) => this.#ofPurgatory(purgatory)),
      timers: recorded(timers, (timer) => this.#ofTimer(timer)),
      ...(cutOff.length > 0 && { cutOff: cutOff.map(({ name }) => name) }),
      ...(inDoubt.length > 0 && { inDoubt: inDoubt.map(({ name }) => name) }),
    };
  }

  #ofPurgatory(purgatory: ObservedPurgatory): SecondOfPurgatory {
    const snapshot = snapshotOf(purgatory, LOOKED_AT);
    const { parked, refused, loads, items } = snapshot;
    const totals = {
      ...snapshot.totals,
      loadsFailed: loads?.totals.failed ?? 0,
      taken: items?.taken ?? 0,
      itemsExpired: items?.expired ?? 0,
      lapsed: items?.lapsed ?? 0,
    };
    const error = this.#errors.of(purgatory);
    const before = this.#counted.get(purgatory);
    const { slowTry } = snapshot.events;
    this.#counted.set(purgatory, { totals, refused: { ...refused }, error, slowTry });
    const refusedSince = since(refused, before?.refused);
    return {
      ...since(totals, before?.totals),
      parked,
      ...(Object.keys(refusedSince).length > 0 && { refused: refusedSince }),
      ...(error !== undefined && error !== before?.error && { error }),
      ...(slowTry !== null && slowTry.atMs !== before?.slowTry?.atMs && { slowTry }),
      ...noted(snapshot),
    };
  }

  #ofTimer(timer: ObservedTimer): SecondOfTimer {
    const { counts, leMs } = timer.snapshot().lateness.histogram;
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

/** What is worth a note. The bounds are those of frame.ts. */
function noted(snapshot: ObservedSnapshot): Partial<SecondOfPurgatory> {
  const { nowMs, events, oldest, hottestKeys, openTries, endless, items, loads } = snapshot;
  const { oldestPass: pass } = events;
  const overdueMs = Math.max(...oldest.map(({ deadlineMs }) => nowMs - (deadlineMs ?? nowMs)), 0);
  const [hottest] = hottestKeys;
  const eventMs = (hottest?.watchers ?? 0) * (events.tryMs ?? 0);
  const { open, oldest: openTry } = openTries;
  const endlessOne = oldest.findLast(({ deadlineMs }) => deadlineMs === null);
  const held = waitedFor(snapshot);
  const load = loads?.oldest;
  return {
    ...(pass !== null && pass.ageMs >= NOTED.passMs && { pass: { ...pass, tryMs: events.tryMs } }),
    ...(overdueMs >= NOTED.overdueMs && { overdueMs }),
    ...((hottest?.watchers >= NOTED.watchers || eventMs >= NOTED.heavyKeyMs) && {
      hottest: { ...hottest, eventMs },
    }),
    ...(endless.parked > 0 && { endless: endless.parked }),
    ...(endlessOne !== undefined && { endlessOne: nameOf(endlessOne) }),
    ...(openTry !== null &&
      openTry.openMs >= NOTED.tryMs && {
        openTry: { wait: nameOf(openTry.wait), openMs: openTry.openMs, open },
      }),
    ...(held !== undefined && { held }),
    ...(items !== undefined && { items: kept(items) }),
    ...(load != null && load.ageMs >= NOTED.loadMs && { load: { ...load, keysDue: loads?.keysDue ?? 0 } }),
  };
}

function kept({ size, max, delayed, oldest, leased, leasedLongest }: Kept): Kept {
  return { size, max, delayed, oldest, leased, leasedLongest };
}

/** Of a Semaphore: the longest wait that is too long, or for a permit that is held for too long. */
function waitedFor(snapshot: ObservedSnapshot): WaitedFor | undefined {
  const { nowMs, units, oldest, hottestKeys } = snapshot;
  if (units === undefined) return undefined;
  for (const { keys, ageMs, deadlineMs } of oldest) {
    const [key] = keys;
    const waiting = hottestKeys.find((hot) => hot.key === key)?.watchers ?? 1;
    const holder = units.holders.find((held) => held.key === key);
    const isHalfGone = deadlineMs !== null && ageMs >= deadlineMs - nowMs;
    const isLong = ageMs >= NOTED.waitedMs && (waiting >= NOTED.waits || isHalfGone);
    if (isLong || (holder?.ageMs ?? 0) >= NOTED.heldMs) {
      return { key, waiting, waitedMs: ageMs, ...(holder !== undefined && { holder }) };
    }
  }
  return undefined;
}

const nameOf = ({ label, type }: OldOperation): string => label || type;

function recorded<S, T>(all: readonly (readonly [string, S])[], read: (one: S) => T): Record<string, T> {
  return Object.fromEntries(all.slice(0, MAX_RECORDED).map(([name, each]) => [name, read(each)]));
}

/** What has grown, by how much. */
function since(counts: Counts, before: Counts = {}): Counts {
  const grown = Object.entries(counts).map(([name, n]) => [name, n - (before[name] ?? 0)] as const);
  return Object.fromEntries(grown.filter(([, n]) => n > 0));
}
