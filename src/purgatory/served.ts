// Who waits until what is notified now has been served.
//
// Ground rules. It belongs to one EventQueue, which says how many passes each of them waits for and
// when one has ended.
//
// Costs. wait: O(keys). didEnd: O(those who wait), and O(1) when nobody does.

interface Waiting {
  /** For each key, how many of its passes have yet to end. */
  readonly passes: Map<unknown, number>;
  readonly resolve: () => void;
}

export class Served {
  #waiting: Waiting[] = [];

  /** Resolves when as many passes of each key have ended. */
  wait(passes: Map<unknown, number>): Promise<void> {
    return new Promise((resolve) => this.#waiting.push({ passes, resolve }));
  }

  /** A pass of `key` has ended. */
  didEnd(key: unknown): void {
    if (this.#waiting.length === 0) return;
    for (const { passes, resolve } of this.#waiting) {
      const left = passes.get(key);
      if (left === undefined) continue;
      if (left > 1) passes.set(key, left - 1);
      else passes.delete(key);
      if (passes.size === 0) resolve();
    }
    this.#waiting = this.#waiting.filter(({ passes }) => passes.size > 0);
  }

  /** No pass will come any more. */
  clear(): void {
    for (const { resolve } of this.#waiting) resolve();
    this.#waiting = [];
  }
}
