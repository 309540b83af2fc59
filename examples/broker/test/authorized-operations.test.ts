import { expect } from 'chai';
import { NO_TOPIC_ID } from '../protocol/schema.ts';
import { brokerOfEachTest } from './support/running-broker.ts';

/** As bits of Kafka's AclOperation, READ being the third. */
const [TOPIC, GROUP, CLUSTER] = [
  [3, 4, 5, 6, 7, 8, 10, 11],
  [3, 6, 8],
  [5, 7, 8, 9, 10, 11, 12],
].map((bits) => bits.reduce((sum, bit) => sum + 2 ** bit, 0));
const NOT_TOLD = -2_147_483_648;

describe('what a client is authorized to do', () => {
  const broker = brokerOfEachTest();

  for (const isAsked of [true, false]) {
    const told = (operations: number) => (isAsked ? operations : NOT_TOLD);

    it(`is ${isAsked ? 'everything, for those who ask' : 'not told to those who do not ask'}`, async () => {
      const { client } = broker;
      const metadata = await client.send('Metadata', 10, {
        topics: [
          { topicId: NO_TOPIC_ID, name: 't' },
          { topicId: NO_TOPIC_ID, name: 'not legal' },
        ],
        allowAutoTopicCreation: true,
        includeClusterAuthorizedOperations: isAsked,
        includeTopicAuthorizedOperations: isAsked,
      } as never);
      expect(metadata.clusterAuthorizedOperations).to.equal(told(CLUSTER));
      expect(metadata.topics.map(({ topicAuthorizedOperations }) => topicAuthorizedOperations)).to.deep.equal(
        [told(TOPIC), NOT_TOLD],
      );
      const cluster = await client.send('DescribeCluster', 1, {
        includeClusterAuthorizedOperations: isAsked,
      });
      expect(cluster.clusterAuthorizedOperations).to.equal(told(CLUSTER));
      const request = { groups: ['g'], includeAuthorizedOperations: isAsked };
      const { groups } = await client.send('DescribeGroups', 5, request);
      expect(groups[0].authorizedOperations).to.equal(told(GROUP));
    });
  }
});
