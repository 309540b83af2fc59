// Operations that user code froze while they were parked. Their fields cannot tell any more what
// became of them.
//
// Ground rules. It belongs to one Parking and remembers, for those that have left, whether they
// were answered: so each is answered once at most, and whoever asks later is told no. It keeps none
// of them in memory.
import type { DelayedOperation } from './delayed-operation.ts';

export class FrozenOperations {
  readonly #isAnswered = new WeakMap<DelayedOperation, boolean>();

  has(operation: DelayedOperation): boolean {
    return this.#isAnswered.has(operation);
  }

  add(operation: DelayedOperation, isAnswered: boolean): void {
    this.#isAnswered.set(operation, isAnswered);
  }

  /** For one that has left: true iff it is to be answered now. */
  complete(operation: DelayedOperation): boolean {
    const isAnswered = this.#isAnswered.get(operation);
    this.#isAnswered.set(operation, true);
    return isAnswered === false;
  }
}
