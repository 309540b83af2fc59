// What the metrics are read from, and their list: names, units and meaning, for every kind of registry.
//
// Ground rules. Counts are read from snapshots when a registry asks, so they cost nothing on the way. Times parked alone are gathered as
// operations leave, from the library's channels: a clock reading for each, and only while the metrics are registered.
import { listen } from '../events/index.ts';
import { LiveSources, type NamedSources, type Sources } from '../live-sources.ts';
import type { OperationEnded } from '../purgatory/operation-events.ts';
import type { PurgatorySnapshot } from '../purgatory/purgatory-snapshot.ts';
import type { TimerSnapshot } from '../timer/timer-snapshot.ts';

/** A purgatory of any kind. */
export interface MeasuredPurgatory {
  readonly name: string;
  /** A closed one is measured no more. */
  readonly isClosed?: boolean;
  /** Measured too, under the name of the purgatory unless it is named among the timers, if it has a snapshot(). */
  readonly timer?: object;
  snapshot(options: { top: number }): PurgatorySnapshot;
}

/** A SystemTimer. */
export interface MeasuredTimer {
  /** A closed one is measured no more. */
  readonly isClosed?: boolean;
  snapshot(): TimerSnapshot;
}

/** What {@link registerMetrics} measures. */
export interface MetricSources {
  /**
   * An array, a Set, or a function that returns one; read anew at each scrape, so that what comes later is measured, and what is closed is
   * not. Told apart by the label `purgatory`, their name: no two may have the same at first; a later one gets a number behind it.
   */
  purgatories?: Sources<MeasuredPurgatory>;
  /**
   * As the purgatories, or an object of them by name. Told apart by the label `timer`: that name, or else the place among all that are
   * given. Timers of the purgatories need not be given.
   */
  timers?: NamedSources<MeasuredTimer>;
}

/** A metric whose value is read when it is asked for. */
export interface Reading<Snapshot> {
  /** As OpenTelemetry writes it; Prometheus' name follows from it (see prometheus.ts). */
  readonly name: string;
  readonly help: string;
  /** A counter only ever grows; a gauge is a number of things that are there now. */
  readonly type: 'counter' | 'gauge';
  readonly unit: string;
  readonly of: (snapshot: Snapshot) => number;
}

/** A metric of durations. */
export interface Durations {
  readonly name: string;
  readonly help: string;
  readonly unit: 's';
}

function gauge<S>(name: string, thing: string, help: string, of: (snapshot: S) => number): Reading<S> {
  return { name, help, type: 'gauge', unit: `{${thing}}`, of };
}

function counter<S>(name: string, thing: string, help: string, of: (snapshot: S) => number): Reading<S> {
  return { ...gauge(name, thing, help, of), type: 'counter' };
}

export const PURGATORY_READINGS: readonly Reading<PurgatorySnapshot>[] = [
  gauge('purgatory.parked_operations', 'operation', 'Operations that wait now', (now) => now.parked),
  gauge(
    'purgatory.watches',
    'watch',
    'Pairs of a parked operation and a key that it watches',
    (now) => now.watched,
  ),
  gauge('purgatory.watched_keys', 'key', 'Keys that a parked operation watches', (now) => now.watchedKeys),
  counter('purgatory.parked', 'operation', 'Operations that were parked', (now) => now.totals.parked),
  counter(
    'purgatory.completed_early',
    'operation',
    'Parked operations that were completed before their deadline',
    (now) => now.totals.completed,
  ),
  counter(
    'purgatory.expired',
    'operation',
    'Parked operations that their deadline completed',
    (now) => now.totals.expired,
  ),
  counter(
    'purgatory.cancelled',
    'operation',
    'Parked operations that were taken out unanswered',
    (now) => now.totals.cancelled,
  ),
  counter(
    'purgatory.failures',
    'failure',
    'Throws of user code inside a pass or an expiry',
    (now) => now.totals.failed,
  ),
];

export const TIMER_READINGS: readonly Reading<TimerSnapshot>[] = [
  gauge(
    'purgatory.timer.pending_tasks',
    'task',
    'Tasks that are pending in the timer, parked operations included',
    (now) => now.pending,
  ),
  gauge(
    'purgatory.timer.queued_buckets',
    'bucket',
    'Buckets in the DelayQueue',
    (now) => now.delayQueue.size,
  ),
  counter('purgatory.timer.tasks_run', 'task', 'Tasks that ran', (now) => now.totals.ran),
  counter(
    'purgatory.timer.tasks_failed',
    'task',
    'Tasks that threw, parked operations not included',
    (now) => now.totals.failed,
  ),
  counter(
    'purgatory.timer.tasks_cascaded',
    'task',
    'Tasks re-added to a finer wheel, each time counted',
    (now) => now.totals.cascaded,
  ),
  counter(
    'purgatory.timer.slices',
    'slice',
    'Times that the reaper yielded to the event loop with more to run',
    (now) => now.totals.slices,
  ),
];

export const TIME_PARKED: Durations = {
  name: 'purgatory.time_parked',
  help: 'How long operations were parked that have left, however they left',
  unit: 's',
};

export const REAPER_LATENESS: Durations = {
  name: 'purgatory.reaper_lateness',
  help: 'How long after the tick of their deadline tasks ran',
  unit: 's',
};

/** What is measured, read anew at each scrape. */
export class Measured extends LiveSources<MeasuredPurgatory, MeasuredTimer> {
  constructor({ purgatories = [], timers = [] }: MetricSources) {
    super(purgatories, timers);
  }

  /** Calls `onEnd` for each operation that leaves one of the purgatories; returns what ends that. */
  listenToEndings(onEnd: (purgatory: string, parkedMs: number) => void): () => void {
    const receive = ({ purgatory, parkedMs }: OperationEnded): void => {
      const name = this.nameOf(purgatory);
      if (name !== undefined) onEnd(name, parkedMs);
    };
    const stops = ENDINGS.map((name) => listen(name, receive));
    return () => {
      for (const stop of stops) stop();
    };
  }
}

const ENDINGS = [
  'purgatory:operation:completed',
  'purgatory:operation:expired',
  'purgatory:operation:cancelled',
] as const;
