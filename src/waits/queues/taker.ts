// A wait for an item, for some items of one key, or for an item on lease.
//
// Invariants. Those of Wait. It ends with items by `give` alone, so a listener that forces it makes
// none.
import { Wait } from '../../purgatory/wait.ts';
import type { CheckedTake, Way } from './queues-options.ts';

export class Taker extends Wait {
  readonly way: Way;
  readonly options: CheckedTake;

  constructor(way: Way, options: CheckedTake) {
    super(options);
    this.way = way;
    this.options = options;
  }

  /** Ends it with what it has taken. It is parked. */
  give(taken: object): void {
    this.complete(taken);
  }

  override get $type(): string {
    return this.way;
  }

  override tryComplete(): boolean {
    return false;
  }

  override forceComplete(): boolean {
    return false;
  }
}
