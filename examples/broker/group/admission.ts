/**
 * Checks which members may join a group, and the errors for members that may not do what they ask
 * for. Stateless, O(members x protocols).
 */
import type { Log } from '../log-lines.ts';
import { ErrorCode } from '../protocol/error-codes.ts';
import type { Group } from './group.ts';
import { type Member, type MemberProfile, profileBytes } from './member.ts';
import { type GroupMemory, placeBytes } from './memory.ts';

export interface CoordinatorOptions {
  /** Whether a group is this node's. */
  readonly coordinates: (groupId: string) => boolean;
  /** Of all groups together, ids that were given out and have not joined yet included. */
  readonly maxMembers: number;
  /** Groups that have members. */
  readonly maxGroups: number;
  /** Of one group: Kafka's group.max.size. */
  readonly maxGroupSize: number;
  readonly memory: GroupMemory;
  /** Kafka's group.min.session.timeout.ms and group.max.session.timeout.ms. */
  readonly minSessionTimeoutMs: number;
  readonly maxSessionTimeoutMs: number;
  /**
   * How long the first join of a group waits for further members (ms): Kafka's
   * group.initial.rebalance.delay.ms.
   */
  readonly initialRebalanceMs: number;
  readonly log: Log;
}

export interface JoinRequest {
  readonly groupId: string;
  readonly memberId: string;
  readonly profile: MemberProfile;
  /**
   * Whether a new member must join again with the id that it is given, so that no member is lost
   * with an answer.
   */
  readonly mustBringId: boolean;
  /** Whether a leader can be told not to share out (KIP-814). */
  readonly maySkipAssignment: boolean;
}

/**
 * The reason why the request cannot join `group`, as an error code. `groups` is the number of
 * groups with members.
 */
export function joinError(
  group: Group,
  request: JoinRequest,
  groups: number,
  options: CoordinatorOptions,
): number {
  const { memberId, profile } = request;
  const { sessionTimeoutMs, instanceId, protocolType, protocols } = profile;
  if (group.id === '') return ErrorCode.INVALID_GROUP_ID;
  if (!options.coordinates(group.id)) return ErrorCode.NOT_COORDINATOR;
  if (sessionTimeoutMs < options.minSessionTimeoutMs || sessionTimeoutMs > options.maxSessionTimeoutMs) {
    return ErrorCode.INVALID_SESSION_TIMEOUT;
  }
  const replaced = replacedBy(group, request);
  if (protocolType === '' || protocols.length === 0 || !group.accepts(profile, replaced?.id ?? memberId)) {
    return ErrorCode.INCONSISTENT_GROUP_PROTOCOL;
  }
  const known = group.members.get(memberId);
  if (known !== undefined && known.profile.instanceId !== instanceId) return ErrorCode.FENCED_INSTANCE_ID;
  const isForeign = memberId !== '' && known === undefined && !group.pending.has(memberId);
  if (isForeign) return unknownError(group, instanceId);
  return roomError(group, request, groups, options);
}

/** The static member whose place the request takes: a process that starts again brings no id. */
export function replacedBy(group: Group, { memberId, profile }: JoinRequest): Member | undefined {
  if (profile.instanceId === null || group.members.has(memberId)) return undefined;
  return group.memberOfInstance(profile.instanceId);
}

/**
 * Whether there is room for the request, as an error code. With 15 clients try again later, with 81
 * they stop.
 */
function roomError(
  group: Group,
  request: JoinRequest,
  groups: number,
  { maxMembers, maxGroups, maxGroupSize, memory, log }: CoordinatorOptions,
): number {
  const { memberId, profile } = request;
  const known = group.members.get(memberId) ?? replacedBy(group, request);
  const isNew = memberId === '' && known === undefined;
  const bytes =
    (isNew ? placeBytes(group.id) : 0) + profileBytes(profile) - (known ? profileBytes(known.profile) : 0);
  const { COORDINATOR_NOT_AVAILABLE, GROUP_MAX_SIZE_REACHED } = ErrorCode;
  if (isNew && memory.places >= maxMembers)
    return refused(COORDINATOR_NOT_AVAILABLE, `--max-parked is ${maxMembers}`);
  if (isNew && group.size >= maxGroupSize)
    return refused(GROUP_MAX_SIZE_REACHED, `--group-max-size is ${maxGroupSize}`);
  if (group.size === 0 && groups >= maxGroups)
    return refused(COORDINATOR_NOT_AVAILABLE, `--max-groups is ${maxGroups}`);
  if (bytes > 0 && !memory.hasRoomFor(bytes))
    return refused(COORDINATOR_NOT_AVAILABLE, `--max-group-bytes is ${memory.maxBytes}`);
  return ErrorCode.NONE;

  function refused(errorCode: number, rule: string): number {
    log(`refused a ${isNew ? 'new ' : ''}member from ${profile.clientHost}: ${rule}`, 'limited');
    return errorCode;
  }
}

/** Whether there is room for what the leader shares out; a line in the log where there is none. */
export function hasRoomForShares(
  assignments: ReadonlyMap<string, Buffer>,
  { profile }: Member,
  { memory, log }: CoordinatorOptions,
): boolean {
  let bytes = 0;
  for (const assignment of assignments.values()) bytes += assignment.length;
  if (memory.hasRoomFor(bytes)) return true;
  log(
    `refused the shares that a leader from ${profile.clientHost} gave: --max-group-bytes is ${memory.maxBytes}`,
    'limited',
  );
  return false;
}

export function rebalanceError(group: Group, state: Group['state']): number {
  return group.state === state ? ErrorCode.REBALANCE_IN_PROGRESS : ErrorCode.NONE;
}

/**
 * A member id whose place another process took with the same instance id is fenced. Any other is
 * unknown.
 */
export function unknownError(group: Group, instanceId: string | null): number {
  const isReplaced = instanceId !== null && group.memberOfInstance(instanceId) !== undefined;
  return isReplaced ? ErrorCode.FENCED_INSTANCE_ID : ErrorCode.UNKNOWN_MEMBER_ID;
}
