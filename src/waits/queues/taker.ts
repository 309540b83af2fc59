// A wait for an item, or for some items of one key.
//
// Invariants. Those of Wait. It ends with items by `give` alone, so a listener that forces it makes
// none.
import type { CheckedWaitOptions } from '../../purgatory/purgatory-options.ts';
import { Wait } from '../../purgatory/wait.ts';

export class Taker extends Wait {
  /** The most items of `takeMany`. Undefined: it takes one, by `take`. */
  readonly max: number | undefined;

  constructor(max: number | undefined, options: CheckedWaitOptions) {
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
