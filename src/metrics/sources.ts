// What the metrics are read from, and their list: names, units and meaning, for every kind of registry.
//
// Ground rules. Counts are read from snapshots when a registry asks, so they cost nothing on the way. Times parked alone are gathered as
// operations leave, from the library's channels: a clock reading for each, and only while the metrics are registered.
import { listen } from '../events/index.ts';
import type { OperationEnded } from '../purgatory/operation-events.ts';
import type { PurgatorySnapshot } from '../purgatory/purgatory-snapshot.ts';
import type { TimerSnapshot } from '../timer/timer-snapshot.ts';

/** A purgatory of any kind. */
export interface MeasuredPurgatory {
  readonly name: string;
  snapshot(options: { top: number }): PurgatorySnapshot;
}

/** A SystemTimer. */
export interface MeasuredTimer {
  snapshot(): TimerSnapshot;
}

/** What {@link registerMetrics} measures. */
export interface MetricSources {
  /** Told apart by the label `purgatory`, their name: no two may have the same. */
  purgatories?: readonly MeasuredPurgatory[];
  /** Told apart by the label `timer`: the name given here, or the index in an array. */
  timers?: readonly MeasuredTimer[] | Readonly<Record<string, MeasuredTimer>>;
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

export const PURGATORY_READINGS: readonly Reading<PurgatorySnapshot>[] = [
  {
    name: 'purgatory.parked_operations',
    help: 'Operations that wait now',
    type: 'gauge',
    unit: '{operation}',
    of: (snapshot) => snapshot.parked,
  },
  {
    name: 'purgatory.watches',
    help: 'Pairs of a parked operation and a key that it watches',
    type: 'gauge',
    unit: '{watch}',
    of: (snapshot) => snapshot.watched,
  },
  {
    name: 'purgatory.watched_keys',
    help: 'Keys that a parked operation watches',
    type: 'gauge',
    unit: '{key}',
    of: (snapshot) => snapshot.watchedKeys,
  },
  {
    name: 'purgatory.parked',
    help: 'Operations that were parked',
    type: 'counter',
    unit: '{operation}',
    of: (snapshot) => snapshot.totals.parked,
  },
  {
    name: 'purgatory.completed_early',
    help: 'Parked operations that were completed before their deadline',
    type: 'counter',
    unit: '{operation}',
    of: (snapshot) => snapshot.totals.completed,
  },
  {
    name: 'purgatory.expired',
    help: 'Parked operations that their deadline completed',
    type: 'counter',
    unit: '{operation}',
    of: (snapshot) => snapshot.totals.expired,
  },
  {
    name: 'purgatory.cancelled',
    help: 'Parked operations that were taken out unanswered',
    type: 'counter',
    unit: '{operation}',
    of: (snapshot) => snapshot.totals.cancelled,
  },
  {
    name: 'purgatory.failures',
    help: 'Throws of user code inside a pass or an expiry',
    type: 'counter',
    unit: '{failure}',
    of: (snapshot) => snapshot.totals.failed,
  },
];

export const TIMER_READINGS: readonly Reading<TimerSnapshot>[] = [
  {
    name: 'purgatory.timer.pending_tasks',
    help: 'Tasks that are pending in the timer, parked operations included',
    type: 'gauge',
    unit: '{task}',
    of: (snapshot) => snapshot.pending,
  },
  {
    name: 'purgatory.timer.queued_buckets',
    help: 'Buckets in the DelayQueue',
    type: 'gauge',
    unit: '{bucket}',
    of: (snapshot) => snapshot.delayQueue.size,
  },
  {
    name: 'purgatory.timer.tasks_run',
    help: 'Tasks that ran',
    type: 'counter',
    unit: '{task}',
    of: (snapshot) => snapshot.totals.ran,
  },
  {
    name: 'purgatory.timer.tasks_failed',
    help: 'Tasks that threw, parked operations not included',
    type: 'counter',
    unit: '{task}',
    of: (snapshot) => snapshot.totals.failed,
  },
  {
    name: 'purgatory.timer.tasks_cascaded',
    help: 'Tasks re-added to a finer wheel, each time counted',
    type: 'counter',
    unit: '{task}',
    of: (snapshot) => snapshot.totals.cascaded,
  },
  {
    name: 'purgatory.timer.slices',
    help: 'Times that the reaper yielded to the event loop with more to run',
    type: 'counter',
    unit: '{slice}',
    of: (snapshot) => snapshot.totals.slices,
  },
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

/** The timers with the values of their label. */
export function namedTimers(sources: MetricSources): [name: string, timer: MeasuredTimer][] {
  return Object.entries(sources.timers ?? {});
}

const ENDINGS = [
  'purgatory:operation:completed',
  'purgatory:operation:expired',
  'purgatory:operation:cancelled',
] as const;

/** Calls `onEnd` for each operation that leaves one of the purgatories; returns what ends that. */
export function listenToEndings(
  purgatories: readonly MeasuredPurgatory[],
  onEnd: (purgatory: string, parkedMs: number) => void,
): () => void {
  const own = new Set<unknown>(purgatories);
  const receive = ({ purgatory, parkedMs }: OperationEnded): void => {
    if (own.has(purgatory)) onEnd(purgatory.name, parkedMs);
  };
  const stops = ENDINGS.map((name) => listen(name, receive));
  return () => {
    for (const stop of stops) stop();
  };
}
