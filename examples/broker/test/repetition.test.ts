import { expect } from 'chai';
import { ErrorCode } from '../protocol/error-codes.ts';
import { NO_TOPIC_ID } from '../protocol/schema.ts';
import { brokerOfEachTest } from './support/running-broker.ts';
import { fetchRequest } from './support/wire-client.ts';

const TIMES = 50_000;
const times = <T>(value: T): T[] => Array.from({ length: TIMES }, () => value);

describe('what a request names many times is answered once, so that the answer is no larger than what there is', () => {
  const broker = brokerOfEachTest();

  beforeEach(() => broker.client.createTopic('t', { numPartitions: 1000 }));

  it('by Metadata, whether a topic is there or not', async () => {
    const names = [...times({ topicId: NO_TOPIC_ID, name: 't' }), { topicId: NO_TOPIC_ID, name: 'u' }];
    const request = { topics: [...names, ...names.slice(-1)], allowAutoTopicCreation: false };
    const { topics } = await broker.client.send('Metadata', 4, request as never);
    expect(topics.map(({ name }) => name)).to.deep.equal(['t', 'u']);
    expect(topics[0].partitions).to.have.length(1000);
  });

  it('by Fetch, over all entries of a topic', async () => {
    const { topics, ...rest } = fetchRequest('t', 0, 0, { maxWaitMs: 0, minBytes: 1 });
    const [partition] = topics[0].partitions;
    const twice = [times(partition), [partition]].map((partitions) => ({ ...topics[0], partitions }));
    const other = { ...topics[0], partitions: [{ ...partition, partition: 1 }] };
    const { responses } = await broker.client.send('Fetch', 11, { ...rest, topics: [...twice, other] });
    const answered = responses.map(({ partitions }) =>
      partitions.map(({ partitionIndex }) => partitionIndex),
    );
    expect(answered).to.deep.equal([[0], [], [1]]);
  });

  it('by ListOffsets', async () => {
    const partitions = times({ partitionIndex: 0, currentLeaderEpoch: -1, timestamp: 0 });
    const request = { replicaId: -1, isolationLevel: 0, topics: [{ name: 't', partitions }] };
    const { topics } = await broker.client.send('ListOffsets', 4, request);
    expect(topics[0].partitions).to.have.length(1);
  });

  it('by OffsetFetch, for groups and for partitions', async () => {
    const commit = { partitionIndex: 0, committedOffset: 1, committedMetadata: 'x'.repeat(4096) };
    const nobody = { groupId: 'g', generationId: -1, memberId: '', groupInstanceId: null };
    await broker.client.send('OffsetCommit', 2, { ...nobody, topics: [{ name: 't', partitions: [commit] }] });
    const one = { groupId: 'g', topics: null };
    const fetched = { groupId: 'h', topics: [{ name: 't', partitionIndexes: times(0) }] };
    // 100,000 elements are the most.
    const groups = [...times(one).slice(3), fetched];
    const request = { groupId: '', topics: null, groups, requireStable: false };
    const answer = await broker.client.send('OffsetFetch', 8, request);
    expect(answer.groups.map(({ groupId }) => groupId)).to.deep.equal(['g', 'h']);
    for (const { topics } of answer.groups) expect(topics[0].partitions).to.have.length(1);
  });

  it('by DescribeGroups', async () => {
    const request = { groups: times('g'), includeAuthorizedOperations: false };
    const { groups } = await broker.client.send('DescribeGroups', 5, request);
    expect(groups.map(({ groupId, errorCode }) => [groupId, errorCode])).to.deep.equal([
      ['g', ErrorCode.NONE],
    ]);
  });
});

describe('a string', () => {
  const broker = brokerOfEachTest();

  for (const [what, text] of Object.entries({
    'of more than 32,767 bytes': 'x'.repeat(32_768),
    'that is no UTF-8 and would be longer as one': Buffer.alloc(20_000, 0xff),
  })) {
    it(`${what} ends the connection`, async () => {
      const bytes = Buffer.from(text);
      const length = bytes.length + 1;
      const varint = Buffer.from([(length & 0x7f) | 0x80, ((length >> 7) & 0x7f) | 0x80, length >> 14]);
      const header = Buffer.from('000f0005000000010000' + '00', 'hex');
      const body = Buffer.concat([header, Buffer.from([2]), varint, bytes, Buffer.from([0, 0])]);
      const size = Buffer.alloc(4);
      size.writeInt32BE(body.length);
      broker.client.socket.write(Buffer.concat([size, body]));
      await broker.client.closed();
      const [line, ...others] = broker.logged();
      expect(line).to.match(/: a string of \d+ bytes, where 32767 is the most$/);
      expect(others).to.deep.equal([]);
    });
  }
});
