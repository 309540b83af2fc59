// An operation that answers in the context of its request: docs/async-context.md
import { AsyncLocalStorage } from 'node:async_hooks';
import { Purgatory } from 'purgatory';
import { ContextualOperation } from 'purgatory/async-context';

const requests = new AsyncLocalStorage();
const records = [];

class DelayedFetch extends ContextualOperation {
  tryComplete() {
    return records.length > 0 && this.forceComplete();
  }
  onComplete() {
    console.log(`answered in the context of the ${requests.getStore()}`);
  }
}

const fetches = new Purgatory('fetches');
requests.run('fetch', () => fetches.tryCompleteElseWatch(new DelayedFetch(5_000), ['orders']));
requests.run('produce', () => {
  records.push('hello');
  fetches.checkAndComplete('orders');
});

/* It prints

answered in the context of the fetch
*/
