// Hints that wait, to be sent or to be tried: each key of a member once.
//
// Ground rules. The values of a key become one as its member says; by default, the later one
// counts. A walk goes on soundly whatever is added or deleted meanwhile.
//
// Costs. add, delete: O(1).
import type { BusMember, HintValue } from './membership/bus-member.ts';

export interface PendingHint {
  readonly member: BusMember;
  readonly key: string;
  readonly value: HintValue | undefined;
}

export class PendingHints {
  readonly #keys = new Map<BusMember, Map<string, HintValue | undefined>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get members(): BusMember[] {
    return [...this.#keys.keys()];
  }

  /** @param isEarlier it was published before what is pending. */
  add({ member, key, value }: PendingHint, isEarlier = false): void {
    let keys = this.#keys.get(member);
    if (keys === undefined) {
      keys = new Map();
      this.#keys.set(member, keys);
    }
    const before = keys.size;
    const pending = keys.get(key);
    keys.set(key, value);
    if (keys.size > before) this.#size++;
    else if (member.merge !== undefined)
      keys.set(key, isEarlier ? member.merge(value, pending) : member.merge(pending, value));
    else if (isEarlier) keys.set(key, pending);
  }

  delete({ member, key }: PendingHint): void {
    const keys = this.#keys.get(member);
    if (!keys?.delete(key)) return;
    this.#size--;
    if (keys.size === 0) this.#keys.delete(member);
  }

  /** Deletes the hints of a member. */
  drop(member: BusMember): void {
    const keys = this.#keys.get(member);
    this.#keys.delete(member);
    this.#size -= keys?.size ?? 0;
    keys?.clear(); // a walk may be on its way through them
  }

  clear(): void {
    for (const member of this.members) this.drop(member);
  }

  *[Symbol.iterator](): IterableIterator<PendingHint> {
    for (const [member, keys] of this.#keys) {
      for (const [key, value] of keys) yield { member, key, value };
    }
  }
}
