// The events of a bus, on channels of node:diagnostics_channel.
//
// Ground rules. As with the events of timers, an event without subscribers costs a load and a
// branch. Subscribers only observe, and are quick.
import { type Channel, channel } from 'node:diagnostics_channel';
import type { Bus } from '../bus.ts';
import type { BusState, GapCause } from './bus-snapshot.ts';

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

export const busState: Channel = channel('purgatory:bus:state');
export const busEcho: Channel = channel('purgatory:bus:echo');
export const busSwept: Channel = channel('purgatory:bus:swept');
export const busOverflow: Channel = channel('purgatory:bus:overflow');
