/**
 * A user's operation: it completes when it has been made ready. purgatory-parking.ts imports this module eight times over, which gives
 * eight classes with code and inline caches of their own, as eight kinds of requests in a server have.
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
