// What observers read: purgatories, timers and buses, as the metrics and the inspector are given
// them.
//
// Ground rules. Types alone. `purgatory/metrics` and `purgatory/inspector` export all that this
// file exports. live-sources.ts checks and reads the sources.
import type { BusSnapshot } from '../bus/telemetry/bus-snapshot.ts';
import type { ParkedView } from '../purgatory/abstract-purgatory.ts';
import type { PurgatorySnapshot } from '../purgatory/telemetry/purgatory-snapshot.ts';
import type { TimerSnapshot } from '../timer/timer-snapshot.ts';
import type { IdleTimeoutsSnapshot } from '../waits/idle/idle-timeouts.ts';
import type { ItemsSnapshot } from '../waits/queues/items-snapshot.ts';
import type { RepliesSnapshot } from '../waits/replies/replies.ts';
import type { UnitsSnapshot } from '../waits/semaphore/semaphore.ts';
import type { LoadsSnapshot } from '../waits/shared/load-meter.ts';

/**
 * An array, a Set or any other iterable, or a function that returns one. It is read anew at each
 * look.
 */
export type Sources<T> = Iterable<T> | (() => Iterable<T>);

/** As {@link Sources}, or an object of them by name. */
export type NamedSources<T> = Sources<T> | Readonly<Record<string, T>> | (() => Readonly<Record<string, T>>);

/** A purgatory, a timer or a bus that an observer can read. */
export interface Source {
  /** A closed source is dropped, but for a bus or a timer that an open purgatory is on. */
  readonly isClosed?: boolean | undefined;
  snapshot(options: never): unknown;
}

/** A purgatory of any kind, SharedWaits, a Semaphore, Queues, Replies or IdleTimeouts. */
export interface ObservedPurgatory extends Source {
  readonly name: string;
  /**
   * Read too, if it has a snapshot(). Its name is its name among the timers, or else the name of
   * the purgatory.
   */
  readonly timer?: object | undefined;
  snapshot(options: { top: number }): PurgatoryRead | RepliesSnapshot | IdleTimeoutsSnapshot;
  /** The parked operations one by one, if the purgatory has that. @internal */
  readonly $parked?: ParkedView;
  /** Its bus, if it is on one. Read too, if it has a snapshot(). @internal */
  readonly $bus?: object | undefined;
}

/** The snapshot of a purgatory of any kind. */
type PurgatoryRead = PurgatorySnapshot & {
  /** Of SharedWaits. */
  readonly loads?: LoadsSnapshot;
  /** Of a ThresholdPurgatory. */
  readonly keptValues?: number;
  /** Of a Semaphore. */
  readonly units?: UnitsSnapshot;
  /** Of Queues. */
  readonly items?: ItemsSnapshot;
};

/** What observers read of any of them. */
export type ObservedSnapshot = PurgatoryRead & {
  /** Of Replies. */
  readonly expected?: number;
  /** Of IdleTimeouts. */
  readonly tracked?: number;
  /** Of those how many are held. */
  readonly held?: number;
};

/** A SystemTimer. */
export interface ObservedTimer extends Source {
  snapshot(): TimerSnapshot;
}

/** A Bus of purgatory/bus. */
export interface ObservedBus extends Source {
  snapshot(): BusSnapshot;
}
