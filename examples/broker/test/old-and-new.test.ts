/**
 * What the oldest and the newest of the usual clients ask for, by the wire client: they are not on
 * every machine.
 */

import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { ErrorCode } from '../protocol/error-codes.ts';
import { NO_TOPIC_ID } from '../protocol/schema.ts';
import { compressBatch, makeBatch } from './support/batches.ts';
import { BrokerProcess } from './support/broker-process.ts';
import { brokerOfEachTest, dataFolder } from './support/running-broker.ts';
import { until } from './support/turns.ts';
import { requestFrame, WireClient } from './support/wire-client.ts';

const ALL_TOPICS = {
  topics: null,
  includeClusterAuthorizedOperations: false,
  includeTopicAuthorizedOperations: false,
};

/** A frame whose size counts `more` bytes behind the request. */
function withExcess(frame: Buffer, more: Buffer): Buffer {
  const longer = Buffer.concat([frame, more]);
  longer.writeInt32BE(longer.length - 4);
  return longer;
}

describe('bytes behind a request that was read in full (librdkafka 2.12 sends four)', () => {
  it('are ignored, and a debug line says so, once a connection', async () => {
    const broker = await BrokerProcess.start(['--port', '0', '--http', '0', '--data', dataFolder()], 1, {
      NODE_DEBUG: 'broker',
    });
    const client = await WireClient.connect(broker.ports[0]);
    const frame = requestFrame('Metadata', 12, 7, ALL_TOPICS);
    for (let i = 0; i < 3; i++) client.socket.write(withExcess(frame, Buffer.alloc(4)));
    const { brokers } = await client.send('Metadata', 12, ALL_TOPICS);
    expect(brokers).to.have.length(1);
    expect(client.answered).to.deep.equal([7, 7, 7, 1]);
    await until(() => broker.stderr.includes('ignored'), 'the broker says what it ignored');
    client.destroy();
    await broker.end('SIGTERM');
    expect(broker.stderr).to.match(
      /^BROKER \d+: ignored 4 bytes behind Metadata 12 of wire-client \(127\.0\.0\.1:\d+\)\n$/,
    );
  });
});

describe('a client of old', () => {
  const broker = brokerOfEachTest({ partitions: 1 });

  beforeEach(async () => {
    for (const name of ['one', 'two'])
      await broker.client.send('Metadata', 0, { ...ALL_TOPICS, topics: [{ topicId: '', name }] });
  });

  it('asks Metadata 0 for no topics and is told of all of them; Metadata 1 tells of none', async () => {
    const names = async (version: number) =>
      (await broker.client.send('Metadata', version, { ...ALL_TOPICS, topics: [] })).topics.map(
        ({ name }) => name,
      );
    expect(await names(0)).to.deep.equal(['one', 'two']);
    expect(await names(1)).to.deep.equal([]);
  });

  it('asks ListOffsets 0 for the ends of a partition and the place of a time, as a list of at most so many', async () => {
    await broker.client.produce('one', 0, -1, makeBatch(['a', 'b', 'c'], [1, 2, 3]));
    const offsets = async (timestamp: number, maxNumOffsets = 1) =>
      (await broker.client.findOffset('one', timestamp, 0, { maxNumOffsets })).oldStyleOffsets;
    expect(await offsets(-1)).to.deep.equal([3]);
    expect(await offsets(-2)).to.deep.equal([0]);
    expect(await offsets(2)).to.deep.equal([1]);
    expect(await offsets(9)).to.deep.equal([3]);
    expect(await offsets(-1, 0)).to.deep.equal([]);
  });

  it('commits with OffsetCommit 1, which brings a time of its own', async () => {
    const partitions = [
      { partitionIndex: 0, committedOffset: 7, commitTimestamp: 1000, committedMetadata: null },
    ];
    const nobody = { groupId: 'g', generationId: -1, memberId: '', groupInstanceId: null };
    const request = { ...nobody, topics: [{ name: 'one', partitions }] };
    const { topics } = await broker.client.send('OffsetCommit', 1, request);
    expect(topics[0].partitions[0].errorCode).to.equal(ErrorCode.NONE);
    expect((await broker.client.committed('g', 'one')).committedOffset).to.equal(7);
  });

  for (const version of [0, 1]) {
    it(`joins a group with JoinGroup ${version}, which has ${version === 0 ? 'one timeout' : 'two timeouts'}`, async () => {
      const answer = await broker.client.join({ rebalanceTimeoutMs: 60_000 }, version);
      expect(answer).to.include({ errorCode: ErrorCode.NONE, generationId: 1, protocolName: 'range' });
      expect(answer.members).to.have.length(1);
    });
  }
});

describe('a client of today', () => {
  const broker = brokerOfEachTest({ partitions: 1 });
  const describeById = async (topicId: string, name: string | null, version = 12) =>
    (await broker.client.send('Metadata', version, { ...ALL_TOPICS, topics: [{ topicId, name }] })).topics;

  beforeEach(() => describeById(NO_TOPIC_ID, 't'));

  it('asks Metadata for an id that nobody has and gets no name with the error', async () => {
    const topicId = '12345678-1234-1234-1234-123456789abc';
    // Java's client sends an empty name beside an id, others send null.
    for (const name of [null, '', 't']) {
      const [topic, ...others] = await describeById(topicId, name);
      expect(topic, `${name}`).to.include({ errorCode: ErrorCode.UNKNOWN_TOPIC_ID, name: null, topicId });
      expect(others).to.deep.equal([]);
    }
    expect((await describeById(topicId, '', 10))[0]).to.include({ name: '', topicId });
    expect((await describeById(NO_TOPIC_ID, ''))[0].errorCode).to.equal(ErrorCode.INVALID_TOPIC_EXCEPTION);
  });

  it('asks Metadata for ids of topics and gets them, each once', async () => {
    const [{ topicId }] = await describeById(NO_TOPIC_ID, 't');
    for (const name of [null, '']) {
      const [topic] = await describeById(topicId, name);
      expect(topic, `${name}`).to.include({ errorCode: ErrorCode.NONE, name: 't', topicId });
      expect(topic.partitions).to.have.length(1);
    }
    const other = '12345678-1234-1234-1234-123456789abc';
    const topics = [topicId, other, topicId, other].map((id) => ({ topicId: id, name: '' }));
    const answer = await broker.client.send('Metadata', 12, { ...ALL_TOPICS, topics });
    expect(answer.topics.map((each) => each.topicId)).to.deep.equal([topicId, other]);
  });

  it('asks ListOffsets 7 for the latest record by time, and ListOffsets 8 for the earliest on this disk', async () => {
    const offset = async (version: number, timestamp: number) => {
      const found = await broker.client.findOffset('t', timestamp, version);
      return [found.offset, found.timestamp];
    };
    expect(await offset(7, -3), 'of an empty partition').to.deep.equal([-1, -1]);
    const produce = (batch: Buffer) => broker.client.produce('t', 0, -1, batch);
    await produce(makeBatch(['a', 'b'], [5, 9]));
    await produce(makeBatch(['c', 'd', 'e'], [7, 20, 8]));
    await produce(makeBatch(['f'], [6]));
    expect(await offset(7, -3)).to.deep.equal([3, 20]);
    expect(await offset(8, -4)).to.deep.equal([0, -1]);
    expect(await offset(9, -5), 'the latest on remote disks').to.deep.equal([-1, -1]);
    for (const [timestamp, found] of [
      [-1, [6, -1]],
      [-2, [0, -1]],
      [-3, [3, 20]],
      [6, [1, 9]],
    ] as const)
      expect(await offset(10, timestamp), `${timestamp}`).to.deep.equal(found);
    await produce(compressBatch(makeBatch(['g', 'h', 'i'], [30, 50, 40]), 1, gzipSync));
    expect(await offset(7, -3), 'the latest in a compressed batch').to.deep.equal([7, 50]);
    expect(await offset(7, 31), 'a time in a compressed batch').to.deep.equal([7, 50]);
  });

  it('asks ListGroups 5 for groups by their type, in whichever case, and all are classic', async () => {
    await broker.client.join({ groupInstanceId: 'i' }, 5);
    const list = async (typesFilter: string[], statesFilter: string[] = []) =>
      (await broker.client.send('ListGroups', 5, { typesFilter, statesFilter })).groups;
    const group = { groupId: 'g', protocolType: 'consumer', groupState: 'CompletingRebalance' };
    for (const types of [[], ['classic'], ['consumer', 'Classic']])
      expect(await list(types), types.join()).to.deep.equal([{ ...group, groupType: 'classic' }]);
    expect(await list(['consumer', 'share'])).to.deep.equal([]);
    expect(await list(['classic'], ['completingrebalance'])).to.have.length(1);
    expect(await list(['classic'], ['stable'])).to.deep.equal([]);
  });

  it('asks ListPartitionReassignments and hears of none', async () => {
    for (const topics of [null, [{ name: 't', partitionIndexes: [0] }]]) {
      const answer = await broker.client.send('ListPartitionReassignments', 0, { timeoutMs: 1000, topics });
      expect(answer).to.deep.include({ errorCode: ErrorCode.NONE, errorMessage: null, topics: [] });
    }
  });
});
