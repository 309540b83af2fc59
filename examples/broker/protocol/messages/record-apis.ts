/** Records in, records out, and where they are. */
import { api, throttleFrom } from './api.ts';

export const recordApis = {
  Produce: api(
    0,
    [3, 11],
    9,
    {
      transactionalId: 'string?',
      acks: 'int16',
      timeoutMs: 'int32',
      topicData: [{ name: 'string', partitionData: [{ index: 'int32', records: 'bytes?' }] }],
    },
    {
      responses: [
        {
          name: 'string',
          partitionResponses: [
            {
              index: 'int32',
              errorCode: 'int16',
              baseOffset: 'int64 = -1',
              logAppendTimeMs: 'int64 = -1',
              logStartOffset: 'int64 5+ = -1',
              recordErrors: [{ batchIndex: 'int32', batchIndexErrorMessage: 'string?' }, '8+'],
              errorMessage: 'string? 8+',
            },
          ],
        },
      ],
      throttleTimeMs: throttleFrom('1+'),
    },
  ),
  Fetch: api(
    1,
    [4, 13],
    12,
    {
      replicaId: 'int32',
      maxWaitMs: 'int32',
      minBytes: 'int32',
      maxBytes: 'int32',
      isolationLevel: 'int8',
      sessionId: 'int32 7+',
      sessionEpoch: 'int32 7+ = -1',
      topics: [
        {
          topic: 'string 0-12',
          topicId: 'uuid 13+',
          partitions: [
            {
              partition: 'int32',
              currentLeaderEpoch: 'int32 9+ = -1',
              fetchOffset: 'int64',
              lastFetchedEpoch: 'int32 12+ = -1',
              logStartOffset: 'int64 5+ = -1',
              partitionMaxBytes: 'int32',
            },
          ],
        },
      ],
      forgottenTopicsData: [{ topic: 'string 0-12', topicId: 'uuid 13+', partitions: 'int32[]' }, '7+'],
      rackId: 'string 11+',
    },
    {
      throttleTimeMs: throttleFrom('1+'),
      errorCode: 'int16 7+ = 0',
      sessionId: 'int32 7+ = 0',
      responses: [
        {
          topic: 'string 0-12',
          topicId: 'uuid 13+',
          partitions: [
            {
              partitionIndex: 'int32',
              errorCode: 'int16',
              highWatermark: 'int64',
              lastStableOffset: 'int64 = -1',
              logStartOffset: 'int64 5+ = -1',
              abortedTransactions: [{ producerId: 'int64', firstOffset: 'int64' }, '?'],
              preferredReadReplica: 'int32 11+ = -1',
              records: 'records',
            },
          ],
        },
      ],
    },
  ),
  ListOffsets: api(
    2,
    [0, 10],
    6,
    {
      replicaId: 'int32',
      isolationLevel: 'int8 2+',
      topics: [
        {
          name: 'string',
          partitions: [
            {
              partitionIndex: 'int32',
              currentLeaderEpoch: 'int32 4+ = -1',
              timestamp: 'int64',
              maxNumOffsets: 'int32 0-0 = 1',
            },
          ],
        },
      ],
      timeoutMs: 'int32 10+ = 0',
    },
    {
      throttleTimeMs: throttleFrom('2+'),
      topics: [
        {
          name: 'string',
          partitions: [
            {
              partitionIndex: 'int32',
              errorCode: 'int16',
              oldStyleOffsets: 'int64[] 0-0 = []',
              timestamp: 'int64 1+ = -1',
              offset: 'int64 1+ = -1',
              leaderEpoch: 'int32 4+ = -1',
            },
          ],
        },
      ],
    },
  ),
  DeleteRecords: api(
    21,
    [0, 2],
    2,
    {
      topics: [{ name: 'string', partitions: [{ partitionIndex: 'int32', offset: 'int64' }] }],
      timeoutMs: 'int32',
    },
    {
      throttleTimeMs: throttleFrom('0+'),
      topics: [
        {
          name: 'string',
          partitions: [{ partitionIndex: 'int32', lowWatermark: 'int64', errorCode: 'int16' }],
        },
      ],
    },
  ),
  DescribeLogDirs: api(
    35,
    [0, 4],
    2,
    { topics: [{ topic: 'string', partitions: 'int32[]' }, '?'] },
    {
      throttleTimeMs: throttleFrom('0+'),
      errorCode: 'int16 3+ = 0',
      results: [
        {
          errorCode: 'int16',
          logDir: 'string',
          topics: [
            {
              name: 'string',
              partitions: [
                {
                  partitionIndex: 'int32',
                  partitionSize: 'int64',
                  offsetLag: 'int64',
                  isFutureKey: 'bool = false',
                },
              ],
            },
          ],
          totalBytes: 'int64 4+ = -1',
          usableBytes: 'int64 4+ = -1',
        },
      ],
    },
  ),
} as const;
