import type { DelayedHeartbeat } from './delayed-heartbeat.ts';

/** A way to share out partitions that a member offers, in order of preference; its metadata is for the group's leader only. */
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
  readonly protocols: readonly Protocol[];
}

export interface JoinResult {
  readonly errorCode: number;
  readonly memberId: string;
  readonly generationId?: number;
  readonly protocolType?: string | null;
  readonly protocolName?: string;
  readonly leader?: string;
  /** For the leader alone, which shares out the partitions. */
  readonly members: readonly { memberId: string; groupInstanceId: string | null; metadata: Buffer }[];
}

export interface SyncResult {
  readonly errorCode: number;
  readonly protocolType?: string;
  readonly protocolName?: string;
  readonly assignment: Buffer;
}

/** One member of a group. Owned by its Group; `join` and `sync` hold the answers it waits for. */
export interface Member {
  readonly id: string;
  profile: MemberProfile;
  assignment: Buffer;
  session: DelayedHeartbeat | undefined;
  join: ((result: JoinResult) => void) | undefined;
  sync: ((result: SyncResult) => void) | undefined;
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
