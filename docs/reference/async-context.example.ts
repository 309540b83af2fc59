import { AsyncLocalStorage } from 'node:async_hooks';
import { Purgatory } from 'purgatory';
import { ContextualOperation } from 'purgatory/async-context';

const request = new AsyncLocalStorage<string>();
let hasNews = false;

class Poll extends ContextualOperation {
  override tryComplete(): boolean {
    return hasNews && this.forceComplete();
  }
  override onComplete(): void {
    console.log(`answered in ${request.getStore()}`); // answered in the poll of Ada
  }
}

const polls = new Purgatory<string, Poll>('polls');
request.run('the poll of Ada', () => polls.tryCompleteElseWatch(new Poll(1_000), ['news']));

hasNews = true;
request.run('the post of Bob', () => polls.checkAndComplete('news'));
