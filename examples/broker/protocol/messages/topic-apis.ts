/** What there is: versions, brokers, topics, and a number for a producer. */
import { api, throttleFrom } from './api.ts';

const NO_OPERATIONS = 'int32 8+ = -2147483648';
const NO_CLUSTER_OPERATIONS = 'int32 8-10 = -2147483648';

export const topicApis = {
  Metadata: api(
    3,
    [0, 12],
    9,
    {
      topics: [{ topicId: 'uuid 10+', name: 'string?' }, '?'],
      allowAutoTopicCreation: 'bool 4+ = true',
      includeClusterAuthorizedOperations: 'bool 8-10',
      includeTopicAuthorizedOperations: 'bool 8+',
    },
    {
      throttleTimeMs: throttleFrom('3+'),
      brokers: [{ nodeId: 'int32', host: 'string', port: 'int32', rack: 'string? 1+' }],
      clusterId: 'string? 2+',
      controllerId: 'int32 1+',
      topics: [
        {
          errorCode: 'int16',
          name: 'string?',
          topicId: 'uuid 10+',
          isInternal: 'bool 1+',
          partitions: [
            {
              errorCode: 'int16',
              partitionIndex: 'int32',
              leaderId: 'int32',
              leaderEpoch: 'int32 7+',
              replicaNodes: 'int32[]',
              isrNodes: 'int32[]',
              offlineReplicas: 'int32[] 5+',
            },
          ],
          topicAuthorizedOperations: NO_OPERATIONS,
        },
      ],
      clusterAuthorizedOperations: NO_CLUSTER_OPERATIONS,
    },
  ),
  ApiVersions: api(
    18,
    [0, 3],
    3,
    { clientSoftwareName: 'string 3+', clientSoftwareVersion: 'string 3+' },
    {
      errorCode: 'int16',
      apiKeys: [{ apiKey: 'int16', minVersion: 'int16', maxVersion: 'int16' }],
      throttleTimeMs: throttleFrom('1+'),
    },
  ),
  CreateTopics: api(
    19,
    [0, 7],
    5,
    {
      topics: [
        {
          name: 'string',
          numPartitions: 'int32',
          replicationFactor: 'int16',
          assignments: [{ partitionIndex: 'int32', brokerIds: 'int32[]' }],
          configs: [{ name: 'string', value: 'string?' }],
        },
      ],
      timeoutMs: 'int32',
      validateOnly: 'bool 1+',
    },
    {
      throttleTimeMs: throttleFrom('2+'),
      topics: [
        {
          name: 'string',
          topicId: 'uuid 7+',
          errorCode: 'int16',
          errorMessage: 'string? 1+',
          numPartitions: 'int32 5+ = -1',
          replicationFactor: 'int16 5+ = -1',
          configs: [
            { name: 'string', value: 'string?', readOnly: 'bool', configSource: 'int8', isSensitive: 'bool' },
            '? 5+',
          ],
        },
      ],
    },
  ),
  DeleteTopics: api(
    20,
    [0, 6],
    4,
    {
      topics: [{ name: 'string?', topicId: 'uuid' }, '6+'],
      topicNames: 'string[] 0-5',
      timeoutMs: 'int32',
    },
    {
      throttleTimeMs: throttleFrom('1+'),
      responses: [{ name: 'string?', topicId: 'uuid 6+', errorCode: 'int16', errorMessage: 'string? 5+' }],
    },
  ),
  InitProducerId: api(
    22,
    [0, 4],
    2,
    {
      transactionalId: 'string?',
      transactionTimeoutMs: 'int32',
      producerId: 'int64 3+ = -1',
      producerEpoch: 'int16 3+ = -1',
    },
    { throttleTimeMs: throttleFrom('0+'), errorCode: 'int16', producerId: 'int64', producerEpoch: 'int16' },
  ),
  CreatePartitions: api(
    37,
    [0, 3],
    2,
    {
      topics: [{ name: 'string', count: 'int32', assignments: [{ brokerIds: 'int32[]' }, '?'] }],
      timeoutMs: 'int32',
      validateOnly: 'bool',
    },
    {
      throttleTimeMs: throttleFrom('0+'),
      results: [{ name: 'string', errorCode: 'int16', errorMessage: 'string?' }],
    },
  ),
  ListPartitionReassignments: api(
    46,
    [0, 0],
    0,
    { timeoutMs: 'int32', topics: [{ name: 'string', partitionIndexes: 'int32[]' }, '?'] },
    {
      throttleTimeMs: throttleFrom('0+'),
      errorCode: 'int16',
      errorMessage: 'string?',
      topics: [
        {
          name: 'string',
          partitions: [
            {
              partitionIndex: 'int32',
              replicas: 'int32[]',
              addingReplicas: 'int32[]',
              removingReplicas: 'int32[]',
            },
          ],
        },
      ],
    },
  ),
  DescribeCluster: api(
    60,
    [0, 1],
    0,
    { includeClusterAuthorizedOperations: 'bool', endpointType: 'int8 1+ = 1' },
    {
      throttleTimeMs: throttleFrom('0+'),
      errorCode: 'int16',
      errorMessage: 'string?',
      endpointType: 'int8 1+ = 1',
      clusterId: 'string',
      controllerId: 'int32',
      brokers: [{ brokerId: 'int32', host: 'string', port: 'int32', rack: 'string?' }],
      clusterAuthorizedOperations: 'int32 = -2147483648',
    },
  ),
} as const;
