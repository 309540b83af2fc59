// Events on keys: each is a pass over the operations that watch the key.
//
// Ground rules. It belongs to one purgatory. Each operation that watched when the pass began, and
// still does when its turn comes, is tried once, in park order. A try is user code and may change
// anything: the lists move the pass along when somebody leaves (watch-lists.ts). What a try throws
// is reported, and the pass goes on.
//
// A try may cause further events, even on its own key: they may come to an end by themselves. But
// at a depth of MAX_DEPTH nested events or more, an operation whose try is under way is not tried
// again. The event throws an error into the try that caused it. Then everything unwinds to the
// outermost event: its inner passes end, and events inside it do nothing. (If only the innermost
// ended, each of a hundred watchers would do the same again at each depth.)
//
// Costs. O(operations that watch the key): `npm run bench -- scan`. At a depth of MAX_DEPTH events
// or more, O(depth) a try.
import { endlessTries } from '../errors.ts';
import type { DelayedOperation } from './delayed-operation.ts';
import type { Parking } from './parking.ts';
import type { Head } from './watchers/lone-watcher.ts';
import type { Watchers } from './watchers/watchers.ts';

/** Deeper than sane events in tries, and shallow enough for the stack. */
const MAX_DEPTH = 256;

export class Passes<K> {
  readonly #parking: Parking<K, Watchers<K>>;
  /** Operations that are tried at a depth of MAX_DEPTH events or more, from the outermost in. */
  readonly #tried: DelayedOperation[] = [];
  #isUnwinding = false;

  constructor(parking: Parking<K, Watchers<K>>) {
    this.#parking = parking;
  }

  /** Tries all that watch `key`; how many that completed. */
  event(key: K): number {
    const parking = this.#parking;
    const { lists, meter, bulks } = parking;
    const head = lists.headOf(key);
    if (head === undefined || this.#isUnwinding) return 0;
    const only = lists.loneWatcher(head);
    const depth = bulks.begin();
    const outerKey = parking.eventKey;
    parking.eventKey = key;
    try {
      if (only === undefined) return this.#pass(head, key, depth);
      if (meter.tellsTries) meter.willTry(only, key);
      return (depth < MAX_DEPTH ? parking.tries(only) : this.#triesDeep(only)) ? 1 : 0;
    } finally {
      parking.eventKey = outerKey;
      if (depth <= 1) this.#isUnwinding = false;
      bulks.end(depth);
    }
  }

  #pass(list: Head, key: K, depth: number): number {
    const parking = this.#parking;
    const { lists, meter } = parking;
    const { tellsTries } = meter;
    let completed = 0;
    const pass = lists.beginPass(list);
    try {
      while (pass.next >= 0) {
        const operation = lists.step(pass);
        if (tellsTries) meter.willTry(operation, key);
        if (depth < MAX_DEPTH ? parking.tries(operation) : this.#triesDeep(operation)) completed++;
      }
    } finally {
      lists.endPass(pass);
    }
    return completed;
  }

  /** Tries an operation at a depth of MAX_DEPTH events or more. */
  #triesDeep(operation: DelayedOperation): boolean {
    const parking = this.#parking;
    if (this.#tried.includes(operation)) {
      this.#isUnwinding = true;
      parking.lists.endInnerPasses();
      throw endlessTries(operation.constructor.name);
    }
    const tried = this.#tried.push(operation);
    try {
      return parking.tries(operation);
    } finally {
      this.#tried.length = tried - 1;
    }
  }
}
