// What the server sends to the page: a frame four times a second, the history when the page opens,
// the answer to a search, and an operation that the reader asks for. All are JSON of bounded size,
// whatever is parked.
//
// Ground rules. Only types and their bounds, and no code but constants. Both sides import this
// file, the server for Node and the page for the browser. All times are in ms: `...AtMs` and
// `nowMs` by the clock of their timer or feed, `ageMs` counted back from now, `wallMs` since 1970.

/**
 * The most sectors of a drawn ring. A wheel with more buckets is drawn with this many sectors, and
 * each sector is the sum of its buckets.
 */
export const MAX_SECTORS = 64;
/** The most rings that are drawn. The tasks of coarser wheels are given as one sum. */
export const MAX_RINGS = 6;
/** Rows of the tables of hottest keys and oldest parked operations. */
export const TOP = 8;
/** Watch keys shown for an operation, and characters shown of a key. */
export const MAX_KEYS = 4;
export const MAX_KEY_LENGTH = 80;
/** Characters shown of the name of a purgatory. */
export const MAX_NAME_LENGTH = 60;
/**
 * The most keys that a search finds, the most operations of one key, and the most keys of an
 * operation that is asked for.
 */
export const MAX_FOUND = 12;
/**
 * The time between two seconds of the history, the number of seconds that it keeps, and the number
 * of purgatories and timers.
 */
export const SECOND_MS = 1000;
export const MAX_SECONDS = 600;
export const MAX_RECORDED = 32;
/** The history does not name an event that has been under way for less. */
export const LONG_PASS_MS = 100;
/**
 * The most cascades of a frame, the most operations that are followed at a time (ended ones
 * included), and the most events of one operation.
 */
export const MAX_CASCADES = 16;
export const MAX_TIMELINES = 8;
export const MAX_EVENTS = 16;

export interface Frame {
  /** Unique to this run of the inspector. A page that sees another one starts afresh. */
  readonly run: string;
  /** When the frame was made, in ms since the feed's process started. */
  readonly atMs: number;
  readonly wallMs: number;
  /** Since the frame before. */
  readonly host: HostTime;
  /** The latest second of the history. Null: there is none. */
  readonly second: Second | null;
  readonly purgatories: readonly PurgatoryView[];
  readonly timers: readonly TimerView[];
  readonly buses: readonly BusView[];
  readonly timelines: readonly Timeline[];
}

/** How the process spent a span of time. */
export interface HostTime {
  /** The longest time that the event loop was blocked. */
  readonly blockedMs: number;
  /** CPU time of the process. */
  readonly cpuMs: number;
  /**
   * How long its main thread was ready to run and got no CPU. Null where the system does not say.
   */
  readonly waitedMs: number | null;
  /** Of the machine: threads that want to run, for each CPU, over the last minute. */
  readonly load: number;
}

/** What the server keeps of each second of the last ten minutes. */
export interface History {
  readonly run: string;
  /** The oldest first. */
  readonly seconds: readonly Second[];
}

export interface Second {
  /** Counted from 1. A missing number is a second that was not received. */
  readonly number: number;
  readonly wallMs: number;
  /** Since the second before, which a blocked event loop makes longer. */
  readonly overMs: number;
  readonly host: HostTime;
  /** By name. The ends are counted since the second before. */
  readonly purgatories: Readonly<Record<string, SecondOfPurgatory>>;
  readonly timers: Readonly<Record<string, SecondOfTimer>>;
}

export type SecondOfPurgatory = readonly [
  parked: number,
  completed: number,
  expired: number,
  cancelled: number,
  failed: number,
  /** Left out where there is nothing of it. */
  rare?: RareInSecond,
];

export interface RareInSecond {
  /** How many were refused, by the code of the error. */
  readonly refused?: Readonly<Record<string, number>>;
  /** The event that had been under way longest, from {@link LONG_PASS_MS} on, of how many. */
  readonly pass?: PassUnderWay & { readonly passes: number };
}

/**
 * How many tasks ran since the second before, and the bound of the lateness of 99 % of them. Null
 * past the last bin.
 */
export type SecondOfTimer = readonly [ran: number, latenessMs: number | null];

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
export interface EndTotals {
  readonly completed: number;
  readonly expired: number;
  readonly cancelled: number;
  readonly failed: number;
}

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

/** The result of a search. */
export interface Found {
  readonly text: string;
  /** Whether the first of `keys` is exactly the text. */
  readonly isExact: boolean;
  /** At most MAX_FOUND. Without a search, only keys that are exactly the text. */
  readonly keys: readonly FoundKey[];
  /** False: the search ended early. There were too many keys, or a later search began. */
  readonly isWhole: boolean;
  /** The operations that wait on the first key, the oldest first, at most MAX_FOUND. */
  readonly operations: readonly FoundOperation[];
}

export interface FoundKey {
  readonly purgatory: string;
  readonly key: string;
  readonly watchers: number;
}

export interface FoundOperation extends OldOperation {
  readonly purgatory: string;
}

/** One operation with its keys, as the reader asked for it. Null: it is not parked any more. */
export type AskedOperation = (FoundOperation & { readonly watches: readonly FoundKey[] }) | null;

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
  readonly lastError: { readonly message: string; readonly agoMs: number } | null;
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

export interface TimerView {
  readonly name: string;
  /** The purgatories that use this timer, as far as they show it. */
  readonly of: readonly string[];
  readonly tickMs: number;
  readonly wheelSize: number;
  readonly nowMs: number;
  readonly pending: number;
  /** The finest first. */
  readonly rings: readonly Ring[];
  /** The number of tasks in wheels too coarse to be drawn, as far as they were counted. */
  readonly beyond: number;
  readonly head: QueueHead | null;
  readonly lateness: {
    /** Upper bounds of the bins, in ms. `counts` has one more entry, for all later ones. */
    readonly leMs: readonly number[];
    readonly counts: readonly number[];
  };
  readonly totals: {
    readonly ran: number;
    readonly failed: number;
    readonly cascaded: number;
    readonly slices: number;
  };
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

/** The bucket that expires first. */
export interface QueueHead {
  readonly ring: number;
  readonly bucket: number;
  readonly tasks: number;
  /** From now until it expires. */
  readonly inMs: number;
}

/** One expired overflow bucket whose tasks were re-added to finer wheels. */
export interface Cascade {
  readonly ring: number;
  readonly bucket: number;
  readonly tasks: number;
}

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
