// What a frame says of one purgatory, bus, timer or operation. All are JSON of bounded size.
//
// Ground rules. Those of frame.ts, whose bounds hold here too: only types. What a snapshot says and
// the page shows as it is has the type of the snapshot, where that file is one for the browser too.
import type { PurgatoryTotals } from '../../purgatory/telemetry/rates.ts';
import type { TimerSnapshot } from '../../timer/telemetry/timer-state.ts';

export interface PurgatoryView {
  readonly name: string;
  readonly parked: number;
  readonly watched: number;
  readonly watchedKeys: number;
  readonly maxParked: number | null;
  readonly totals: EndTotals;
  /** How many operations it refused since it was made, by the code of the error. */
  readonly refused: Readonly<Record<string, number>>;
  readonly events: ServedEvents;
  /** The last error of user code that went to `onError`. Null: none was heard of. */
  readonly lastError: LastError | null;
  readonly hottestKeys: readonly { readonly key: string; readonly watchers: number }[];
  readonly oldest: readonly OldOperation[];
}

/** The events of `notify` that are being served. */
export interface ServedEvents {
  /** Keys whose event has not begun. */
  readonly pendingKeys: number;
  readonly passesUnderWay: number;
  /** How long the oldest of both has been waiting or under way. */
  readonly oldestMs: number;
  /** The one that has been under way longest. Null: none is. */
  readonly oldestPass: PassUnderWay | null;
  /** The longest so far. */
  readonly longestPassMs: number;
  /** What a try takes with its answer, on the average. Null: none was timed. */
  readonly tryMs: number | null;
}

/** An event that goes on in later turns. */
export interface PassUnderWay {
  readonly key: string;
  /** How many watched the key when it began. */
  readonly watchers: number;
  readonly tried: number;
  readonly ageMs: number;
}

/** How operations ended, counted since the purgatory was made. */
export type EndTotals = Readonly<Omit<PurgatoryTotals, 'parked' | 'rejected'>>;

export interface LastError {
  readonly message: string;
  /** What threw, as {@link OldOperation.type}. A load of SharedWaits in words. */
  readonly operation: string;
  readonly agoMs: number;
}

export interface OldOperation {
  /** The id to ask for it again. Null where the purgatory does not show its operations. */
  readonly id: number | null;
  /** Its label if it has one, else its class. */
  readonly type: string;
  readonly keys: readonly string[];
  /** The number of further keys, as far as they were counted. */
  readonly more: number;
  readonly ageMs: number;
  /** Time until its deadline. Negative when that is past. Null: it has no deadline. */
  readonly leftMs: number | null;
}

/** A bus between processes. */
export interface BusView {
  /** As it was given. Without one, the name of the purgatory that led to it, or else null. */
  readonly name: string | null;
  readonly engine: string;
  readonly prefix: string;
  readonly state: 'connecting' | 'live' | 'gap' | 'closed';
  /** How long it has been in this state. */
  readonly forMs: number;
  /** The number of other processes that have sent something. */
  readonly peers: number;
  readonly pendingKeys: number;
  /** The last echo. Null: none has come back yet. */
  readonly echoMs: number | null;
  readonly lastGap: {
    readonly cause: string;
    readonly beganAgoMs: number;
    /** Null while it lasts. */
    readonly tookMs: number | null;
  } | null;
  /** The last error, of connecting too. */
  readonly lastError: Omit<LastError, 'operation'> | null;
  /** The last time that all waits were tried. */
  readonly lastSweep: {
    readonly beganAgoMs: number;
    readonly tried: number;
    readonly tookMs: number | null;
  } | null;
  readonly totals: {
    readonly published: number;
    readonly received: number;
    readonly gaps: number;
  };
  /** Null for a bus that broadcasts. */
  readonly interest: {
    readonly routed: number;
    readonly broadcast: number;
    /** Received hints for keys that nobody watched. */
    readonly forNobody: number;
    readonly subscriptions: number;
    readonly acknowledgementsPending: number;
  } | null;
}

export interface TimerView
  extends Readonly<Pick<TimerSnapshot, 'tickMs' | 'wheelSize' | 'nowMs' | 'pending' | 'totals'>> {
  readonly name: string;
  /** The purgatories that use this timer, as far as they show it. */
  readonly of: readonly string[];
  /** The finest first. */
  readonly rings: readonly Ring[];
  /** The number of tasks in wheels too coarse to be drawn, as far as they were counted. */
  readonly beyond: number;
  readonly head: QueueHead | null;
  readonly lateness: TimerSnapshot['lateness']['histogram'];
  /** Since the frame before. */
  readonly cascades: readonly Cascade[];
  /** The last cascade since somebody began to watch. */
  readonly lastCascade: (Cascade & { readonly agoMs: number }) | null;
}

export interface Ring {
  /** What one bucket spans, in ms. */
  readonly tickMs: number;
  readonly buckets: number;
  /** The bucket of the present tick. */
  readonly position: number;
  /** Tasks per sector. */
  readonly sectors: readonly number[];
  /** There are more tasks than were counted. To count them all would take too long. */
  readonly isMore: boolean;
}

/** A bucket of a ring, with its tasks. */
export interface Bucket {
  readonly ring: number;
  readonly bucket: number;
  readonly tasks: number;
}

/** The bucket that expires first. */
export interface QueueHead extends Bucket {
  /** From now until it expires. */
  readonly inMs: number;
}

/** One expired overflow bucket whose tasks were re-added to finer wheels. */
export type Cascade = Bucket;

/** The life of one operation. */
export interface Timeline {
  readonly id: number;
  readonly purgatory: string;
  readonly type: string;
  readonly keys: readonly string[];
  /** The number of further keys. */
  readonly more: number;
  /** Time since it was parked: until its end, or until now while it waits. */
  readonly ageMs: number;
  /** The first event is its parking. Once it has ended, the last event is its end. */
  readonly events: readonly TimelineEvent[];
  /** The number of tries that are not in `events`, because it was full. */
  readonly untold: number;
}

export interface TimelineEvent {
  /** Since it was parked. */
  readonly afterMs: number;
  readonly what: 'parked' | 'tried' | 'completed' | 'expired' | 'cancelled';
  /** For a try: the key of the event that caused it. Undefined for the try right after parking. */
  readonly key?: string;
}
