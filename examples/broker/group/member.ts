import { isDeepStrictEqual } from 'node:util';
import type { DelayedHeartbeat } from './delayed-heartbeat.ts';
import { type GroupMemory, Place, placeBytes, textBytes } from './memory.ts';
import { subscribedTopics } from './subscription.ts';

const NOTHING = Buffer.alloc(0);
/** The objects around a protocol. A round sum. */
const PROTOCOL_BYTES = 256;

/**
 * A way to share out partitions that a member offers, in order of preference; its metadata is for
 * the group's leader only.
 */
export interface Protocol {
  readonly name: string;
  readonly metadata: Buffer;
}

/** What a member says of itself when it joins. */
export interface MemberProfile {
  readonly instanceId: string | null;
  readonly clientId: string;
  readonly clientHost: string;
  readonly sessionTimeoutMs: number;
  readonly rebalanceTimeoutMs: number;
  readonly protocolType: string;
  readonly protocols: readonly Protocol[];
}

/** The identity of a member in a request. */
export interface MemberRef {
  readonly groupId: string;
  readonly memberId: string;
  readonly groupInstanceId: string | null;
  readonly generationId: number;
}

export interface JoinResult {
  readonly errorCode: number;
  readonly memberId: string;
  readonly generationId?: number;
  readonly protocolType?: string | null;
  readonly protocolName?: string;
  readonly leader?: string;
  /** It leads, and does not share out: everyone has a share. */
  readonly skipAssignment?: boolean;
  /** For the leader alone, which shares out the partitions. */
  readonly members: readonly { memberId: string; groupInstanceId: string | null; metadata: Buffer }[];
}

export interface SyncResult {
  readonly errorCode: number;
  readonly protocolType?: string;
  readonly protocolName?: string;
  readonly assignment: Buffer;
}

/**
 * One member of a group. Owned by its Group; `join` and `sync` hold the answers it waits for. What
 * it keeps is counted in `memory`.
 */
export class Member {
  readonly id: string;
  session: DelayedHeartbeat | undefined;
  join: ((result: JoinResult) => void) | undefined;
  sync: ((result: SyncResult) => void) | undefined;
  readonly #groupId: string;
  readonly #place: Place;
  #profile: MemberProfile;
  #assignment: Buffer = NOTHING;

  constructor(memory: GroupMemory, groupId: string, id: string, profile: MemberProfile) {
    this.id = id;
    this.#groupId = groupId;
    this.#profile = profile;
    this.#place = new Place(memory, this.#bytes());
  }

  get profile(): MemberProfile {
    return this.#profile;
  }

  set profile(profile: MemberProfile) {
    this.#profile = profile;
    this.#place.resize(this.#bytes());
  }

  /** Its share, which the leader gave it. */
  get assignment(): Buffer {
    return this.#assignment;
  }

  set assignment(assignment: Buffer) {
    this.#assignment = assignment;
    this.#place.resize(this.#bytes());
  }

  /** It is in its group no longer. */
  release(): void {
    this.#place.release();
  }

  #bytes(): number {
    return placeBytes(this.#groupId) + profileBytes(this.#profile) + this.#assignment.length;
  }
}

/** O(protocols). */
export function profileBytes({
  instanceId,
  clientId,
  clientHost,
  protocolType,
  protocols,
}: MemberProfile): number {
  return protocols.reduce(
    (sum, { name, metadata }) => sum + PROTOCOL_BYTES + textBytes(name) + metadata.length,
    textBytes(instanceId, clientId, clientHost, protocolType),
  );
}

/**
 * Whether a process that takes the place of another wants what that one read: the same topics or,
 * where the group is none of consumers, the same to the byte. What a consumer says besides of the
 * partitions that it had is of the process that is gone.
 */
export function sameSubscription(former: MemberProfile, profile: MemberProfile, protocol: string): boolean {
  const [one, other] = [former, profile].map(({ protocols }) =>
    protocols.find(({ name }) => name === protocol),
  );
  if (one === undefined || other === undefined) return false;
  if (one.metadata.equals(other.metadata)) return true;
  const [before, now] = [one, other].map(({ metadata }) => subscribedTopics(metadata)?.sort());
  return profile.protocolType === 'consumer' && now !== undefined && isDeepStrictEqual(before, now);
}

/** Whether a member that joins again offers exactly what it did. */
export function sameProtocols(one: readonly Protocol[], other: readonly Protocol[]): boolean {
  return (
    one.length === other.length &&
    one.every(
      ({ name, metadata }, index) => name === other[index].name && metadata.equals(other[index].metadata),
    )
  );
}
