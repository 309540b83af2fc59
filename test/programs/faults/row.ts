// What a row of the table is, and what its results have in common. A row sleeps for as long as a load
// or an outage lasts; for what has to come about, it waits.
import type { EngineName } from './fleet.ts';

/** One measured number and its bar. */
export interface Result {
  readonly what: string;
  readonly measured: number;
  readonly unit: string;
  /** The most that is allowed. Undefined: the number is written down, and has no bar. */
  readonly bar?: number;
  /** The least that is allowed: of a control, which must show the fault. */
  readonly least?: number;
}

export interface Scale {
  /** The number of parked waits, all members together. */
  readonly parked: number;
  readonly members: number;
  /** Changes a second of all members together. */
  readonly rate: number;
  /** The deadline of the waits, in ms. Default 300,000: none comes. */
  readonly timeoutMs?: number;
  /** The duration of each phase, in seconds. */
  readonly seconds: {
    readonly load: number;
    readonly kills: number;
    readonly stop: number;
    readonly idle: number;
  };
}

export interface Row {
  readonly name: string;
  readonly engines: readonly EngineName[];
  run(engine: EngineName, scale: Scale): Promise<Result[]>;
}

export function isMissed({ measured, bar = Number.POSITIVE_INFINITY, least = 0 }: Result): boolean {
  return !(measured <= bar && measured >= least);
}

export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.POSITIVE_INFINITY;
}
