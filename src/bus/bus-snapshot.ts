// What a bus tells of itself at one moment: plain JSON of bounded size.
import type { DurationSnapshot } from '../duration-histogram.ts';
import type { BusState, GapCause } from './bus-state.ts';

/** A {@link Bus} at one moment. Times are in ms by its clock. */
export interface BusSnapshot {
  /** 'redis', 'nats', ... */
  engine: string;
  prefix: string;
  /** Which bus it is among those that hear each other. */
  origin: string;
  state: BusState;
  /** When this was made: what the other times are to be compared with. */
  nowMs: number;
  /** Since when it is in this state. */
  sinceMs: number;
  /** The names of its members in this process: the first 100. */
  members: string[];
  /** Other buses that were heard of since this one became live. */
  peers: number;
  /** Keys that wait to be sent. */
  pendingKeys: number;
  /** From the publication of an echo to its arrival. */
  echo: DurationSnapshot;
  /** The gap that is open, or else the last one; null when there was none. */
  lastGap: GapSnapshot | null;
  /** The last time that everything was tried; null when there was none. */
  lastSweep: SweepSnapshot | null;
  totals: BusTotals;
}

/** A time in which hints may have been missed. */
export interface GapSnapshot {
  cause: GapCause;
  beganMs: number;
  /** Null while it lasts. */
  endedMs: number | null;
  /** What the engine or its client said, cut; null for nothing. */
  error: string | null;
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
  /** Of these, hints for a key that was waiting to be sent already. */
  merged: number;
  /** Keys that became part of a "try everything", sent or received. */
  overflowed: number;
  /** Hints that came from other processes, for members of this one. */
  received: number;
  /** Of these, hints for a key that nobody watched. */
  forNobody: number;
  /** Echoes included. */
  framesSent: number;
  /** Frames of other processes. */
  framesReceived: number;
  /** Frames that were repeated or late, or of another version, or no frames at all: dropped. */
  framesDropped: number;
  /** How often everything was tried, by all members together. */
  sweeps: number;
  /** Waits that sweeps tried. */
  swept: number;
  gaps: Record<GapCause, number>;
  /** How long the gaps lasted, in ms. */
  gapMs: Record<GapCause, number>;
}
