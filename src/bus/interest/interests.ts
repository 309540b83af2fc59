// The members of a bus with interest routing, and which of their keys are to be tried.
//
// Ground rules. It owns a MemberInterest for each member that has joined. It decides nothing: the
// table says when the keys of a bucket are heard.
//
// Costs. heard: O(buckets x members + keys).
import type { BusMember } from '../../membership/bus-member.ts';
import { type Buckets, MemberInterest } from './member-interest.ts';

/** A key that is to be tried, as if another process had published it. */
export type KeyTry = readonly [member: BusMember, key: string];

export class Interests {
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
