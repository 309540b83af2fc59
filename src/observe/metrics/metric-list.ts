// The list of all metrics: names, units and meaning, for every kind of registry.
//
// Ground rules. Counts and gauges are read from snapshots. A name is written as OpenTelemetry
// writes it; prometheus.ts makes Prometheus' name of it.
import type { BusSnapshot } from '../../bus/telemetry/bus-snapshot.ts';
import type { TimerSnapshot } from '../../timer/timer-snapshot.ts';
import type { ItemsSnapshot } from '../../waits/queues/items-snapshot.ts';
import type { UnitsSnapshot } from '../../waits/semaphore/semaphore.ts';
import type { LoadsSnapshot } from '../../waits/shared/load-meter.ts';
import type { ObservedSnapshot } from '../sources.ts';

/** A metric whose value is read at a scrape. */
export interface Reading<Snapshot> {
  readonly name: string;
  readonly help: string;
  /** A counter only grows. A gauge is a number of things that are there now. */
  readonly type: 'counter' | 'gauge';
  /** A gauge in 's' is a time: of several workers, the longest counts. Other values are added up. */
  readonly unit: string;
  /** Of several workers, the least counts: a sum would hide the one that is cut off. */
  readonly isLeast?: boolean;
  /** Undefined: there is none now, and the metric is left out. */
  readonly of: (snapshot: Snapshot) => number | undefined;
}

/** A counter with a label of its own besides that of its source. */
export interface CountsBy<Snapshot> {
  readonly name: string;
  readonly help: string;
  readonly unit: string;
  readonly label: string;
  readonly of: (snapshot: Snapshot) => Readonly<Record<string, number>>;
}

/** A metric of durations, in seconds. */
export interface Durations {
  readonly name: string;
  readonly help: string;
}

/** The names of those fields of a snapshot that are numbers. */
type Numbers<S> = { [K in keyof S]: S[K] extends number ? K : never }[keyof S];

function gauge<S>(name: string, thing: string, help: string, of: Numbers<S> | Reading<S>['of']): Reading<S> {
  const read = typeof of === 'function' ? of : (now: S) => now[of] as number;
  return { name, help, type: 'gauge', unit: `{${thing}}`, of: read };
}

function least<S>(...gaugeOf: Parameters<typeof gauge<S>>): Reading<S> {
  return { ...gauge<S>(...gaugeOf), isLeast: true };
}

/** @param ms null, undefined: there is none. */
function seconds<S>(name: string, help: string, ms: (snapshot: S) => number | null | undefined): Reading<S> {
  const of = (snapshot: S): number | undefined => {
    const value = ms(snapshot);
    return value == null ? undefined : value / 1_000;
  };
  return { name, help, type: 'gauge', unit: 's', of };
}

/** A counter that is a field of the snapshot itself. */
function count<S>(name: string, thing: string, help: string, of: Numbers<S>): Reading<S> {
  return { ...gauge<S>(name, thing, help, of), type: 'counter' };
}

/** @param of its name among the totals of the snapshot. */
function counter<S extends { readonly totals: object }>(
  name: string,
  thing: string,
  help: string,
  of: Numbers<S['totals']>,
): Reading<S> {
  const read = ({ totals }: S): number => (totals as S['totals'])[of] as number;
  return { name, help, type: 'counter', unit: `{${thing}}`, of: read };
}

/** Readings of a part that not all snapshots have. */
function readingsOf<Part extends keyof ObservedSnapshot>(
  part: Part,
  readings: readonly Reading<NonNullable<ObservedSnapshot[Part]>>[],
): Reading<ObservedSnapshot>[] {
  return readings.map(({ of, ...reading }) => ({
    ...reading,
    of: (now) => {
      const read = now[part];
      return read == null ? undefined : of(read);
    },
  }));
}

/** Of SharedWaits alone. */
const LOAD_READINGS: readonly Reading<LoadsSnapshot>[] = [
  gauge('purgatory.loads_under_way', 'load', 'Loads of shared state that have not ended', 'underWay'),
  seconds('purgatory.oldest_load', 'Age of the oldest load', ({ oldest }) => oldest?.ageMs),
  counter('purgatory.loads', 'load', 'Loads of shared state', 'begun'),
  counter('purgatory.keys_loaded', 'key', 'Keys that were loaded, each load counted', 'keys'),
  counter('purgatory.loads_failed', 'load', 'Loads that failed', 'failed'),
  counter('purgatory.loads_in_vain', 'load', 'Loads that ended without an answer for a waiter', 'inVain'),
];

/** Of a Semaphore alone. */
const UNIT_READINGS: readonly Reading<UnitsSnapshot>[] = [
  gauge(
    'purgatory.units',
    'unit',
    'Units of each key, where all have as many',
    ({ each }) => each ?? undefined,
  ),
  gauge('purgatory.units_held', 'unit', 'Units of all keys of a Semaphore that are held', 'held'),
  count('purgatory.permits_given', 'permit', 'Permits that a Semaphore has given', 'given'),
  seconds(
    'purgatory.permit_held_longest',
    'Age of the oldest permit with a label',
    ({ heldLongest }) => heldLongest?.ageMs,
  ),
];

/** Of Queues alone. */
const ITEM_READINGS: readonly Reading<ItemsSnapshot>[] = [
  gauge('purgatory.items', 'item', 'Items that Queues keep, of all keys', 'size'),
  count('purgatory.items_taken', 'item', 'Items taken; one that came back counts again', 'taken'),
  gauge('purgatory.items_leased', 'item', 'Items that are out on lease', 'leased'),
  gauge('purgatory.items_delayed', 'item', 'Items that come later', 'delayed'),
  count('purgatory.items_expired', 'item', 'Items whose deadline came before anybody took them', 'expired'),
  count('purgatory.leases_lapsed', 'lease', 'Leases that ended by their time', 'lapsed'),
  seconds('purgatory.oldest_item', 'Age of the oldest item, at least', ({ oldest }) => oldest?.ageMs),
  seconds('purgatory.leased_longest', 'Age of the oldest lease', ({ leasedLongest }) => leasedLongest?.ageMs),
  gauge('purgatory.item_keys', 'key', 'Keys of Queues that have an item', 'keys'),
  gauge('purgatory.max_items', 'item', 'The most items that Queues keep', ({ max }) => max ?? undefined),
];

const PURGATORY_READINGS: readonly Reading<ObservedSnapshot>[] = [
  gauge('purgatory.parked_operations', 'operation', 'Operations that wait now', 'parked'),
  gauge('purgatory.watches', 'watch', 'Pairs of a parked operation and a key that it watches', 'watched'),
  gauge('purgatory.watched_keys', 'key', 'Keys that a parked operation watches', 'watchedKeys'),
  gauge(
    'purgatory.max_parked',
    'operation',
    'The most that may wait at once',
    (now) => now.maxParked ?? undefined,
  ),
  gauge(
    'purgatory.operations_without_deadline',
    'operation',
    'Operations that wait now, and have no deadline',
    (now) => (now.tracked === undefined ? now.endless.parked : undefined),
  ),
  seconds('purgatory.oldest_operation', 'Age of the oldest with a deadline', (now) => now.oldestMs),
  gauge('purgatory.open_tries', 'try', 'Tries whose promise has not settled', (now) => now.openTries.open),
  seconds('purgatory.oldest_try', 'Age of the oldest open try', (now) => now.openTries.oldest?.openMs),
  gauge('purgatory.pending_keys', 'key', 'Keys whose event has not begun', (now) => now.events.pendingKeys),
  seconds('purgatory.oldest_event', 'Age of the oldest event', (now) => now.events.oldestMs),
  seconds(
    'purgatory.longest_pass',
    'The longest pass of more than a batch',
    (now) => now.events.longestPassMs,
  ),
  counter('purgatory.parked', 'operation', 'Operations that were parked', 'parked'),
  counter('purgatory.completed_early', 'operation', 'Completed before their deadline', 'completed'),
  counter('purgatory.expired', 'operation', 'Parked operations that their deadline completed', 'expired'),
  counter('purgatory.cancelled', 'operation', 'Operations taken out unanswered', 'cancelled'),
  counter(
    'purgatory.rejected',
    'operation',
    'Parked operations that were taken out because their own condition threw, or their load failed',
    'rejected',
  ),
  counter('purgatory.failures', 'failure', 'Throws of user code inside a pass or an expiry', 'failed'),
  gauge('purgatory.kept_values', 'value', 'Keys whose value is kept', (now) => now.keptValues),
  gauge('purgatory.elements_held', 'element', 'Elements of IdleTimeouts that are held', (now) => now.held),
  ...readingsOf('loads', LOAD_READINGS),
  ...readingsOf('units', UNIT_READINGS),
  ...readingsOf('items', ITEM_READINGS),
];

const REFUSED: CountsBy<ObservedSnapshot> = {
  name: 'purgatory.refused',
  help: 'Operations and waits that were refused',
  unit: '{operation}',
  label: 'code',
  of: (now) => now.refused,
};

const TIMER_READINGS: readonly Reading<TimerSnapshot>[] = [
  gauge('purgatory.timer.pending_tasks', 'task', 'Tasks pending, parked operations too', 'pending'),
  gauge(
    'purgatory.timer.queued_buckets',
    'bucket',
    'Buckets in the DelayQueue',
    (now) => now.delayQueue.size,
  ),
  counter('purgatory.timer.tasks_run', 'task', 'Tasks that ran', 'ran'),
  counter('purgatory.timer.tasks_failed', 'task', 'Tasks that threw, but for operations', 'failed'),
  counter('purgatory.timer.tasks_cascaded', 'task', 'Moves of tasks to a finer wheel', 'cascaded'),
  counter('purgatory.timer.slices', 'slice', 'Times that the reaper yielded', 'slices'),
];

const BUS_READINGS: readonly Reading<BusSnapshot>[] = [
  least('purgatory.bus.live', 'bus', '1 while the bus hears other processes, else 0', (now) =>
    now.state === 'live' ? 1 : 0,
  ),
  least('purgatory.bus.peers', 'process', 'Other processes that are heard', 'peers'),
  gauge('purgatory.bus.in_doubt', 'bus', '1 while most others have fallen silent at once, else 0', (now) =>
    now.doubt === null ? 0 : 1,
  ),
  gauge('purgatory.bus.pending_keys', 'key', 'Keys that wait to be sent', 'pendingKeys'),
  gauge('purgatory.bus.subscriptions', 'channel', 'Channels acknowledged', 'subscriptions'),
  gauge(
    'purgatory.bus.acknowledgements_pending',
    'channel',
    'Channels of interest routing that are wanted and not acknowledged yet',
    'acknowledgementsPending',
  ),
  counter('purgatory.bus.published', 'hint', 'Hints that were published', 'published'),
  counter('purgatory.bus.merged', 'hint', 'Published hints for a key that was waiting to be sent', 'merged'),
  counter('purgatory.bus.routed', 'hint', 'Hints sent to where somebody waits', 'routed'),
  counter('purgatory.bus.broadcast', 'hint', 'Hints that were sent to all processes', 'broadcast'),
  counter('purgatory.bus.received', 'hint', 'Hints that came from other processes', 'received'),
  counter('purgatory.bus.for_nobody', 'hint', 'Received hints for a key that nobody watched', 'forNobody'),
  counter('purgatory.bus.overflowed', 'key', 'Keys that became part of a "try everything"', 'overflowed'),
  counter('purgatory.bus.frames_sent', 'frame', 'Frames sent, echoes included', 'framesSent'),
  counter('purgatory.bus.frames_received', 'frame', 'Frames of other processes', 'framesReceived'),
  counter('purgatory.bus.frames_dropped', 'frame', 'Texts of another version, or none', 'framesDropped'),
  counter('purgatory.bus.sweeps', 'sweep', 'Times that a member tried everything', 'sweeps'),
  counter('purgatory.bus.swept', 'operation', 'Operations that sweeps tried', 'swept'),
];

const BUS_GAPS: CountsBy<BusSnapshot> = {
  name: 'purgatory.bus.gaps',
  help: 'Times in which hints may have been missed',
  unit: '{gap}',
  label: 'cause',
  of: (now) => now.totals.gaps,
};

const BUS_GAP_TIME: CountsBy<BusSnapshot> = {
  name: 'purgatory.bus.gap_time',
  help: 'How long gaps lasted',
  unit: 's',
  label: 'cause',
  of: ({ totals: { gapMs } }) =>
    Object.fromEntries(Object.entries(gapMs).map(([cause, ms]) => [cause, ms / 1_000])),
};

export const BUS_ECHO: Durations = {
  name: 'purgatory.bus.echo',
  help: 'How long an echo took from its publication to its arrival',
};

export const TIME_PARKED: Durations = {
  name: 'purgatory.time_parked',
  help: 'How long operations were parked that have left, however they left',
};

export const REAPER_LATENESS: Durations = {
  name: 'purgatory.reaper_lateness',
  help: 'How long after the tick of their deadline tasks ran',
};

/** What is read of each kind of source, by its label. */
export const KINDS: readonly Kind[] = [
  kind('purgatory', PURGATORY_READINGS, [REFUSED]),
  kind('timer', TIMER_READINGS, []),
  kind('bus', BUS_READINGS, [BUS_GAPS, BUS_GAP_TIME]),
];

export interface Kind {
  readonly label: 'purgatory' | 'timer' | 'bus';
  readonly readings: readonly Reading<unknown>[];
  readonly counts: readonly CountsBy<unknown>[];
}

/** The snapshots of a source are of its kind. */
function kind<S>(
  label: Kind['label'],
  readings: readonly Reading<S>[],
  counts: readonly CountsBy<S>[],
): Kind {
  return { label, readings, counts } as Kind;
}
