/**
 * A user's operation, which completes when it has been made ready. purgatory-parking.ts imports
 * this module eight times. That gives eight classes with code and inline caches of their own, like
 * eight kinds of requests in a server.
 */
import { DelayedOperation } from 'purgatory';
import { tally } from './tally.ts';

export class Operation extends DelayedOperation {
  isReady = false;

  override tryComplete(): boolean {
    return this.isReady && this.forceComplete();
  }

  override onComplete(): void {
    tally.done++;
  }

  override onExpiration(): void {
    tally.onExpired?.(this);
  }
}
