// A delayed operation that answers in the async context of the request that made it.
//
// Ground rules. It takes the async context in its constructor and keeps it for its whole life, so
// do not keep a completed operation. An event, a deadline or another request completes it, each in
// its own context. `tryComplete` runs in that context. `onComplete` and `onExpiration` run in the
// context of the constructor. Only classes that extend it pay for the switch.
import { AsyncResource } from 'node:async_hooks';
import { DelayedOperation } from '../../purgatory/delayed-operation.ts';

/**
 * As {@link DelayedOperation}, with `onComplete` and `onExpiration` in the AsyncLocalStorage
 * context of the constructor.
 */
export abstract class ContextualOperation extends DelayedOperation {
  readonly #context = new AsyncResource('DelayedOperation');

  override forceComplete(): boolean {
    return this.#context.runInAsyncScope(super.forceComplete, this);
  }

  override run(): void {
    this.#context.runInAsyncScope(super.run, this);
  }
}
