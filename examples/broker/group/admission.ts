/** Who may join a group, and what a member is told that may not do what it asks for now. Stateless, O(members x protocols). */
import { ErrorCode } from '../protocol/error-codes.ts';
import type { Group } from './group.ts';
import type { MemberProfile } from './member.ts';

export interface CoordinatorOptions {
  /** Whether a group is this node's. */
  readonly coordinates: (groupId: string) => boolean;
  /** Of all groups together, ids that were given out and have not joined yet included. */
  readonly maxMembers: number;
  /** Kafka's group.min.session.timeout.ms and group.max.session.timeout.ms. */
  readonly minSessionTimeoutMs: number;
  readonly maxSessionTimeoutMs: number;
  /** How long the first join of a group waits for further members (ms): Kafka's group.initial.rebalance.delay.ms. */
  readonly initialRebalanceMs: number;
  readonly log: (line: string) => void;
}

export interface JoinRequest {
  readonly groupId: string;
  readonly memberId: string;
  readonly protocolType: string;
  readonly profile: MemberProfile;
  /** Whether a newcomer is sent back to join again with the id that it is given, so that none is lost with an answer. */
  readonly mustBringId: boolean;
}

/** Why the request cannot join `group`, as an error code; there are `members` in all groups so far. */
export function joinError(
  group: Group,
  { memberId, protocolType, profile }: JoinRequest,
  members: number,
  { minSessionTimeoutMs, maxSessionTimeoutMs, maxMembers, coordinates, log }: CoordinatorOptions,
): number {
  const { sessionTimeoutMs, instanceId, protocols } = profile;
  if (group.id === '') return ErrorCode.INVALID_GROUP_ID;
  if (!coordinates(group.id)) return ErrorCode.NOT_COORDINATOR;
  if (sessionTimeoutMs < minSessionTimeoutMs || sessionTimeoutMs > maxSessionTimeoutMs) {
    return ErrorCode.INVALID_SESSION_TIMEOUT;
  }
  if (protocolType === '' || protocols.length === 0 || !group.accepts(protocolType, protocols, memberId)) {
    return ErrorCode.INCONSISTENT_GROUP_PROTOCOL;
  }
  const known = group.members.get(memberId);
  if (known !== undefined && known.profile.instanceId !== instanceId) return ErrorCode.FENCED_INSTANCE_ID;
  const isForeign = memberId !== '' && known === undefined && !group.pending.has(memberId);
  if (isForeign) return unknownError(group, instanceId);
  if (memberId !== '' || members < maxMembers) return ErrorCode.NONE;
  log(`refused a new member from ${profile.clientHost}: --max-parked is ${maxMembers}`);
  return ErrorCode.COORDINATOR_NOT_AVAILABLE;
}

export function rebalanceError(group: Group, state: Group['state']): number {
  return group.state === state ? ErrorCode.REBALANCE_IN_PROGRESS : ErrorCode.NONE;
}

/** A member id whose place another process took with the same instance id is fenced, any other is unknown. */
export function unknownError(group: Group, instanceId: string | null): number {
  const isReplaced = instanceId !== null && group.memberOfInstance(instanceId) !== undefined;
  return isReplaced ? ErrorCode.FENCED_INSTANCE_ID : ErrorCode.UNKNOWN_MEMBER_ID;
}
