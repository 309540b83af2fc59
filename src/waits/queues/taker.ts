// A wait for an item, for some items of one key, or for an item on lease.
//
// Invariants. Those of Wait. It ends with items by `give` alone, so a listener that forces it makes
// none.
import type { CheckedWaitOptions } from '../../purgatory/purgatory-options.ts';
import { Wait } from '../../purgatory/wait.ts';

export class Taker extends Wait {
  /** The most items of `takeMany`. Undefined: it takes one. */
  readonly max: number | undefined;

  constructor(options: CheckedWaitOptions, max?: number) {
    super(options);
    this.max = max;
  }

  /** Ends it with what it has taken. It is parked. */
  give(taken: object): void {
    this.complete(taken);
  }

  override get $type(): string {
    return this.max === undefined ? 'take' : 'takeMany';
  }

  override tryComplete(): boolean {
    return false;
  }

  override forceComplete(): boolean {
    return false;
  }
}

/** A wait for an item on lease. */
export class Lessee extends Taker {
  readonly leaseMs: number;
  /** Those of the wait, which are those of the lease. */
  readonly options: CheckedWaitOptions;

  constructor(options: CheckedWaitOptions, leaseMs: number) {
    super(options);
    this.leaseMs = leaseMs;
    this.options = options;
  }

  override get $type(): string {
    return 'lease';
  }
}
