// The state of a bus at one moment: plain JSON of bounded size.
import type { DurationSnapshot } from '../../base/duration-histogram.ts';
import type { Routing } from '../membership/bus-member.ts';

/**
 * Where a bus is. `connecting`: not live yet. `live`: its own echo has come back over the engine.
 * `gap`: it may miss hints, and it keeps the hints that it is to publish. `closed`: for good.
 */
export type BusState = 'connecting' | 'live' | 'gap' | 'closed';

/**
 * Why a bus may have missed hints. `connection`: it failed or broke, or did not confirm in time.
 * `echo`: an echo did not come back in time, so the engine stands still, or a connection is half
 * open. `publish`: the engine refused a frame. `sequence`: a frame of another process is missing.
 */
export type GapCause = 'connection' | 'echo' | 'publish' | 'sequence';

/** A {@link Bus} at one moment. Times are in ms by its clock. */
export interface BusSnapshot {
  /** 'redis', 'nats', ... */
  engine: string;
  prefix: string;
  /** The id of this bus among those that get each other's hints. */
  origin: string;
  state: BusState;
  /** When this was made. Compare the other times with it. */
  nowMs: number;
  /** When it entered this state. */
  sinceMs: number;
  /** The names of its members in this process: the first 100. */
  members: string[];
  /** Other buses that were heard during the last three echoes of this one. 0: it is not live. */
  peers: number;
  /** Null while there is none: most of them have fallen silent at once. */
  doubt: DoubtSnapshot | null;
  routing: Routing;
  /** Channels of interest routing that the engine has acknowledged. */
  subscriptions: number;
  /** Channels of interest routing that are wanted, and not acknowledged yet. */
  acknowledgementsPending: number;
  /** Keys that wait to be sent; a "try everything" of a name counts as one. */
  pendingKeys: number;
  /** From the publication of an echo to its arrival. */
  echo: DurationSnapshot;
  /** The gap that is open, else the last one. Null when there was none. */
  lastGap: GapSnapshot | null;
  /**
   * The last error of the engine, its client or another process, while the bus was connecting too.
   * Null when there was none.
   */
  lastError: ErrorSnapshot | null;
  /** The last sweep. Null when there was none. */
  lastSweep: SweepSnapshot | null;
  totals: BusTotals;
}

/**
 * The engine may be split, though the bus is `live`: most of the other processes have fallen silent
 * within one echo, and said no goodbye. It ends when one of them is heard, or after 100 echoes.
 */
export interface DoubtSnapshot {
  beganMs: number;
  /** Buses that have fallen silent. */
  silent: number;
  /** Buses that are still heard. */
  heard: number;
}

/** A time in which hints may have been missed. */
export interface GapSnapshot {
  cause: GapCause;
  beganMs: number;
  /** Null while it lasts. */
  endedMs: number | null;
  /** The error of the engine or its client, shortened. Null if there was none. */
  error: string | null;
}

/** What went wrong last. */
export interface ErrorSnapshot {
  /** What the engine or its client said, cut. */
  message: string;
  atMs: number;
}

/** A sweep over all members: everything parked was tried once. */
export interface SweepSnapshot {
  beganMs: number;
  /** Null while it lasts. */
  endedMs: number | null;
  /** Waits that were tried so far. */
  tried: number;
}

/** Counted since the bus was made. */
export interface BusTotals {
  /** Hints that members published. */
  published: number;
  /** Of these, hints for a key that was already waiting to be sent. */
  merged: number;
  /** Hints that were sent to the processes where somebody waits. */
  routed: number;
  /** Hints that were sent to all processes. */
  broadcast: number;
  /** Keys that became part of a "try everything", sent or received. */
  overflowed: number;
  /** Hints from other processes. */
  received: number;
  /** Of these, hints for a key without watchers, or for a name that has no member here. */
  forNobody: number;
  /** Echoes included. */
  framesSent: number;
  /** Frames of other processes. */
  framesReceived: number;
  /** Texts that were dropped: frames of another version, or no frames at all. */
  framesDropped: number;
  /** How often members tried everything, all members together. */
  sweeps: number;
  /** Waits that sweeps tried. */
  swept: number;
  gaps: Record<GapCause, number>;
  /** How long the gaps lasted, in ms. */
  gapMs: Record<GapCause, number>;
}
