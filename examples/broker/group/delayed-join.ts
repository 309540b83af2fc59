/**
 * The join phase of one rebalance: it waits until every member of the group has joined again, or
 * for the rebalance timeout, after which the group goes on without the missing. (Kafka:
 * DelayedJoin.)
 */
import { WaitingOperation } from '../waiting/waiting-room.ts';
import type { Group } from './group.ts';

export class DelayedJoin extends WaitingOperation {
  readonly #group: Group;
  readonly #onJoined: () => void;

  constructor(group: Group, timeoutMs: number, onJoined: () => void) {
    super(timeoutMs);
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

/**
 * The join phase of a group's first generation: it waits for members that are just starting, so
 * that each of them does not cost a rebalance of its own. Only its deadline ends it. (Kafka:
 * InitialDelayedJoin, group.initial.rebalance.delay.ms.)
 */
export class InitialDelayedJoin extends WaitingOperation {
  readonly #onEnd: () => void;

  constructor(delayMs: number, onEnd: () => void) {
    super(delayMs);
    this.#onEnd = onEnd;
  }

  override tryComplete(): boolean {
    return false;
  }

  protected override answer(): void {
    this.#onEnd();
  }
}
