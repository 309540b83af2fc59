// A member's end of interest routing: which of its keys somebody watches.
//
// Ground rules. It counts its keys into the buckets of the table. It remembers the keys that were
// watched while their bucket was not acknowledged: a hint may have passed by, so each of them is
// tried once, when the engine has acknowledged the bucket. A key that nobody watches any more is
// not tried.
//
// Costs. O(length of the key). Memory only for keys that wait for an acknowledgement.
import type { BusMember, KeyInterest } from '../../membership/bus-member.ts';
import { bucketOf, seedOf } from './buckets.ts';

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
