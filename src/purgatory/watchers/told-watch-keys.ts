// The keys of a purgatory whose bus is to know which of them somebody watches.
//
// Ground rules. It is a class of its own, so that a purgatory without such a bus pays nothing. Keys
// are strings then (bus-member.ts). If a call overflows the stack, the bus counts a watcher too
// many, never one too few: it is told before a key is added, and after one is removed.
import type { KeyInterest } from '../../bus/membership/bus-member.ts';
import type { Head } from './lone-watcher.ts';
import { WatchKeys } from './watch-keys.ts';

export class ToldWatchKeys<K> extends WatchKeys<K> {
  readonly #interest: KeyInterest;

  constructor(interest: KeyInterest) {
    super();
    this.#interest = interest;
  }

  override add(key: K, head: Head): number {
    this.#interest.watched(key as string);
    return super.add(key, head);
  }

  override remove(id: number): void {
    const key = this.key(id);
    super.remove(id);
    this.#interest.unwatched(key as string);
  }
}
