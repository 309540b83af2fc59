import { expect } from 'chai';
import { ErrorCode } from '../protocol/error-codes.ts';
import { brokerOfEachTest } from './support/running-broker.ts';

const {
  NONE,
  NON_EMPTY_GROUP,
  GROUP_ID_NOT_FOUND,
  GROUP_SUBSCRIBED_TO_TOPIC,
  UNKNOWN_TOPIC_OR_PARTITION,
  INVALID_GROUP_ID,
} = ErrorCode;

describe('what a group has committed', () => {
  const broker = brokerOfEachTest({ partitions: 2 }, 't', 'u');

  const commit = async (groupId: string) => {
    for (const topic of ['t', 'u']) await broker.client.commit(groupId, topic, [7, 7]);
  };
  const committed = async (groupId: string) => {
    const request = { groupId, topics: null, groups: [], requireStable: false };
    const { topics } = await broker.client.send('OffsetFetch', 7, request);
    return topics.flatMap(({ name, partitions }) =>
      partitions.map(({ partitionIndex }) => `${name}-${partitionIndex}`),
    );
  };
  const deleteGroups = async (...groupsNames: string[]) => {
    const { results } = await broker.client.send('DeleteGroups', 2, { groupsNames });
    return results.map(({ groupId, errorCode }) => [groupId, errorCode]);
  };
  const deleteOffset = async (groupId: string, name: string, ...indexes: number[]) => {
    const partitions = indexes.map((partitionIndex) => ({ partitionIndex }));
    const { errorCode, topics } = await broker.client.send('OffsetDelete', 0, {
      groupId,
      topics: [{ name, partitions }],
    });
    return [errorCode, ...(topics[0]?.partitions.map((each) => each.errorCode) ?? [])];
  };
  const join = (protocolType: string, metadata: Buffer) =>
    broker.client.join({ protocolType, protocols: [{ name: 'range', metadata }] });
  const SUBSCRIBED_TO_T = Buffer.from('00000000000100017400000000', 'hex');

  it('goes with the group, once it has no members, and stays gone', async () => {
    await commit('g');
    await commit('other');
    const { memberId } = await join('consumer', SUBSCRIBED_TO_T);
    expect(await deleteGroups('g', 'nobody', '', 'g')).to.deep.equal([
      ['g', NON_EMPTY_GROUP],
      ['nobody', GROUP_ID_NOT_FOUND],
      ['', INVALID_GROUP_ID],
    ]);
    await broker.client.leave(memberId);
    expect(await deleteGroups('g')).to.deep.equal([['g', NONE]]);
    await broker.restart();
    expect(await committed('g')).to.deep.equal([]);
    expect(await committed('other')).to.have.length(4);
    expect(await deleteGroups('g')).to.deep.equal([['g', GROUP_ID_NOT_FOUND]]);
  });

  it('may be nothing: the group is Empty when its last member has left, until it is deleted', async () => {
    const stateOf = async () => {
      const { groupState, members } = await broker.client.describeGroup();
      return [groupState, members.length];
    };
    const listed = () => broker.client.listGroups('Empty');
    const { memberId, generationId } = await join('connect', SUBSCRIBED_TO_T);
    await broker.client.leave(memberId);
    expect(await stateOf()).to.deep.equal(['Empty', 0]);
    expect(await listed()).to.deep.equal([
      { groupId: 'g', protocolType: 'connect', groupState: 'Empty', groupType: 'classic' },
    ]);
    const again = await join('connect', SUBSCRIBED_TO_T);
    expect(again.generationId, 'generations go on').to.be.above(generationId);
    expect(await listed()).to.deep.equal([]);
    await broker.client.leave(again.memberId);
    expect(await deleteGroups('g')).to.deep.equal([['g', NONE]]);
    expect(await stateOf()).to.deep.equal(['Dead', 0]);
    expect(await deleteGroups('g')).to.deep.equal([['g', GROUP_ID_NOT_FOUND]]);
  });

  it('goes for single partitions, but not of topics that members read, and stays gone', async () => {
    await commit('g');
    await join('consumer', SUBSCRIBED_TO_T);
    expect(await deleteOffset('g', 't', 0)).to.deep.equal([NONE, GROUP_SUBSCRIBED_TO_TOPIC]);
    expect(await deleteOffset('g', 'u', 0, 9)).to.deep.equal([NONE, NONE, UNKNOWN_TOPIC_OR_PARTITION]);
    expect(await deleteOffset('nobody', 'u', 0)).to.deep.equal([GROUP_ID_NOT_FOUND]);
    await broker.restart();
    expect(await committed('g')).to.deep.equal(['t-0', 't-1', 'u-1']);
  });

  it('stays while members are in the group of whom nobody knows what they read', async () => {
    await commit('g');
    await join('consumer', Buffer.from('nonsense'));
    expect(await deleteOffset('g', 'u', 0)).to.deep.equal([NONE, GROUP_SUBSCRIBED_TO_TOPIC]);
  });

  it('stays while members are in a group that is none of consumers', async () => {
    await commit('g');
    await join('connect', Buffer.alloc(0));
    expect(await deleteOffset('g', 'u', 0)).to.deep.equal([NON_EMPTY_GROUP]);
  });
});
