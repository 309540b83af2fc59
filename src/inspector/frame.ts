// What the server tells the page, four times a second: one JSON object of bounded size, whatever is parked.
//
// Ground rules. Types and their bounds only, no code but constants: both sides import this file, the server for Node and the page for the
// browser. All times are in ms: `...AtMs` and `nowMs` by the clock of the timer or feed that they belong to, `ageMs` counted back from now.

/** Buckets of one ring as drawn: a wheel of more is drawn in this many sectors, each the sum of its buckets. */
export const MAX_SECTORS = 64;
/** Rings as drawn; what is in coarser wheels is told in one sum. */
export const MAX_RINGS = 6;
/** Rows of the tables of hottest keys and oldest parked operations. */
export const TOP = 8;
/** Watch keys told per operation, and characters told per key. */
export const MAX_KEYS = 4;
export const MAX_KEY_LENGTH = 80;
/** Cascades told per frame; operations followed at a time, ended ones included; events told of one operation. */
export const MAX_CASCADES = 16;
export const MAX_TIMELINES = 8;
export const MAX_EVENTS = 16;

export interface Frame {
  /** Told apart from every other run of an inspector: a page that sees another starts afresh. */
  readonly run: string;
  /** When the frame was made, in ms since the feed's process started. */
  readonly atMs: number;
  /** The longest time that the event loop was blocked since the frame before. */
  readonly blockedMs: number;
  readonly purgatories: readonly PurgatoryView[];
  readonly timers: readonly TimerView[];
  readonly timelines: readonly Timeline[];
}

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
  readonly type: string;
  readonly keys: readonly string[];
  readonly ageMs: number;
  /** Until its deadline; negative when that is past; null: it has none. */
  readonly leftMs: number | null;
}

export interface TimerView {
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
  readonly cascades: readonly Cascade[];
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
