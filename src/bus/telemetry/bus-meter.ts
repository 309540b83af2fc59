// The counters and the events of one bus. The only file of a bus that counts and that publishes
// events.
//
// Ground rules. The bus calls the meter. The meter calls only subscribers, and decides nothing. As
// with the events of timers, an event without subscribers costs a load and a branch. Subscribers
// only observe, and are quick.
import { channel } from 'node:diagnostics_channel';
import { debug, debugOnce } from '../../base/debug.ts';
import { DurationHistogram } from '../../base/duration-histogram.ts';
import { cut } from '../../base/text.ts';
import type { Bus } from '../bus-options.ts';
import type { BusMember } from '../membership/bus-member.ts';
import type {
  BusState,
  BusTotals,
  ErrorSnapshot,
  GapCause,
  GapSnapshot,
  SweepSnapshot,
} from './bus-snapshot.ts';

/** `purgatory:bus:state`: the bus has become live, has fallen into a gap, or was closed. */
export interface BusStateChanged {
  readonly bus: Bus;
  readonly state: BusState;
  /** Why a gap began; undefined otherwise. */
  readonly cause: GapCause | undefined;
  /** The error of the engine or its client, if any. */
  readonly error: unknown;
}

/** `purgatory:bus:echo`: an echo has come back. */
export interface BusEcho {
  readonly bus: Bus;
  /** From its publication to its arrival. */
  readonly ms: number;
}

/**
 * `purgatory:bus:swept`: a member has tried everything that was parked, because the bus became live
 * or too much had changed.
 */
export interface BusSwept {
  readonly bus: Bus;
  /** The member's name. */
  readonly member: string;
  /** The number of waits that were tried. */
  readonly tried: number;
  readonly ms: number;
}

/**
 * `purgatory:bus:overflow`: more keys were pending than are kept. They became one "try everything".
 */
export interface BusOverflow {
  readonly bus: Bus;
  /** `out`: keys to be sent. `in`: keys to be tried. */
  readonly direction: 'out' | 'in';
  readonly keys: number;
}

const busState = channel('purgatory:bus:state');
const busEcho = channel('purgatory:bus:echo');
const busSwept = channel('purgatory:bus:swept');
const busOverflow = channel('purgatory:bus:overflow');

/** Up to 8 s. An echo that takes longer than its timeout is not counted. */
const ECHO_BOUNDS = 14;
const MAX_TEXT = 200;

type Counts = Omit<BusTotals, 'gaps' | 'gapMs'>;

export class BusMeter {
  readonly echo: DurationHistogram = new DurationHistogram(ECHO_BOUNDS);
  readonly counts: Counts = {
    published: 0,
    merged: 0,
    routed: 0,
    broadcast: 0,
    overflowed: 0,
    received: 0,
    forNobody: 0,
    framesSent: 0,
    framesReceived: 0,
    framesDropped: 0,
    sweeps: 0,
    swept: 0,
  };
  sinceMs: number;
  lastGap: GapSnapshot | null = null;
  lastError: ErrorSnapshot | null = null;
  lastSweep: SweepSnapshot | null = null;
  readonly #bus: Bus;
  readonly #engine: string;
  /** For each sweep that is under way: when it began. */
  readonly #sweeping = new Map<BusMember, number>();
  readonly #gaps = perCause();
  readonly #gapMs = perCause();

  constructor(bus: Bus, engine: string, nowMs: number) {
    this.#bus = bus;
    this.#engine = engine;
    this.sinceMs = nowMs;
  }

  /**
   * A hint came for `name`, and no member of this process has that name. The processes may differ
   * on purpose, or the name is misspelt. With NODE_DEBUG, a line says so once.
   */
  didMissMember(name: string): void {
    this.counts.forNobody++;
    const format = 'bus "%s": hints come for "%s", which nothing in this process has joined';
    debugOnce(this, name, format, this.#engine, name);
  }

  didEcho(ms: number): void {
    this.echo.note(ms);
    if (busEcho.hasSubscribers) busEcho.publish({ bus: this.#bus, ms } satisfies BusEcho);
  }

  /** The bus is in `state` now. @param cause of a gap. */
  didChange(state: BusState, nowMs: number, cause?: GapCause, error?: unknown): void {
    if (this.lastGap?.endedMs === null) {
      this.lastGap.endedMs = nowMs;
      this.#gapMs[this.lastGap.cause] += nowMs - this.lastGap.beganMs;
    }
    if (cause !== undefined) {
      this.#gaps[cause]++;
      const text = error === undefined ? null : cut(textOf(error), MAX_TEXT);
      this.lastGap = { cause, beganMs: nowMs, endedMs: null, error: text };
    }
    this.sinceMs = nowMs;
    debug('bus "%s": %s %s %s', this.#engine, state, cause ?? '', error ?? '');
    if (busState.hasSubscribers) {
      busState.publish({ bus: this.#bus, state, cause, error } satisfies BusStateChanged);
    }
  }

  didFail(error: unknown, nowMs: number): void {
    this.lastError = { message: cut(textOf(error), MAX_TEXT), atMs: nowMs };
  }

  didOverflow(direction: 'in' | 'out', keys: number): void {
    this.counts.overflowed += keys;
    if (busOverflow.hasSubscribers) {
      busOverflow.publish({ bus: this.#bus, direction, keys } satisfies BusOverflow);
    }
  }

  /** A member begins to try everything, or begins anew. Sweeps that overlap are shown as one. */
  willSweep(member: BusMember, nowMs: number): void {
    this.counts.sweeps++;
    if (this.#sweeping.size === 0) this.lastSweep = { beganMs: nowMs, endedMs: null, tried: 0 };
    if (!this.#sweeping.has(member)) this.#sweeping.set(member, nowMs);
  }

  /** A member has tried everything, or is gone. */
  didSweep(member: BusMember, tried: number, nowMs: number): void {
    const beganMs = this.#sweeping.get(member);
    if (beganMs === undefined || this.lastSweep === null) return;
    this.#sweeping.delete(member);
    this.counts.swept += tried;
    this.lastSweep.tried += tried;
    if (this.#sweeping.size === 0) this.lastSweep.endedMs = nowMs;
    if (busSwept.hasSubscribers) {
      const ms = nowMs - beganMs;
      busSwept.publish({ bus: this.#bus, member: member.name, tried, ms } satisfies BusSwept);
    }
  }

  totals(nowMs: number): BusTotals {
    const gapMs = { ...this.#gapMs };
    if (this.lastGap?.endedMs === null) gapMs[this.lastGap.cause] += nowMs - this.lastGap.beganMs;
    return { ...this.counts, gaps: { ...this.#gaps }, gapMs };
  }
}

function perCause(): Record<GapCause, number> {
  return { connection: 0, echo: 0, publish: 0, sequence: 0 };
}

/** Node's error for a host whose addresses all failed has a code, and no message. */
export function textOf(error: unknown): string {
  const { message, code } = Object(error) as { message?: unknown; code?: unknown };
  return String(message || code || error);
}
