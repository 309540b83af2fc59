// A wait for an item, for some items of one key, or for an item on lease.
//
// Invariants. Those of LineWait.
import { LineWait } from '../lines/line-wait.ts';
import type { CheckedTake, Way } from './queues-options.ts';

export class Taker extends LineWait {
  readonly way: Way;
  readonly options: CheckedTake;

  constructor(way: Way, options: CheckedTake) {
    super(options);
    this.way = way;
    this.options = options;
  }

  override get $type(): string {
    return this.way;
  }
}
