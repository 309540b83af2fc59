/** Consumer groups: who is in one, and who shares what out. */
import { api, throttleFrom } from './api.ts';

const memberIdentity = { memberId: 'string', groupInstanceId: 'string? 3+' } as const;

export const groupApis = {
  FindCoordinator: api(
    10,
    [0, 4],
    3,
    { key: 'string 0-3', keyType: 'int8 1+', coordinatorKeys: 'string[] 4+' },
    {
      throttleTimeMs: throttleFrom('1+'),
      errorCode: 'int16 0-3 = 0',
      errorMessage: 'string? 1-3 = null',
      nodeId: 'int32 0-3 = -1',
      host: 'string 0-3 = ""',
      port: 'int32 0-3 = -1',
      coordinators: [
        {
          key: 'string',
          nodeId: 'int32',
          host: 'string',
          port: 'int32',
          errorCode: 'int16',
          errorMessage: 'string?',
        },
        '4+',
      ],
    },
  ),
  JoinGroup: api(
    11,
    [0, 9],
    6,
    {
      groupId: 'string',
      sessionTimeoutMs: 'int32',
      rebalanceTimeoutMs: 'int32 1+ = -1',
      memberId: 'string',
      groupInstanceId: 'string? 5+',
      protocolType: 'string',
      protocols: [{ name: 'string', metadata: 'bytes' }],
      reason: 'string? 8+ = null',
    },
    {
      throttleTimeMs: throttleFrom('2+'),
      errorCode: 'int16',
      generationId: 'int32 = -1',
      protocolType: 'string? 7+ = null',
      protocolName: 'string = ""',
      leader: 'string = ""',
      skipAssignment: 'bool 9+ = false',
      memberId: 'string',
      members: [{ memberId: 'string', groupInstanceId: 'string? 5+', metadata: 'bytes' }],
    },
  ),
  Heartbeat: api(
    12,
    [0, 4],
    4,
    { groupId: 'string', generationId: 'int32', ...memberIdentity },
    { throttleTimeMs: throttleFrom('1+'), errorCode: 'int16' },
  ),
  LeaveGroup: api(
    13,
    [0, 5],
    4,
    {
      groupId: 'string',
      memberId: 'string 0-2',
      members: [{ ...memberIdentity, reason: 'string? 5+ = null' }, '3+'],
    },
    {
      throttleTimeMs: throttleFrom('1+'),
      errorCode: 'int16',
      members: [{ ...memberIdentity, errorCode: 'int16' }, '3+'],
    },
  ),
  SyncGroup: api(
    14,
    [0, 5],
    4,
    {
      groupId: 'string',
      generationId: 'int32',
      ...memberIdentity,
      protocolType: 'string? 5+',
      protocolName: 'string? 5+',
      assignments: [{ memberId: 'string', assignment: 'bytes' }],
    },
    {
      throttleTimeMs: throttleFrom('1+'),
      errorCode: 'int16',
      protocolType: 'string? 5+ = null',
      protocolName: 'string? 5+ = null',
      assignment: 'bytes',
    },
  ),
  DescribeGroups: api(
    15,
    [0, 5],
    5,
    { groups: 'string[]', includeAuthorizedOperations: 'bool 3+' },
    {
      throttleTimeMs: throttleFrom('1+'),
      groups: [
        {
          errorCode: 'int16',
          groupId: 'string',
          groupState: 'string',
          protocolType: 'string',
          protocolData: 'string',
          members: [
            {
              memberId: 'string',
              groupInstanceId: 'string? 4+',
              clientId: 'string',
              clientHost: 'string',
              memberMetadata: 'bytes',
              memberAssignment: 'bytes',
            },
          ],
          authorizedOperations: 'int32 3+ = -2147483648',
        },
      ],
    },
  ),
  ListGroups: api(
    16,
    [0, 5],
    3,
    { statesFilter: 'string[] 4+', typesFilter: 'string[] 5+' },
    {
      throttleTimeMs: throttleFrom('1+'),
      errorCode: 'int16',
      groups: [
        { groupId: 'string', protocolType: 'string', groupState: 'string 4+', groupType: 'string 5+' },
      ],
    },
  ),
  DeleteGroups: api(
    42,
    [0, 2],
    2,
    { groupsNames: 'string[]' },
    { throttleTimeMs: throttleFrom('0+'), results: [{ groupId: 'string', errorCode: 'int16' }] },
  ),
} as const;
