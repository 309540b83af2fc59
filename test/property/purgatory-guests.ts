// The operations and waiters of a random history. Each asks its host what to do, and records its
// outcome.
import { DelayedOperation } from '../../src/index.ts';
import type { Spec } from './purgatory-arbitraries.ts';
import type { Guest } from './purgatory-reference.ts';

/** Who plays the history: it is called by every callback of a guest. */
export interface Host {
  /** A try: true when the guest is ready; throws what its script throws. */
  onTry(guest: HistoryGuest): boolean;
  onComplete(operation: HistoryOperation): void;
  onExpiration(operation: HistoryOperation): void;
}

export interface HistoryGuest extends Guest {
  readonly spec: Spec;
  ready: boolean;
  tries: number;
}

export class HistoryOperation extends DelayedOperation implements HistoryGuest {
  readonly id: number;
  readonly spec: Spec;
  readonly isWaiter = false;
  ready: boolean;
  tries = 0;
  parking = 0;
  keys: ReadonlySet<number> = new Set();
  hasCompleted = false;
  readonly #host: Host;

  constructor(id: number, spec: Spec, host: Host) {
    super(spec.delayMs);
    this.id = id;
    this.spec = spec;
    this.ready = spec.ready;
    this.#host = host;
  }

  override tryComplete(): boolean {
    return this.#host.onTry(this) && this.forceComplete();
  }

  override onComplete(): void {
    this.#host.onComplete(this);
  }

  override onExpiration(): void {
    this.#host.onExpiration(this);
  }
}

/** What a waiter's promise did, or is to do. */
export type Outcome =
  | { readonly kind: 'pending' | 'expired' }
  | { readonly kind: 'value' | 'rejected'; readonly value: unknown };

export class HistoryWaiter implements HistoryGuest {
  readonly id: number;
  readonly spec: Spec;
  readonly delayMs: number;
  readonly isWaiter = true;
  ready: boolean;
  tries = 0;
  parking = 0;
  keys: ReadonlySet<number> = new Set();
  expected: Outcome = { kind: 'pending' };
  actual: Outcome = { kind: 'pending' };
  readonly #host: Host;

  constructor(id: number, spec: Spec, host: Host) {
    this.id = id;
    this.spec = spec;
    this.delayMs = spec.delayMs;
    this.ready = spec.ready;
    this.#host = host;
  }

  readonly attempt = (): number | undefined => (this.#host.onTry(this) ? this.id : undefined);

  /** The first outcome counts, as with every promise. */
  expect(outcome: Outcome): void {
    if (this.expected.kind === 'pending') this.expected = outcome;
  }

  follow(promise: Promise<{ expired: false; value: number } | { expired: true }>): void {
    promise.then(
      (result) => {
        this.actual = result.expired ? { kind: 'expired' } : { kind: 'value', value: result.value };
      },
      (reason: unknown) => {
        this.actual = { kind: 'rejected', value: codeOf(reason) };
      },
    );
  }
}

/** The code of an error of the library, or the error itself. */
export function codeOf(error: unknown): unknown {
  return (error as { code?: unknown } | undefined)?.code ?? error;
}
