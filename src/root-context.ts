// The async context that belongs to no request.
//
// Ground rules. A timer or purgatory is shared: whoever happens to arm its wake-up, or to notify first in a turn, must neither lend
// its AsyncLocalStorage stores to other people's callbacks nor be kept in memory by the wake-up. So what the host is asked to
// call later is asked for from here: the context this module was imported in, which is the program's own unless the first
// import happens inside a request. Costs about 10 ns an entry (AsyncLocalStorage.snapshot() does the same for 70).
// Which context user code sees where: docs/async-context.md.
import { AsyncResource } from 'node:async_hooks';

/** Enter it by `runInAsyncScope`. */
export const rootContext: AsyncResource = new AsyncResource('purgatory', { requireManualDestroy: true });
