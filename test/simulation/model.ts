// What the parts of a world know of each other: the stage, the processes on it, and their waits.
import type { Bus } from '../../src/bus/bus-options.ts';
import type { Purgatory } from '../../src/index.ts';
import type { AbstractPurgatory } from '../../src/purgatory/abstract-purgatory.ts';
import type { IdleTimeouts } from '../../src/waits/idle/index.ts';
import type { Queues } from '../../src/waits/queues/index.ts';
import type { Replies } from '../../src/waits/replies/index.ts';
import type { Semaphore } from '../../src/waits/semaphore/index.ts';
import type { SharedWaits } from '../../src/waits/shared/index.ts';
import type { ThresholdPurgatory } from '../../src/waits/threshold/index.ts';
import type { Host } from './host.ts';
import type { Plan } from './plan.ts';
import type { Time } from './time.ts';

export interface Stage {
  readonly plan: Plan;
  readonly time: Time;
  readonly isChaos: boolean;
  readonly isEnding: boolean;
  /** When the last trouble is over; Infinity while there may be more. */
  readonly settledMs: number;
  /** Where it is traced. */
  readonly log: ((process: Actor | undefined, text: string) => void) | undefined;
  /** @param about may have the fields of a wait. */
  violate(what: string, about?: object): void;
}

/** A process, with all that it has. */
export interface Actor {
  readonly index: number;
  readonly host: Host;
  readonly isDead: boolean;
  readonly bus: Bus;
  readonly purgatory: Purgatory<string>;
  readonly thresholds: ThresholdPurgatory<string>;
  readonly shared: SharedWaits<number>;
  readonly semaphore: Semaphore;
  readonly queues: Queues<number>;
  readonly replies: Replies<number, number>;
  readonly idle: IdleTimeouts<string>;
  readonly waits: Set<Wait>;
  /** Those that an event of this process must answer in this turn. */
  readonly answers: Set<Wait>;
  /** Those that a hint must answer that was read in this turn. */
  readonly hinted: Set<Wait>;
}

export type Ending = 'answered' | 'expired' | 'rejected' | 'refused' | 'forced' | 'cancelled' | 'closed';

/** How the promise of a wait ends. */
export interface Ended {
  readonly expired: boolean;
  readonly value?: number;
}

export type WaitKind = 'wait' | 'operation' | 'threshold' | 'shared' | 'claim';

export interface Wait {
  readonly id: number;
  readonly kind: WaitKind;
  readonly process: Actor;
  /** The purgatory that it is parked in. */
  readonly owner: Owner;
  readonly key: string;
  readonly seen: number;
  readonly options: { readonly timeoutMs: number; readonly signal?: AbortSignal };
  readonly parkedMs: number;
  /** What its condition does, in words. */
  readonly condition: string;
  /** By the clock of its process. */
  deadlineMs: number;
  isSound: boolean;
  /** Whether its condition takes no turns: then a try that begins in a turn ends in it. */
  readonly isPrompt: boolean;
  /** How much longer its condition takes. */
  readonly lagMs: number;
  /** When its condition came true, as far as somebody published it. */
  trueMs: number | undefined;
  /** Who has published that. */
  writer: Actor | undefined;
  ending: Ending | undefined;
  /** The reason of its abort. */
  reason?: unknown;
}

export type Owner = Pick<AbstractPurgatory<never, never>, 'numDelayed' | 'isClosed'>;

export type NewWait = Pick<Wait, 'kind' | 'process' | 'key' | 'options' | 'condition'> &
  Partial<Pick<Wait, 'isSound' | 'isPrompt' | 'lagMs' | 'reason'>>;

/** So close, two times are one. */
export const ROUNDING_MS = 1e-6;
/** How late the end of something may be, besides what a process stands still. */
const LATE_MS = 150;
/** How many tries an event may take at once. */
const CROWD = 1_500;

/** Whether what was due in `process` at `atMs`, by its clock, must be over. */
export function isLongOver({ plan, time }: Stage, { host }: Actor, atMs: number): boolean {
  if (host.nowMs <= atMs) return false;
  const { tickMs, jitterMs, tryMs } = plan.config;
  const lateMs = LATE_MS + tickMs + jitterMs * 3 + tryMs * CROWD;
  return host.nowMs > atMs + lateMs && time.nowMs > host.stoodUntilMs + lateMs;
}

export function codeOf(error: unknown): string {
  const { code, message } = Object(error) as { code?: string; message?: string };
  return code ?? message ?? String(error);
}

/** An error that user code of the simulation throws. */
export function mine(text: string): Error {
  return Object.assign(new Error(text), { of: 'the simulation' });
}

export function isMine(error: unknown): boolean {
  return (error as { of?: unknown } | undefined)?.of === 'the simulation';
}
