// A wait for an item, for some items of one key, or for an item on lease.
//
// Invariants. Those of LineWait.
import { LineWait } from '../lines/line-wait.ts';
import type { CheckedTake } from './queues-options.ts';

export class Taker extends LineWait {
  readonly options: CheckedTake;

  constructor(options: CheckedTake) {
    super(options);
    this.options = options;
  }

  override get $type(): string {
    if (this.options.leaseMs !== undefined) return 'lease';
    return this.options.max === undefined ? 'take' : 'takeMany';
  }
}
