// A member's end of interest routing: which of its keys somebody watches, and which are to be
// tried.
//
// Ground rules. It counts its keys into the buckets of the table. A key that is watched while its
// bucket is not acknowledged may miss a hint. So it is tried at the acknowledgement, and already
// after HOLD_MS where that takes longer. A key without watchers is not tried.
//
// Costs. watched, unwatched: O(length of the key). heard: O(buckets + keys). Memory only for keys
// that wait for an acknowledgement.
import type { TimerTask } from '../../timer/timer-task.ts';
import type { BusBase } from '../bus-base.ts';
import type { BusMember, KeyInterest } from '../membership/bus-member.ts';
import { bucketOf, seedOf } from './buckets.ts';

/** How long a key waits for its acknowledgement before it is tried without it. */
const HOLD_MS = 100;

/** A key that is to be tried, as if another process had published it. */
export type KeyTry = readonly [member: BusMember, key: string];

export type TryKeys = (tries: readonly KeyTry[]) => void;

/** What it needs of the table. */
export interface Buckets {
  /** False: the keys of the bucket are to be tried once it is acknowledged. */
  add(bucket: number): boolean;
  remove(bucket: number): void;
  readonly isLive: boolean;
}

export class MemberInterest implements KeyInterest {
  readonly #base: BusBase;
  readonly #member: BusMember;
  readonly #buckets: Buckets;
  readonly #try: TryKeys;
  readonly #seed: number;
  /** By bucket and key: the task that tries the key after HOLD_MS. */
  readonly #unheard = new Map<number, Map<string, TimerTask>>();

  constructor(base: BusBase, member: BusMember, buckets: Buckets, tryKeys: TryKeys) {
    this.#base = base;
    this.#member = member;
    this.#buckets = buckets;
    this.#try = tryKeys;
    this.#seed = seedOf(member.name);
  }

  watched(key: string): void {
    const bucket = bucketOf(this.#seed, key);
    if (this.#buckets.add(bucket)) return;
    const tried = this.#base.timer.schedule(() => this.#try([[this.#member, key]]), HOLD_MS);
    const keys = this.#unheard.get(bucket);
    if (keys === undefined) this.#unheard.set(bucket, new Map([[key, tried]]));
    else keys.set(key, tried);
  }

  unwatched(key: string): void {
    const bucket = bucketOf(this.#seed, key);
    const keys = this.#unheard.get(bucket);
    keys?.get(key)?.cancel();
    if (keys?.delete(key) && keys.size === 0) this.#unheard.delete(bucket);
    this.#buckets.remove(bucket);
  }

  isHeld(key: string): boolean {
    const tried = this.#unheard.get(bucketOf(this.#seed, key))?.get(key);
    return this.#buckets.isLive && tried?.isPending === true;
  }

  /** The keys of `buckets`, by default of all, that are to be tried now. It forgets them. */
  heard(buckets: Iterable<number> = [...this.#unheard.keys()]): KeyTry[] {
    const tries: KeyTry[] = [];
    for (const bucket of buckets) {
      for (const [key, tried] of this.#unheard.get(bucket) ?? []) {
        tried.cancel();
        tries.push([this.#member, key]);
      }
      this.#unheard.delete(bucket);
    }
    return tries;
  }
}
