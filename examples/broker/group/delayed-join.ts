/**
 * The join phase of one rebalance: it waits until every member of the group has joined again, or for the rebalance
 * timeout, after which the group goes on without the missing. (Kafka: DelayedJoin.)
 */
import { WaitingOperation } from '../waiting/waiting-room.ts';
import type { Group } from './group.ts';

export class DelayedJoin extends WaitingOperation {
  readonly #group: Group;
  readonly #onJoined: () => void;

  constructor(group: Group, onJoined: () => void) {
    super(group.rebalanceTimeoutMs());
    this.#group = group;
    this.#onJoined = onJoined;
  }

  override tryComplete(): boolean {
    return this.#group.haveAllJoined() && this.forceComplete();
  }

  protected override answer(): void {
    this.#onJoined();
  }
}
