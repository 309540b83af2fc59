// A wait for an item, for some items of one key, or for an item on lease.
//
// Invariants. Those of Wait. It ends with items by `give` alone, so a listener that forces it makes
// none.
import type { CheckedWaitOptions } from '../../purgatory/purgatory-options.ts';
import { Wait } from '../../purgatory/wait.ts';
import type { CheckedLease } from './queues-options.ts';

export class Taker extends Wait {
  /** The most items of `takeMany`. Undefined: it takes one. */
  readonly max: number | undefined;
  /** The options of `lease`. */
  readonly lease: CheckedLease | undefined;

  constructor(options: CheckedWaitOptions, max?: number, lease?: CheckedLease) {
    super(options);
    this.max = max;
    this.lease = lease;
  }

  /** Ends it with what it has taken. It is parked. */
  give(taken: object): void {
    this.complete(taken);
  }

  override get $type(): string {
    if (this.lease !== undefined) return 'lease';
    return this.max === undefined ? 'take' : 'takeMany';
  }

  override tryComplete(): boolean {
    return false;
  }

  override forceComplete(): boolean {
    return false;
  }
}
