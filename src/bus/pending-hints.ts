// Hints that wait, to be sent or to be tried: each key of a member once.
//
// Ground rules. The values of a key become one as its member says; by default, the later one
// counts, if there is one.
//
// Costs. add: O(1). take: O(hints taken).
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

  add({ member, key, value }: PendingHint): void {
    let keys = this.#keys.get(member);
    if (keys === undefined) {
      keys = new Map();
      this.#keys.set(member, keys);
    }
    const before = keys.size;
    const pending = keys.get(key);
    keys.set(key, value);
    if (keys.size > before) this.#size++;
    else if (member.merge !== undefined) keys.set(key, member.merge(pending, value));
    else if (value === undefined) keys.set(key, pending);
  }

  /** Puts hints back to the front: they were published before what is pending. O(size). */
  putBack(hints: readonly PendingHint[]): void {
    const later = [...this.#keys];
    this.#keys.clear();
    this.#size = 0;
    for (const hint of hints) this.add(hint);
    for (const [member, keys] of later) for (const [key, value] of keys) this.add({ member, key, value });
  }

  /**
   * Takes out hints in order while `takes` allows it, and hands each to `taken`, which may change
   * everything here. Returns whether it has stopped before the end.
   */
  take(takes: (hint: PendingHint) => boolean, taken: (hint: PendingHint) => void): boolean {
    for (const [member, keys] of this.#keys) {
      for (const [key, value] of keys) {
        const hint = { member, key, value };
        if (!takes(hint)) return true;
        keys.delete(key);
        this.#size--;
        taken(hint);
      }
      if (this.#keys.get(member) === keys) this.#keys.delete(member);
    }
    return false;
  }

  /** Takes out the hint on a key of a member, if there is one. */
  takeOne(member: BusMember, key: string): PendingHint | undefined {
    const keys = this.#keys.get(member);
    const value = keys?.get(key);
    if (!keys?.delete(key)) return undefined;
    this.#size--;
    return { member, key, value };
  }

  /** Deletes the hints of a member. */
  drop(member: BusMember): void {
    const keys = this.#keys.get(member);
    this.#keys.delete(member);
    this.#size -= keys?.size ?? 0;
    keys?.clear(); // a `take` may be on its way through them
  }

  clear(): void {
    for (const member of this.members) this.drop(member);
  }
}
