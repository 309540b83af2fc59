/** Where consumer groups left off. */
import { api, throttleFrom } from './api.ts';

const fetchedOffsets = {
  name: 'string',
  partitions: [
    {
      partitionIndex: 'int32',
      committedOffset: 'int64',
      committedLeaderEpoch: 'int32 5+ = -1',
      metadata: 'string?',
      errorCode: 'int16',
    },
  ],
} as const;

export const offsetApis = {
  OffsetCommit: api(
    8,
    [1, 8],
    8,
    {
      groupId: 'string',
      generationId: 'int32',
      memberId: 'string',
      groupInstanceId: 'string? 7+',
      retentionTimeMs: 'int64 2-4 = -1',
      topics: [
        {
          name: 'string',
          partitions: [
            {
              partitionIndex: 'int32',
              committedOffset: 'int64',
              committedLeaderEpoch: 'int32 6+ = -1',
              commitTimestamp: 'int64 1-1 = -1',
              committedMetadata: 'string?',
            },
          ],
        },
      ],
    },
    {
      throttleTimeMs: throttleFrom('3+'),
      topics: [{ name: 'string', partitions: [{ partitionIndex: 'int32', errorCode: 'int16' }] }],
    },
  ),
  OffsetFetch: api(
    9,
    [1, 8],
    6,
    {
      groupId: 'string 0-7',
      topics: [{ name: 'string', partitionIndexes: 'int32[]' }, '? 0-7'],
      groups: [{ groupId: 'string', topics: [{ name: 'string', partitionIndexes: 'int32[]' }, '?'] }, '8+'],
      requireStable: 'bool 7+',
    },
    {
      throttleTimeMs: throttleFrom('3+'),
      topics: [fetchedOffsets, '0-7'],
      errorCode: 'int16 2-7 = 0',
      groups: [{ groupId: 'string', topics: [fetchedOffsets], errorCode: 'int16' }, '8+'],
    },
  ),
  OffsetDelete: api(
    47,
    [0, 0],
    1,
    { groupId: 'string', topics: [{ name: 'string', partitions: [{ partitionIndex: 'int32' }] }] },
    {
      errorCode: 'int16',
      throttleTimeMs: throttleFrom('0+'),
      topics: [{ name: 'string', partitions: [{ partitionIndex: 'int32', errorCode: 'int16' }] }],
    },
  ),
} as const;
