// BLPOP and BRPOP: a pop that waits until one of its lists has an item. All of the waiting is here.
//
// Invariants. While a client waits for a key, the key has no list. A pop takes its item and answers
// in the same call, so no other command comes in between. The connection of a client that has gone
// cancels its pop.
import { DelayedOperation, Purgatory } from 'purgatory';
import type { End, Lists } from './lists.ts';
import { array, bulk, NULL_ARRAY } from './protocol.ts';

/** Who waits. */
export interface Waiting {
  answer(reply: string): void;
}

export class BlockedPop extends DelayedOperation {
  readonly #pops: BlockedPops;
  readonly #keys: readonly string[];
  readonly #end: End;
  readonly #client: Waiting;
  /** What it is answered with, however it ends. */
  #reply = NULL_ARRAY;

  /** @param timeoutMs Infinity: for ever. */
  constructor(pops: BlockedPops, keys: readonly string[], end: End, timeoutMs: number, client: Waiting) {
    super(timeoutMs);
    this.#pops = pops;
    this.#keys = keys;
    this.#end = end;
    this.#client = client;
  }

  /**
   * An event on `key` has filled that list, and the others are empty. Without an event, the first
   * of the keys that has a list counts.
   */
  override tryComplete(key?: string): boolean {
    const { lists } = this.#pops;
    const from = key ?? this.#keys.find((each) => lists.sizeOf(each) > 0);
    const item = from === undefined ? undefined : lists.pop(from, this.#end);
    if (item === undefined) return false;
    return this.end(array([bulk(from), bulk(item)]));
  }

  /** CLIENT UNBLOCK, and a pop: ends it with `reply`. True iff this call did. */
  end(reply: string): boolean {
    this.#reply = reply;
    return this.forceComplete();
  }

  override onComplete(): void {
    this.#client.answer(this.#reply);
  }
}

export class BlockedPops {
  readonly lists: Lists;
  readonly waiting: Purgatory<string, BlockedPop> = new Purgatory<string, BlockedPop>('blocked pops');

  constructor(lists: Lists) {
    this.lists = lists;
  }

  /**
   * Those who wait longest for `key` get what was pushed. By `checkAndComplete`, in the call: by
   * `notify` they would come at the end of the turn, after the next command of the same packet.
   */
  didPush(key: string): void {
    this.waiting.checkAndComplete(key, { atMost: this.lists.sizeOf(key) });
  }

  /** Answers `client` with the first item of the first of `keys`. If it has to wait: the wait. */
  pop(keys: readonly string[], end: End, timeoutMs: number, client: Waiting): BlockedPop | undefined {
    const pop = new BlockedPop(this, keys, end, timeoutMs, client);
    return this.waiting.tryCompleteElseWatch(pop, keys) ? undefined : pop;
  }
}
