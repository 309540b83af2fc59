/// <reference types="node" preserve="true" />
// The async context that belongs to no request.
//
// Ground rules. A timer or purgatory is shared by many requests. One of them happens to arm its
// wake-up, or to notify first in a turn. The AsyncLocalStorage stores of that request must not be
// seen by callbacks of others, and the wake-up must not keep them in memory. So host callbacks are
// requested from the root context: the context in which this module was imported. That is the
// program's own, unless the first import happens inside a request. Costs about 10 ns an entry
// (AsyncLocalStorage.snapshot() takes 70). docs/async-context.md says which context user code sees
// where.
import { AsyncResource } from 'node:async_hooks';

/** An async context, and no handle: tools that look for open handles ask `hasRef`. */
export class AsyncContext extends AsyncResource {
  hasRef(): boolean {
    return false;
  }
}

/** Enter it by `runInAsyncScope`. */
export const rootContext: AsyncContext = new AsyncContext('purgatory', { requireManualDestroy: true });
