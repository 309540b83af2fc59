// What a user parks in a ThresholdPurgatory to answer without a promise.
import { DelayedOperation } from '../../purgatory/delayed-operation.ts';

/**
 * A {@link DelayedOperation} whose thresholds are its whole condition. Extend it with `onComplete`,
 * the answer. That runs once: when all thresholds have been reached, or at the deadline `delayMs`
 * (followed by `onExpiration`), or when it is forced.
 */
export abstract class ThresholdOperation extends DelayedOperation {
  override tryComplete(): boolean {
    return this.forceComplete();
  }
}
