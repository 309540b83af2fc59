// The members' ends of interest routing: which of their keys somebody watches, and which of those
// are to be tried.
//
// Ground rules. A member counts its keys into the buckets of the table. It remembers the keys that
// were watched while their bucket was not acknowledged: a hint may have passed by, so each of them
// is tried once, when the engine has acknowledged the bucket. The table says when that is. A key
// that nobody watches any more is not tried.
//
// Costs. watched, unwatched: O(length of the key). heard: O(buckets x members + keys). Memory only
// for keys that wait for an acknowledgement.
import type { BusMember, KeyInterest } from '../membership/bus-member.ts';
import { bucketOf, seedOf } from './buckets.ts';

/** A key that is to be tried, as if another process had published it. */
export type KeyTry = readonly [member: BusMember, key: string];

/** What it needs of the table. */
export interface Buckets {
  /** False: the keys of the bucket are to be tried once it is acknowledged. */
  add(bucket: number): boolean;
  remove(bucket: number): void;
  /** Whether tries of unheard keys are sure to come soon. */
  readonly holds: boolean;
}

export class MemberInterest implements KeyInterest {
  readonly #buckets: Buckets;
  readonly #seed: number;
  readonly #unheard = new Map<number, Set<string>>();

  constructor(member: BusMember, buckets: Buckets) {
    this.#buckets = buckets;
    this.#seed = seedOf(member.name);
  }

  watched(key: string): void {
    const bucket = bucketOf(this.#seed, key);
    if (this.#buckets.add(bucket)) return;
    const keys = this.#unheard.get(bucket);
    if (keys === undefined) this.#unheard.set(bucket, new Set([key]));
    else keys.add(key);
  }

  unwatched(key: string): void {
    const bucket = bucketOf(this.#seed, key);
    const keys = this.#unheard.get(bucket);
    if (keys?.delete(key) && keys.size === 0) this.#unheard.delete(bucket);
    this.#buckets.remove(bucket);
  }

  isHeld(key: string): boolean {
    return this.#buckets.holds && this.#unheard.get(bucketOf(this.#seed, key))?.has(key) === true;
  }

  /** The keys of `bucket` that are to be tried now. It forgets them. */
  heard(bucket: number): Iterable<string> {
    const keys = this.#unheard.get(bucket);
    if (keys === undefined) return [];
    this.#unheard.delete(bucket);
    return keys;
  }

  /** All keys that wait for an acknowledgement. */
  *unheard(): IterableIterator<string> {
    for (const keys of this.#unheard.values()) yield* keys;
  }

  forgetUnheard(): void {
    this.#unheard.clear();
  }
}

/** Those of all members of a bus. */
export class MemberInterests {
  readonly #members = new Map<BusMember, MemberInterest>();

  join(member: BusMember, buckets: Buckets): MemberInterest {
    const interest = new MemberInterest(member, buckets);
    this.#members.set(member, interest);
    return interest;
  }

  leave(member: BusMember): void {
    this.#members.delete(member);
  }

  clear(): void {
    this.#members.clear();
  }

  /** The keys that waited for the acknowledgement of `buckets`. It forgets them. */
  heard(buckets: readonly number[]): KeyTry[] {
    const tries: KeyTry[] = [];
    for (const [member, interest] of this.#members) {
      for (const bucket of buckets) for (const key of interest.heard(bucket)) tries.push([member, key]);
    }
    return tries;
  }

  /** All keys that wait for an acknowledgement. */
  unheard(): KeyTry[] {
    const tries: KeyTry[] = [];
    for (const [member, interest] of this.#members) {
      for (const key of interest.unheard()) tries.push([member, key]);
    }
    return tries;
  }

  forgetUnheard(): void {
    for (const interest of this.#members.values()) interest.forgetUnheard();
  }
}
