// One load, the keys that it reads, and the state of the loading of a key.
//
//  idle ──event, poll, recheck──► due ──► loading, then answering ──► idle, or due again after an
//                                               │                     event meanwhile
//                                               ├─ failed with others ──► due, in a smaller batch
//                                               └─ failed for good ──► backing off ──► due
//
// Invariants. A key lives from its first wait until its last has ended and no load of it is under
// way. A load is under way until its promise settles or it is given up; then its result is dropped.
// It answers the waits that were parked before it began: they are the passes of its keys. Only
// LoadScheduler, its DueKeys, Looks and Answers write the fields.
import type { Pass } from '../../purgatory/passes.ts';
import type { Division } from './division.ts';

/** An event that asks for a load: a new wait, or a hint that the state may have changed. */
export type Cause = 'wait' | 'hint';

export class WatchedKey {
  readonly key: string;
  /** The load of it that is under way, or whose answers are being given. At most one. */
  loading: Loading | undefined;
  /** The batch in which it waits for its load to begin. */
  due: DueBatch | undefined;
  /** What asks for its next load, until that is answered. Undefined: its poll or its recheck. */
  cause: Cause | undefined;
  /**
   * Failed loads in a row. While it is above 0 and `look` is set, the key backs off. No event
   * shortens that.
   */
  failures = 0;
  /**
   * When the last load that an event caused was answered, in ms of the clock; rechecks count from
   * there.
   */
  answeredAtMs = 0;
  /** The retry, recheck or poll that is next: one of Looks. */
  look: object | undefined;

  constructor(key: string) {
    this.key = key;
  }
}

/** Keys that will be loaded together. */
export interface DueBatch {
  readonly keys: Set<WatchedKey>;
  /** The division that it is a part of. */
  readonly division: Division<Load> | undefined;
  /** Suspect: of a key that timed out in company. Hanging: of one that timed out alone. */
  readonly kind: 'shared' | 'suspect' | 'hanging';
}

/** One key in one load. */
export interface Loading {
  readonly load: Load;
  readonly watched: WatchedKey;
  /** The waits that it answers. */
  readonly pass: Pass<string>;
  /** What came meanwhile: it may have read the state before. One more load must follow. */
  cause: Cause | undefined;
  /** What the load has brought for the key. Undefined while it is under way. */
  outcome: Outcome | undefined;
}

/** A state, or a failure. */
export interface Outcome {
  readonly state?: unknown;
  readonly failure?: Failure;
}

/** Why a load failed, and when it is tried again. */
export interface Failure {
  readonly error: unknown;
  /** Undefined: it is not tried again. */
  readonly retry: Retry | undefined;
}

/** One for all that failed together: their keys stay together. */
export interface Retry {
  /** When it failed, in ms of the clock. */
  readonly sinceMs: number;
  /** From 0 to 1. */
  readonly jitter: number;
}

export class Load {
  readonly keys: readonly Loading[];
  readonly division: Division<Load> | undefined;
  /** It is of a key whose last load timed out. */
  readonly isApart: boolean;
  readonly beganAtMs: number;
  /** When it has failed. */
  readonly timeoutMs: number;
  readonly controller: AbortController = new AbortController();
  /** The waits that it would answer and that have not ended. */
  waits = 0;
  /** Keys whose answers are still to be given. */
  unanswered: number;
  /** Waits that it ended. */
  answered = 0;
  /** When it ended, in ms of the clock. */
  endedAtMs = 0;
  /** It has failed for good. */
  hasFailed = false;

  /** @param lists begin a pass over the waits on each key. */
  constructor(
    { keys, division, kind }: DueBatch,
    beganAtMs: number,
    timeoutMs: number,
    lists: { holdPass(key: WatchedKey): Pass<string> },
  ) {
    this.keys = Array.from(keys, (watched) => {
      const pass = lists.holdPass(watched);
      this.waits += pass.watchers;
      watched.loading = { load: this, watched, pass, cause: undefined, outcome: undefined };
      return watched.loading;
    });
    this.division = division;
    this.isApart = kind !== 'shared';
    this.beganAtMs = beganAtMs;
    this.timeoutMs = timeoutMs;
    this.unanswered = this.keys.length;
  }

  get names(): string[] {
    return this.keys.map(({ watched }) => watched.key);
  }
}
