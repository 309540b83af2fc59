// What is parked in a ThresholdPurgatory by those who answer without promises.
import { DelayedOperation } from '../purgatory/delayed-operation.ts';

/**
 * A {@link DelayedOperation} whose thresholds are its whole condition: extend it with `onComplete`, the answer, which runs once
 * when all of them have been reached, or at the deadline `delayMs` (followed by `onExpiration`), or when it is forced.
 */
export abstract class ThresholdOperation extends DelayedOperation {
  override tryComplete(): boolean {
    return this.forceComplete();
  }
}
