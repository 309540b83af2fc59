// The counters and the events of the loads of one SharedWaits. The only file of SharedWaits that
// counts and that publishes events.
//
// Ground rules. LoadScheduler calls the meter. The meter calls only subscribers, and keeps numbers
// only. The rules of the channels are those of timer/timer-meter.ts. Each load that begins is
// reported once, as `answered` or as `failed`, unless nobody waits for it any more or its SharedWaits
// are closed.
import { channel } from 'node:diagnostics_channel';
import { debug } from '../../base/debug.ts';
import { DurationHistogram, type DurationSnapshot } from '../../base/duration-histogram.ts';
import type { Named } from '../../purgatory/telemetry/purgatory-meter.ts';
import type { Load } from './load.ts';

/** Loads, counted since the SharedWaits were made. */
export interface LoadTotals {
  /** Begun. */
  begun: number;
  /** Keys that they were for, each load counted. */
  keys: number;
  /** Threw, were rejected, took too long, or returned no Map: parts of a divided load, too. */
  failed: number;
  /** Ended without an answer for any wait. */
  inVain: number;
  /** Aborted, because nobody waited for them any more. */
  aborted: number;
}

/** A load that is under way. */
export interface LoadSnapshot {
  ageMs: number;
  /** How many keys it is for, and the first of them. */
  keys: number;
  key: string;
  /** How many wait on its keys. Of the keys, the first thousand count. */
  waits: number;
}

/** What has been loaded, and what is about to be. */
export interface LoadsSnapshot {
  /** Loads whose promise has not settled. */
  underWay: number;
  /** The one that began first; null when none is under way. */
  oldest: LoadSnapshot | null;
  /** Keys that wait for a load to begin. */
  keysDue: number;
  totals: LoadTotals;
  /** From the beginning of a load to its last answer. */
  durations: DurationSnapshot;
}

/**
 * `purgatory:load:answered`: a load has ended, and all waits on its keys have had its result.
 */
export interface LoadAnswered {
  readonly waits: Named;
  /** How many keys it was for. */
  readonly keys: number;
  /** The number of waits that it ended. 0: the load was in vain. */
  readonly answered: number;
  /** From its beginning to the last answer, in ms by the clock. */
  readonly tookMs: number;
}

/**
 * `purgatory:load:failed`: a load has thrown, was rejected, took too long, or has returned no Map.
 */
export interface LoadFailed {
  readonly waits: Named;
  readonly keys: number;
  /** The key of a load of one key. Undefined: it was for several. */
  readonly key: string | undefined;
  readonly error: unknown;
  /** From its beginning, in ms by the clock. */
  readonly tookMs: number;
}

const loadAnswered = channel('purgatory:load:answered');
const loadFailed = channel('purgatory:load:failed');

/** Up to 32 s. */
const DURATION_BOUNDS = 16;

export class LoadMeter {
  readonly #waits: Named;
  readonly #durations = new DurationHistogram(DURATION_BOUNDS);
  readonly #totals: LoadTotals = { begun: 0, keys: 0, failed: 0, inVain: 0, aborted: 0 };

  constructor(waits: Named) {
    this.#waits = waits;
  }

  snapshot(): Pick<LoadsSnapshot, 'totals' | 'durations'> {
    return { totals: { ...this.#totals }, durations: this.#durations.snapshot() };
  }

  began(keys: number): void {
    this.#totals.begun++;
    this.#totals.keys += keys;
  }

  aborted(): void {
    this.#totals.aborted++;
  }

  answered(load: Load, nowMs: number): void {
    const { answered } = load;
    const tookMs = nowMs - load.beganAtMs;
    this.#durations.note(tookMs);
    if (answered === 0) this.#totals.inVain++;
    if (loadAnswered.hasSubscribers) {
      const keys = load.keys.length;
      loadAnswered.publish({ waits: this.#waits, keys, answered, tookMs } satisfies LoadAnswered);
    }
  }

  failed(load: Load, error: unknown, nowMs: number): void {
    const keys = load.keys.length;
    const tookMs = nowMs - load.beganAtMs;
    this.#totals.failed++;
    debug('shared waits "%s": a load of %d key(s) failed with %s', this.#waits.name, keys, error);
    if (loadFailed.hasSubscribers) {
      const key = keys === 1 ? load.names[0] : undefined;
      loadFailed.publish({ waits: this.#waits, keys, key, error, tookMs } satisfies LoadFailed);
    }
  }
}
