// A delayed operation that answers in the async context of the request that made it.
//
// Invariants. It takes the async context in its constructor and keeps it for its whole life, so do
// not keep a completed operation. `tryComplete` runs in the context of the event, the deadline or
// the request that tries it. `onComplete` and `onExpiration` run in that of the constructor.
import { AsyncContext } from '../../clock/root-context.ts';
import { DelayedOperation } from '../../purgatory/delayed-operation.ts';
import type { Settler } from '../../turns/settler.ts';

/**
 * As {@link DelayedOperation}, with `onComplete` and `onExpiration` in the AsyncLocalStorage
 * context of the constructor.
 */
export abstract class ContextualOperation extends DelayedOperation {
  readonly #context = new AsyncContext('DelayedOperation');

  override forceComplete(): boolean {
    return this.#context.runInAsyncScope(super.forceComplete, this);
  }

  /** @internal */
  override $expire(settler?: Settler): unknown[] {
    return this.#context.runInAsyncScope(super.$expire, this, settler);
  }
}
