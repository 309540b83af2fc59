// What ends a try that causes an event that tries the same operation, which causes an event, and so
// on without end.
//
// Ground rules. Events may be nested; a chain of completions is, and an event on its own key in a
// try may come to an end by itself. Inside MAX_DEPTH events an operation whose try is under way is
// not tried again: that is an error, which is thrown into that try. Then all unwinds to the
// outermost event: passes inside it are over, and events inside it do nothing. (If only the
// innermost ended, each of a hundred watchers would do the same again at each depth.)
//
// Costs. Nothing outside of MAX_DEPTH events; inside, O(depth) a try.
import { endlessTries } from '../errors.ts';
import type { DelayedOperation } from './delayed-operation.ts';

/** Deeper than sane events in tries, and shallow enough for the stack. */
export const MAX_DEPTH = 256;

export class NestedTries {
  /** Operations that are tried inside MAX_DEPTH events, from the outermost in. */
  readonly #operations: DelayedOperation[] = [];
  isUnwinding = false;

  isUnderWay(operation: DelayedOperation): boolean {
    return this.#operations.includes(operation);
  }

  /** @throws PurgatoryError ERR_PURGATORY_ENDLESS_TRIES */
  refuse(operation: DelayedOperation): never {
    this.isUnwinding = true;
    throw endlessTries(operation.constructor.name);
  }

  /** Returns what `end` takes. */
  begin(operation: DelayedOperation): number {
    return this.#operations.push(operation) - 1;
  }

  end(tries: number): void {
    this.#operations.length = tries;
  }
}
