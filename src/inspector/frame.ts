// What the server tells the page: a frame four times a second, the history when the page opens, an answer to a search. All are JSON
// of bounded size, whatever is parked.
//
// Ground rules. Types and their bounds only, no code but constants: both sides import this file, the server for Node and the page for the
// browser. All times are in ms: `...AtMs` and `nowMs` by the clock of the timer or feed that they belong to, `ageMs` counted back from now,
// `wallMs` since 1970.

/** Buckets of one ring as drawn: a wheel of more is drawn in this many sectors, each the sum of its buckets. */
export const MAX_SECTORS = 64;
/** Rings as drawn; what is in coarser wheels is told in one sum. */
export const MAX_RINGS = 6;
/** Rows of the tables of hottest keys and oldest parked operations. */
export const TOP = 8;
/** Watch keys told per operation, and characters told per key. */
export const MAX_KEYS = 4;
export const MAX_KEY_LENGTH = 80;
/** Characters told of the name of a purgatory. */
export const MAX_NAME_LENGTH = 60;
/** Keys, and operations of one key, told for a search; keys told of an operation that is asked for. */
export const MAX_FOUND = 12;
/** Between two seconds of the history, how many it keeps, and of how many purgatories and timers. */
export const SECOND_MS = 1000;
export const MAX_SECONDS = 600;
export const MAX_RECORDED = 32;
/** Cascades told per frame; operations followed at a time, ended ones included; events told of one operation. */
export const MAX_CASCADES = 16;
export const MAX_TIMELINES = 8;
export const MAX_EVENTS = 16;

export interface Frame {
  /** Told apart from every other run of an inspector: a page that sees another starts afresh. */
  readonly run: string;
  /** When the frame was made, in ms since the feed's process started. */
  readonly atMs: number;
  readonly wallMs: number;
  /** Since the frame before. */
  readonly host: HostTime;
  /** The latest second of the history; null: there is none. */
  readonly second: Second | null;
  readonly purgatories: readonly PurgatoryView[];
  readonly timers: readonly TimerView[];
  readonly buses: readonly BusView[];
  readonly timelines: readonly Timeline[];
}

/** How a span of time went for the process. */
export interface HostTime {
  /** The longest time that the event loop was blocked. */
  readonly blockedMs: number;
  /** What the process used of the CPUs. */
  readonly cpuMs: number;
  /** How long its main thread was ready to run and got no CPU; null where the system does not tell. */
  readonly waitedMs: number | null;
  /** Of the machine: threads that want to run, per CPU, over the last minute. */
  readonly load: number;
}

/** What the server keeps of each second of the last ten minutes. */
export interface History {
  readonly run: string;
  /** The oldest first. */
  readonly seconds: readonly Second[];
}

export interface Second {
  /** Counted from 1 on: what is missing in between, nobody told. */
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
];

/** How many tasks ran since the second before, and the bound that 99 of 100 of them kept to: null past the last bin. */
export type SecondOfTimer = readonly [ran: number, latenessMs: number | null];

export interface PurgatoryView {
  readonly name: string;
  readonly parked: number;
  readonly watched: number;
  readonly watchedKeys: number;
  readonly maxParked: number | null;
  readonly totals: EndTotals;
  readonly hottestKeys: readonly { readonly key: string; readonly watchers: number }[];
  readonly oldest: readonly OldOperation[];
}

/** How operations left, counted since the purgatory was made. */
export interface EndTotals {
  readonly completed: number;
  readonly expired: number;
  readonly cancelled: number;
  readonly failed: number;
}

export interface OldOperation {
  /** To ask for it again; null where the purgatory does not give its operations away. */
  readonly id: number | null;
  /** Its label if it has one, and else its class. */
  readonly type: string;
  readonly keys: readonly string[];
  /** Keys that are not told, as far as they were counted. */
  readonly more: number;
  readonly ageMs: number;
  /** Until its deadline; negative when that is past; null: it has none. */
  readonly leftMs: number | null;
}

/** What is found for a text that the reader looks for. */
export interface Found {
  readonly text: string;
  /** Whether the first of `keys` is spelled as the text. */
  readonly isExact: boolean;
  /** At most MAX_FOUND; without a search, those that are spelled so. */
  readonly keys: readonly FoundKey[];
  /** False: there are too many keys to look at all of them. */
  readonly isWhole: boolean;
  /** Who waits on the first key, the oldest first, at most MAX_FOUND. */
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

/** One operation with its keys, when the reader asks for it; null: it is not parked any more. */
export type AskedOperation = (FoundOperation & { readonly watches: readonly FoundKey[] }) | null;

/** A bus between processes. */
export interface BusView {
  readonly engine: string;
  readonly prefix: string;
  readonly state: 'connecting' | 'live' | 'gap' | 'closed';
  /** How long it has been in this state. */
  readonly forMs: number;
  /** Other processes that were heard of. */
  readonly peers: number;
  readonly pendingKeys: number;
  /** The last echo; null: none has come back yet. */
  readonly echoMs: number | null;
  readonly lastGap: {
    readonly cause: string;
    readonly error: string | null;
    readonly beganAgoMs: number;
    /** Null while it lasts. */
    readonly tookMs: number | null;
  } | null;
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
}

export interface TimerView {
  readonly name: string;
  /** The purgatories that it is the timer of, as far as they tell. */
  readonly of: readonly string[];
  readonly tickMs: number;
  readonly wheelSize: number;
  readonly nowMs: number;
  readonly pending: number;
  /** The finest first. */
  readonly rings: readonly Ring[];
  /** Tasks in wheels too coarse to be drawn, as far as they were counted. */
  readonly beyond: number;
  readonly head: QueueHead | null;
  readonly lateness: {
    /** Upper bounds of the bins, in ms; counts has one more entry, for all that is later. */
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
  /** The last one since somebody watches. */
  readonly lastCascade: (Cascade & { readonly agoMs: number }) | null;
}

export interface Ring {
  /** What one bucket spans, in ms. */
  readonly tickMs: number;
  readonly buckets: number;
  /** The bucket that the wheels stand at. */
  readonly position: number;
  /** Tasks per sector. */
  readonly sectors: readonly number[];
  /** There are more tasks than were counted: so many that counting them all would take too long. */
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
  /** Keys that are not told. */
  readonly more: number;
  /** Since it was parked: until its end, or until now while it waits. */
  readonly ageMs: number;
  /** The first is its parking; the last, once it has ended, its end. */
  readonly events: readonly TimelineEvent[];
  /** Tries that found no place in `events`. */
  readonly untold: number;
}

export interface TimelineEvent {
  /** Since it was parked. */
  readonly afterMs: number;
  readonly what: 'parked' | 'tried' | 'completed' | 'expired' | 'cancelled';
  /** Of a try: the key of the event; without, it was the try right after parking. */
  readonly key?: string;
}
