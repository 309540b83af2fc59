// Delayed operations that log what happens to them, and the set-up for tests of a purgatory.
import { expect } from 'chai';
import { type Clock, DelayedOperation, ManualClock, Purgatory, SystemTimer } from '../../src/index.ts';

export interface OpOptions {
  readonly delayMs?: number;
  readonly ready?: boolean;
  readonly log?: string[];
  /** Gets what `tryComplete` got. */
  readonly onTry?: (op: Op, key: unknown) => void;
  readonly onCompleted?: (op: Op) => void;
  readonly onExpired?: (op: Op) => void;
}

/**
 * Completes once it is `ready`. Counts its tries, completions and expirations, and logs the latter
 * two.
 */
export class Op extends DelayedOperation {
  readonly label: string;
  readonly log: string[];
  ready: boolean;
  tries = 0;
  completions = 0;
  expirations = 0;
  readonly #options: OpOptions;

  constructor(label: string, options: OpOptions = {}) {
    super(options.delayMs ?? Number.POSITIVE_INFINITY);
    this.label = label;
    this.log = options.log ?? [];
    this.ready = options.ready ?? false;
    this.#options = options;
  }

  override tryComplete(key?: unknown): boolean {
    this.tries++;
    this.#options.onTry?.(this, key);
    return this.ready && this.forceComplete();
  }

  override onComplete(): void {
    this.completions++;
    this.log.push(`complete ${this.label}`);
    this.#options.onCompleted?.(this);
  }

  override onExpiration(): void {
    this.expirations++;
    this.log.push(`expire ${this.label}`);
    this.#options.onExpired?.(this);
  }
}

export type PurgatoryOptions = NonNullable<ConstructorParameters<typeof Purgatory<unknown, Op>>[1]>;

export interface Hall {
  readonly clock: Clock & Pick<ManualClock, 'advance'>;
  readonly timer: SystemTimer;
  readonly purgatory: Purgatory<unknown, Op>;
  readonly log: string[];
  readonly errors: { error: unknown; op: Op }[];
  /** Parks an operation that logs to `log`, and resets its count of tries. */
  park(label: string, keys: readonly unknown[], options?: OpOptions): Op;
}

/** A purgatory on a timer and a clock that tests move. It collects the errors that it reports. */
export function hall(options: PurgatoryOptions = {}, clock: Hall['clock'] = new ManualClock()): Hall {
  const timer = new SystemTimer({ clock, tickMs: 1, wheelSize: 8 });
  const log: string[] = [];
  const errors: { error: unknown; op: Op }[] = [];
  const purgatory = new Purgatory<unknown, Op>('test', {
    timer,
    onError: (error, op) => errors.push({ error, op }),
    ...options,
  });
  return {
    clock,
    timer,
    purgatory,
    log,
    errors,
    park(label, keys, opOptions) {
      const op = new Op(label, { log, ...opOptions });
      purgatory.tryCompleteElseWatch(op, keys);
      op.tries = 0;
      return op;
    },
  };
}

/** All counters of a purgatory at once. */
export function counts(purgatory: Purgatory<unknown, Op>): {
  watched: number;
  watchedKeys: number;
  numDelayed: number;
} {
  const { watched, watchedKeys, numDelayed } = purgatory;
  return { watched, watchedKeys, numDelayed };
}

export const EMPTY = { watched: 0, watchedKeys: 0, numDelayed: 0 } as const;

/** Nothing is parked, watched or pending any more. */
export function isEmpty(purgatory: Purgatory<unknown, Op>): void {
  const { size } = purgatory.timer;
  expect({ ...counts(purgatory), size }).to.deep.equal({ ...EMPTY, size: 0 });
}

export function labels(ops: readonly Op[]): string[] {
  return ops.map((op) => op.label);
}

/** Parks `count` operations on `key`; `onTry` is called for each try but those of the parking. */
export function herdOn(
  purgatory: Purgatory<string, Op>,
  key: string,
  count: number,
  onTry: () => void,
): Op[] {
  let isParked = false;
  const ops = Array.from({ length: count }, (_, i) => {
    const op = new Op(`${key}${i}`, { onTry: () => isParked && onTry() });
    purgatory.tryCompleteElseWatch(op, [key]);
    return op;
  });
  isParked = true;
  return ops;
}
