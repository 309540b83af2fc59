// The keys that were notified in this turn, until they are served at its end.
//
// Ground rules. It belongs to one purgatory, and alone decides when a notified key is served: in a
// microtask, once, however often it was notified before. What is notified meanwhile is served in
// the next round of the same go: a chain of completions needs no stack. But a condition that
// notifies its own key causes rounds without end that complete nothing. After MAX_VAIN of them in a
// row the rest waits for the next turn of the event loop, so that timers and sockets get theirs.
//
// Costs. add: O(1). One microtask a turn in which something is notified.
import { setImmediate as hostSetImmediate } from 'node:timers';
import { rootContext } from '../turns/root-context.ts';

/** Rounds in a row that complete nothing: some milliseconds of them. */
const MAX_VAIN = 10_000;
const turnEnd = Promise.resolve();

interface KeyEvents<K> {
  /** An event on a key; returns how many operations it completed. */
  checkAndComplete(key: K): number;
}

export class NotifiedKeys<K> {
  readonly #purgatory: KeyEvents<K>;
  #keys = new Set<K>();
  #isServeDue = false;
  #vain = 0;

  constructor(purgatory: KeyEvents<K>) {
    this.#purgatory = purgatory;
  }

  add(key: K): void {
    this.#keys.add(key);
    if (this.#isServeDue) return;
    this.#isServeDue = true;
    turnEnd.then(this.#serveInRoot);
  }

  clear(): void {
    this.#keys.clear();
  }

  // In the root context: what completes for other notifiers must not get the async context of the
  // first one.
  readonly #serveInRoot = (): void => rootContext.runInAsyncScope(this.#serve, this);

  #serve(): void {
    while (this.#keys.size > 0) {
      if (this.#vain === MAX_VAIN) {
        this.#vain = 0;
        hostSetImmediate(this.#serveInRoot);
        return;
      }
      this.#vain = this.#serveRound() > 0 ? 0 : this.#vain + 1;
    }
    this.#isServeDue = false;
  }

  #serveRound(): number {
    const keys = this.#keys;
    this.#keys = new Set();
    let completed = 0;
    for (const key of keys) completed += this.#purgatory.checkAndComplete(key);
    return completed;
  }
}
