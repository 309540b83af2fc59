// Operations that user code froze while they were parked. Their fields cannot tell any more what
// became of them.
//
// Ground rules. It belongs to one Parking. It remembers which of the frozen operations that left
// were answered. So each is answered at most once, and a later `complete` returns false. It keeps
// none of them in memory.
import { invalidArgValue } from '../node-errors.ts';
import { type DelayedOperation, NOT_PARKED } from './delayed-operation.ts';

/**
 * Checks that `$place` of an operation that is parked nowhere can be written.
 *
 * @throws TypeError ERR_INVALID_ARG_VALUE
 */
export function checkNotFrozen(operation: DelayedOperation): void {
  try {
    operation.$place = NOT_PARKED;
  } catch {
    throw invalidArgValue('op', 'must not be frozen', operation);
  }
}

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
