// The event of a reply that is expected no longer (purgatory/events).
import { type Channel, channel } from 'node:diagnostics_channel';
import type { Named } from '../../purgatory/telemetry/purgatory-meter.ts';

/** `purgatory:reply:ended`: it is off the table and the timer, and its promise has yet to settle. */
export interface ReplyEnded {
  /** The Replies. */
  readonly replies: Named;
  readonly id: unknown;
  /** The option, where it was given. */
  readonly label: string | undefined;
  /** As the totals of the snapshot count it. */
  readonly how: 'resolved' | 'rejected' | 'expired' | 'cancelled';
  /** How long it was expected, in whole ms by the timer's clock. */
  readonly expectedMs: number;
}

export const replyEnded: Channel = channel('purgatory:reply:ended');
