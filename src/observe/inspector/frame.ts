// What the server sends to the page: a frame four times a second, the history when the page opens,
// the answer to a search, and an operation that the reader asks for. All are JSON of bounded size,
// whatever is parked.
//
// Ground rules. Only types and their bounds, and no code but constants. Both sides import this
// file, the server for Node and the page for the browser. view-types.ts is what a frame consists of.
// All times are in ms: `...AtMs` and `nowMs` by the clock of their timer or feed, `ageMs` counted
// back from now, `wallMs` since 1970.
import type {
  BusView,
  OldOperation,
  PassUnderWay,
  PurgatoryView,
  Timeline,
  TimerView,
} from './view-types.ts';

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
