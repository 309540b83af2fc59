// One wait of `awaitAtLeast`: a parked operation behind a promise.
//
// Invariants. Those of Wait. It is tried when its threshold is reached, and answers with the value
// that its key has then. If a listener to that try has deleted the value, it waits on until its
// deadline.
import type { CheckedWaitOptions } from '../../purgatory/purgatory-options.ts';
import { Wait } from '../../purgatory/wait.ts';

export class ThresholdWaiter<K> extends Wait {
  readonly #key: K;
  readonly #lists: { valueAt(key: K): unknown };

  constructor(key: K, lists: { valueAt(key: K): unknown }, options: CheckedWaitOptions) {
    super(options);
    this.#key = key;
    this.#lists = lists;
  }

  override get $type(): string {
    return 'awaitAtLeast';
  }

  override tryComplete(): boolean {
    const value = this.#lists.valueAt(this.#key);
    return value !== undefined && this.answer(value);
  }
}
