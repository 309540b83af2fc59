/** What members of a group ask, and who asks about one, translated to the coordinator and back. */
import type { Request } from '../network/exchange.ts';
import { ErrorCode } from '../protocol/error-codes.ts';
import { Refusal } from '../refusal.ts';
import { authorizedOperations } from './authorized-operations.ts';
import type { Context, Handler } from './context.ts';
import { firstTime } from './first-time.ts';

/**
 * What a group keeps of a member outlives the request and its connection: as much as Kafka's
 * offsets topic takes for a group.
 */
const MAX_MEMBER_BYTES = 1024 * 1024;
/** Clients have a handful. */
const MAX_PROTOCOLS = 100;
const NOTHING = Buffer.alloc(0);
/** From here on a newcomer is given its member id before it joins (KIP-394). */
const MEMBER_ID_REQUIRED_FROM = 4;
const MANY_LEAVERS_FROM = 3;
/** From here on a leader can be told not to share out (KIP-814). */
const SKIPPED_ASSIGNMENT_FROM = 9;

/** Throws a Refusal when there is more than a group keeps of a member. */
function checkAtMost(most: number, what: string, count: number): void {
  if (count > most) throw new Refusal(`${what.replace('#', String(count))}, where ${most} is the most`);
}

export const joinGroup: Handler<'JoinGroup'> = (exchange, { groups }) => {
  const { request } = exchange;
  const bytes = request.protocols.map(({ name, metadata }) => name.length + metadata.length);
  checkAtMost(MAX_PROTOCOLS, '# protocols', bytes.length);
  checkAtMost(
    MAX_MEMBER_BYTES,
    'protocols of # bytes',
    bytes.reduce((sum, each) => sum + each, 0),
  );
  groups.join(
    {
      groupId: request.groupId,
      memberId: request.memberId,
      mustBringId: exchange.version >= MEMBER_ID_REQUIRED_FROM,
      maySkipAssignment: exchange.version >= SKIPPED_ASSIGNMENT_FROM,
      profile: {
        instanceId: request.groupInstanceId,
        protocolType: request.protocolType,
        clientId: exchange.clientId,
        clientHost: `/${exchange.owner.peer.replace(/:\d+$/, '')}`,
        sessionTimeoutMs: request.sessionTimeoutMs,
        rebalanceTimeoutMs: rebalanceTimeoutOf(request),
        // Copies: a group lives longer than the frame that the metadata came in.
        protocols: request.protocols.map(({ name, metadata }) => ({ name, metadata: Buffer.from(metadata) })),
      },
    },
    (result) => exchange.respond(result),
  );
};

/** Before version 1 a member has one timeout for both. */
function rebalanceTimeoutOf({ rebalanceTimeoutMs, sessionTimeoutMs }: Request<'JoinGroup'>): number {
  return rebalanceTimeoutMs < 0 ? sessionTimeoutMs : rebalanceTimeoutMs;
}

export const syncGroup: Handler<'SyncGroup'> = (exchange, { groups }) => {
  const { request } = exchange;
  for (const { assignment } of request.assignments)
    checkAtMost(MAX_MEMBER_BYTES, 'a share of # bytes', assignment.length);
  const assignments = new Map(
    request.assignments.map(({ memberId, assignment }) => [memberId, Buffer.from(assignment)]),
  );
  groups.sync(request, assignments, (result) => exchange.respond(result));
};

export const heartbeat: Handler<'Heartbeat'> = (exchange, { groups }) => {
  exchange.respond({ errorCode: groups.heartbeat(exchange.request) });
};

export const leaveGroup: Handler<'LeaveGroup'> = (exchange, { groups }) => {
  const { groupId, memberId, members } = exchange.request;
  if (exchange.version < MANY_LEAVERS_FROM) {
    exchange.respond({ errorCode: groups.leave(groupId, memberId, null), members: [] });
    return;
  }
  exchange.respond({
    errorCode: ErrorCode.NONE,
    members: members.map((member) => ({
      ...member,
      errorCode: groups.leave(groupId, member.memberId, member.groupInstanceId),
    })),
  });
};

export const describeGroups: Handler<'DescribeGroups'> = (exchange, context) => {
  const groups = exchange.request.groups.filter(firstTime());
  const { includeAuthorizedOperations } = exchange.request;
  const operations = authorizedOperations('group', includeAuthorizedOperations);
  exchange.respond({
    groups: groups.map((groupId) => {
      const described = describe(groupId, context);
      const isFound = described.errorCode === ErrorCode.NONE;
      return isFound ? { ...described, authorizedOperations: operations } : described;
    }),
  });
};

function describe(groupId: string, { cluster, groups, offsets }: Context) {
  const group = groups.get(groupId);
  const none = { errorCode: ErrorCode.NONE, groupId, protocolType: '', protocolData: '', members: [] };
  if (!cluster.isSelf(cluster.coordinatorOf(groupId)))
    return { ...none, errorCode: ErrorCode.NOT_COORDINATOR, groupState: '' };
  if (group === undefined) return { ...none, groupState: offsets.all(groupId).size > 0 ? 'Empty' : 'Dead' };
  // Between two generations there is no protocol yet, and nobody has a share (as Kafka tells it).
  const isStable = group.state === 'Stable';
  return {
    ...none,
    groupState: group.state,
    protocolType: group.protocolType,
    protocolData: isStable ? group.protocolName : '',
    members: [...group.members.values()].map(({ id, profile, assignment }) => ({
      memberId: id,
      groupInstanceId: profile.instanceId,
      clientId: profile.clientId,
      clientHost: profile.clientHost,
      memberMetadata: isStable ? group.metadataOf(profile.protocols) : NOTHING,
      memberAssignment: isStable ? assignment : NOTHING,
    })),
  };
}
