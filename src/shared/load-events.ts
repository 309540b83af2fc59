// The events of SharedWaits about their loads, on channels of node:diagnostics_channel. The rules
// are those of timer/telemetry/timer-events.ts.
//
// Each load that begins is reported once, as `answered` or as `failed`, unless nobody waits for it
// any more or its SharedWaits are closed.
import { type Channel, channel } from 'node:diagnostics_channel';
import type { Named } from '../purgatory/telemetry/operation-events.ts';

/**
 * `purgatory:load:answered`: a load has ended, and its result has been given to all who waited for
 * it.
 */
export interface LoadAnswered {
  readonly waits: Named;
  /** How many keys it was for. */
  readonly keys: number;
  /** The number of waiters that it ended. 0: the load was in vain. */
  readonly answered: number;
  /** From its beginning to the last answer, in ms by the clock. */
  readonly tookMs: number;
}

/** `purgatory:load:failed`: a load has thrown, was rejected, or has returned no Map. */
export interface LoadFailed {
  readonly waits: Named;
  readonly keys: number;
  readonly error: unknown;
  /** From its beginning, in ms by the clock. */
  readonly tookMs: number;
}

export const loadAnswered: Channel = channel('purgatory:load:answered');
export const loadFailed: Channel = channel('purgatory:load:failed');
