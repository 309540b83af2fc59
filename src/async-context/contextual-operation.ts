// A delayed operation that answers in the context of the request that made it.
//
// Ground rules. It takes the async context in its constructor and keeps it as long as it lives itself: so do not keep a completed
// one. What completes it (an event, its deadline, another request) has a context of its own, in which `tryComplete` runs;
// `onComplete` and `onExpiration` run in that of the constructor. The switch is paid by those who extend it alone.
import { AsyncResource } from 'node:async_hooks';
import { DelayedOperation } from '../purgatory/delayed-operation.ts';

/** As {@link DelayedOperation}, with `onComplete` and `onExpiration` in the AsyncLocalStorage context of the constructor. */
export abstract class ContextualOperation extends DelayedOperation {
  readonly #context = new AsyncResource('DelayedOperation');

  override forceComplete(): boolean {
    return this.#context.runInAsyncScope(super.forceComplete, this);
  }

  override run(): void {
    this.#context.runInAsyncScope(super.run, this);
  }
}
