// What the server sends to the page: a frame four times a second, the history when the page opens,
// the answer to a search, and an operation that the reader asks for. All are JSON of bounded size,
// whatever is parked.
//
// Ground rules. Only types and their bounds, and no code but constants: the server and the page
// import this file. What snapshots say is sent as it is, and has the type of the snapshot. A frame
// is the present; whatever looks back does so by seconds. All times are in ms: `...AtMs` and
// `nowMs` by the clock of their timer or feed, `wallMs` since 1970.
import type { BusSnapshot } from '../../bus/telemetry/bus-snapshot.ts';
import type { PurgatoryTotals } from '../../purgatory/telemetry/purgatory-meter.ts';
import type {
  HotKey,
  OldOperation,
  PassSnapshot,
  SlowTrySnapshot,
} from '../../purgatory/telemetry/purgatory-snapshot.ts';
import type { TimerSnapshot } from '../../timer/timer-snapshot.ts';
import type { ItemsSnapshot } from '../../waits/queues/items-snapshot.ts';
import type { HeldPermit } from '../../waits/semaphore/semaphore.ts';
import type { LoadSnapshot } from '../../waits/shared/load-meter.ts';
import type { ObservedSnapshot } from '../sources.ts';

/** Rows of the tables of hottest keys and oldest parked operations. */
export const TOP = 8;
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
/** A second notes of a purgatory what lasts so long, in ms, or is so many; no less. */
export const NOTED = {
  passMs: 100,
  overdueMs: 1000,
  heavyKeyMs: 1000,
  loadMs: 5000,
  tryMs: 5000,
  heldMs: 60_000,
  waitedMs: 3000,
  waits: 4,
  watchers: 20,
} as const;

/** How an operation leaves. */
export const ENDS = ['completed', 'expired', 'cancelled', 'rejected'] as const;

export interface Frame {
  /** Unique to this run of the inspector. A page that sees another one starts afresh. */
  readonly run: string;
  readonly wallMs: number;
  /** The latest. Null: the first is not over yet. */
  readonly second: Second | null;
  readonly purgatories: readonly PurgatoryView[];
  readonly timers: readonly TimerView[];
  readonly buses: readonly BusView[];
}

export interface PurgatoryView extends Omit<ObservedSnapshot, 'oldest'> {
  readonly oldest: readonly ShownOperation[];
}

/** An error of user code, as `onError` or the caller of a wait got it: a new object each time. */
export interface LastError {
  readonly message: string;
  /** The operation by its label or class, or a load of SharedWaits in words. */
  readonly operation: string;
  /** The key of the event, or a key of the operation. Null: it is not known. */
  readonly key: string | null;
}

/** A parked operation. */
export interface ShownOperation extends OldOperation {
  /** The id to ask for it again. Null where the purgatory does not show its operations. */
  readonly id: number | null;
  readonly purgatory: string;
  /** Time until its deadline. Negative when that is past. Null: it has no deadline. */
  readonly leftMs: number | null;
}

export interface BusView extends BusSnapshot {
  /** As it was given. Without one, the name of the purgatory that led to it, or else null. */
  readonly name: string | null;
}

export interface TimerView extends TimerSnapshot {
  readonly name: string;
  /** The purgatories that use this timer, as far as they show it. */
  readonly of: readonly string[];
}

export type End = (typeof ENDS)[number];

/** What the server keeps of the last ten minutes. */
export interface History {
  readonly run: string;
  /** The oldest first. */
  readonly seconds: readonly Second[];
}

/** How the main thread spent a span of time. What is left of the span, it slept or was stopped. */
export interface Spent {
  readonly overMs: number;
  readonly ranMs: number;
  /** Ready to run, without a CPU. Null where the system does not say. */
  readonly waitedMs: number | null;
}

/** All counts are those since the second before, which a blocked event loop makes longer. */
export interface Second extends Spent {
  /** Counted from 1. A missing number is a second that was not received. */
  readonly number: number;
  readonly wallMs: number;
  /** The longest time that the event loop was blocked. */
  readonly blocked: Spent;
  /** By name. */
  readonly purgatories: Readonly<Record<string, SecondOfPurgatory>>;
  readonly timers: Readonly<Record<string, SecondOfTimer>>;
  /** Buses that hear nothing of others now. Left out: none. */
  readonly cutOff?: readonly string[];
  /** Buses whose engine may be split. Left out: none. */
  readonly inDoubt?: readonly string[];
}

/** Counts that are 0 are left out. */
export interface SecondOfPurgatory extends Partial<PurgatoryTotals> {
  /** At the end of the second. */
  readonly parked: number;
  /** How many were refused, by the code of the error. */
  readonly refused?: Readonly<Record<string, number>>;
  /** The event that had been under way longest. */
  readonly pass?: PassSnapshot & { readonly tryMs: number | null };
  /** The last error, if there was one. */
  readonly error?: LastError;
  /** How long ago the deadline was of an operation that is still parked. */
  readonly overdueMs?: number;
  /** The key with the most watchers, and what an event on it would take by what a try has taken. */
  readonly hottest?: HotKey & { readonly eventMs: number };
  /** How many are parked without a deadline, and one of them, if it is among the oldest of all. */
  readonly endless?: number;
  readonly endlessOne?: string;
  /** The try that has been open longest, of how many. */
  readonly openTry?: { readonly wait: string; readonly openMs: number; readonly open: number };
  /** Units that are waited for: the key of the wait that has been parked longest, of how many. */
  readonly held?: WaitedFor;
  /** Of Queues: what is kept; how many were taken, have expired, and came back as a lease ended. */
  readonly items?: Kept;
  readonly taken?: number;
  readonly itemsExpired?: number;
  readonly lapsed?: number;
  /** An event whose tries were slow, in this second. */
  readonly slowTry?: SlowTrySnapshot;
  readonly loadsFailed?: number;
  /** The load that has been under way longest, and how many keys wait for one. */
  readonly load?: LoadSnapshot & { readonly keysDue: number };
}

/** A key whose units others hold. */
export interface WaitedFor {
  readonly key: string;
  readonly waiting: number;
  /** Of the wait that has been parked longest. */
  readonly waitedMs: number;
  /** The permit that has been held longest of those of the key that have a label. */
  readonly holder?: HeldPermit;
}

/** The items of Queues at the end of a second. */
export type Kept = Pick<ItemsSnapshot, 'size' | 'max' | 'delayed' | 'oldest' | 'leased' | 'leasedLongest'>;

export interface SecondOfTimer {
  /** How many tasks ran. */
  readonly ran: number;
  /** The bound of the lateness of 99 % of them. Null past the last bin. */
  readonly latenessMs: number | null;
}

/** The result of a search. */
export interface Found {
  readonly text: string;
  /** When the ages of its operations were read. */
  readonly wallMs: number;
  /**
   * At most MAX_FOUND: first those that are exactly the text, `exact` of them, then others that
   * contain it, none without a search.
   */
  readonly keys: readonly FoundKey[];
  readonly exact: number;
  /** False: the search ended early. There were too many keys, or a later search began. */
  readonly isWhole: boolean;
  /** The operations that wait on the first key, the oldest first, at most MAX_FOUND. */
  readonly operations: readonly ShownOperation[];
}

export interface FoundKey {
  readonly purgatory: string;
  readonly key: string;
  readonly watchers: number;
}

/**
 * One operation as the reader asked for it, with its keys and the number of further ones. Null: it
 * is not parked any more.
 */
export type AskedOperation =
  | (ShownOperation & {
      readonly wallMs: number;
      readonly watches: readonly FoundKey[];
      readonly more: number;
    })
  | null;
