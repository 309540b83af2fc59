import { expect } from 'chai';
import { GroupMemory } from '../group/memory.ts';
import { OffsetStore } from '../group/offset-store.ts';
import { ErrorCode } from '../protocol/error-codes.ts';
import { findings } from '../storage/damage.ts';
import { FullDisk } from '../storage/full-disk.ts';
import { brokerOfEachTest } from './support/running-broker.ts';
import { pause, until } from './support/turns.ts';
import { HOUR_MS, WireClient } from './support/wire-client.ts';

const { NONE, COORDINATOR_NOT_AVAILABLE, GROUP_MAX_SIZE_REACHED, MEMBER_ID_REQUIRED } = ErrorCode;

interface Joining {
  memberId?: string;
  groupInstanceId?: string | null;
  metadataBytes?: number;
}

describe('what groups keep', () => {
  const broker = brokerOfEachTest({}, 't');

  async function join(
    groupId: string,
    { memberId = '', groupInstanceId = null, metadataBytes = 0 }: Joining = {},
  ) {
    const member = await WireClient.connect(broker.port);
    const protocols = [{ name: 'range', metadata: Buffer.alloc(metadataBytes) }];
    const joining = { groupId, rebalanceTimeoutMs: 10_000, memberId, groupInstanceId, protocols };
    const answer = await member.join(joining, 5);
    member.destroy();
    return answer;
  }

  /** The ways of a client: takes an id, then joins with it. */
  async function joinWithId(groupId: string, joining: Joining = {}) {
    const { errorCode, memberId } = await join(groupId, joining);
    return errorCode === MEMBER_ID_REQUIRED
      ? join(groupId, { ...joining, memberId })
      : { errorCode, memberId };
  }

  const leave = (groupId: string, memberId: string) => broker.client.leave(memberId, groupId);

  const commit = (groupId: string, topic: string, metadata = '', count = 1) =>
    broker.client.commit(groupId, topic, Array<number>(count).fill(1), { metadata });

  const committedGroups = async () => (await broker.client.listGroups()).map(({ groupId }) => groupId);

  it('is so many groups with members, and there is room again when one has gone', async () => {
    await broker.restart({ maxGroups: 2 });
    const { memberId } = await joinWithId('a');
    expect((await join('b')).errorCode, 'an id counts too').to.equal(MEMBER_ID_REQUIRED);
    expect((await join('c')).errorCode).to.equal(COORDINATOR_NOT_AVAILABLE);
    expect((await join('a', { memberId })).errorCode).to.equal(NONE);
    expect(broker.logged()).to.deep.equal(['refused a new member from /PEER: --max-groups is 2']);
    await leave('a', memberId);
    expect((await join('c')).errorCode).to.equal(MEMBER_ID_REQUIRED);
  });

  it('is so many groups with commits, those without members included', async () => {
    await broker.restart({ maxGroups: 2 });
    expect(await commit('a', 't')).to.deep.equal([NONE]);
    expect(await commit('b', 't')).to.deep.equal([NONE]);
    expect(await commit('c', 't', '', 3)).to.deep.equal(Array(3).fill(COORDINATOR_NOT_AVAILABLE));
    expect(await commit('a', 't', '', 3)).to.deep.equal([NONE, NONE, NONE]);
    expect(broker.logged()).to.deep.equal(['refused 3 commits of PEER: --max-groups is 2']);
    expect(await committedGroups()).to.have.members(['a', 'b']);
  });

  it('is so many members of a group, where one that takes the place of another finds room', async () => {
    await broker.restart({ groupMaxSize: 2 });
    const first = await join('g', { groupInstanceId: 'static' });
    expect(first.errorCode).to.equal(NONE);
    const { memberId } = await join('g');
    expect((await join('g')).errorCode).to.equal(GROUP_MAX_SIZE_REACHED);
    expect((await join('g', { groupInstanceId: 'other' })).errorCode).to.equal(GROUP_MAX_SIZE_REACHED);
    const rule = 'refused a new member from /PEER: --group-max-size is 2';
    expect(broker.logged()).to.deep.equal([rule, rule]);
    const again = join('g', { groupInstanceId: 'static' });
    await join('g', { memberId });
    expect((await again).errorCode).to.equal(NONE);
    expect((await joinWithId('elsewhere')).errorCode).to.equal(NONE);
  });

  it('is so many bytes of members, which leave with them', async () => {
    await broker.restart({ maxGroupBytes: 100_000 });
    const { memberId } = await joinWithId('a', { metadataBytes: 60_000 });
    expect((await join('b', { metadataBytes: 60_000 })).errorCode).to.equal(COORDINATOR_NOT_AVAILABLE);
    expect((await join('a', { memberId, metadataBytes: 110_000 })).errorCode).to.equal(
      COORDINATOR_NOT_AVAILABLE,
    );
    expect(broker.logged()).to.deep.equal([
      'refused a new member from /PEER: --max-group-bytes is 100000',
      'refused a member from /PEER: --max-group-bytes is 100000',
    ]);
    expect((await join('a', { memberId, metadataBytes: 61_000 })).errorCode).to.equal(NONE);
    await leave('a', memberId);
    for (let round = 0; round < 3; round++) {
      const joined = await joinWithId(`${round}`, { metadataBytes: 60_000 });
      expect(joined.errorCode, `${round}`).to.equal(NONE);
      await leave(`${round}`, joined.memberId);
    }
  });

  it('is so many bytes of members, which one that takes the place of another finds free', async () => {
    await broker.restart({ maxGroupBytes: 100_000 });
    for (let round = 0; round < 5; round++) {
      const { errorCode } = await join('a', { groupInstanceId: 'static', metadataBytes: 60_000 + round });
      expect(errorCode, `${round}`).to.equal(NONE);
    }
    expect((await join('b', { groupInstanceId: 'b', metadataBytes: 30_000 })).errorCode).to.equal(NONE);
    const { errorCode } = await join('c', { groupInstanceId: 'c', metadataBytes: 30_000 });
    expect(errorCode).to.equal(COORDINATOR_NOT_AVAILABLE);
    expect(broker.logged()).to.deep.equal(['refused a new member from /PEER: --max-group-bytes is 100000']);
  });

  it('is so many bytes of what a leader shares out', async () => {
    await broker.restart({ maxGroupBytes: 100_000 });
    const { memberId } = await joinWithId('g');
    const share = async (bytes: number) => {
      const assignments = [{ memberId, assignment: Buffer.alloc(bytes) }];
      const ref = { groupId: 'g', generationId: 1, memberId, groupInstanceId: null };
      const request = { ...ref, protocolType: null, protocolName: null, assignments };
      return (await broker.client.send('SyncGroup', 3, request)).errorCode;
    };
    expect(await share(110_000)).to.equal(COORDINATOR_NOT_AVAILABLE);
    expect(broker.logged()).to.deep.equal([
      'refused the shares that a leader from /PEER gave: --max-group-bytes is 100000',
    ]);
    expect(await share(60_000)).to.equal(NONE);
    expect((await join('b', { metadataBytes: 60_000 })).errorCode).to.equal(COORDINATOR_NOT_AVAILABLE);
    expect(broker.logged()).to.deep.equal(['refused a new member from /PEER: --max-group-bytes is 100000']);
  });

  it('is so many bytes of commits, where one that is made again finds room', async () => {
    await broker.restart({ maxGroupBytes: 20_000 });
    await broker.client.createTopics('gone');
    const long = 'x'.repeat(4000);
    expect(await commit('g', 'gone', long, 3)).to.deep.equal([NONE, NONE, COORDINATOR_NOT_AVAILABLE]);
    expect(await commit('g', 'gone', long, 2)).to.deep.equal([NONE, NONE]);
    expect(broker.logged()).to.deep.equal(['refused 1 commits of PEER: --max-group-bytes is 20000']);
    await broker.client.deleteTopics('gone');
    expect(await commit('g', 't', long, 2)).to.deep.equal([NONE, NONE]);
  });

  it('ends with the topic that it is of, also for one that has the name later, and after a restart', async () => {
    await broker.client.createTopics('gone');
    await commit('only', 'gone');
    await commit('both', 'gone');
    await commit('both', 't');
    const rest = async () => {
      expect(await committedGroups()).to.deep.equal(['both']);
      expect((await broker.client.committed('both', 'gone')).committedOffset).to.equal(-1);
    };
    await broker.client.deleteTopics('gone');
    await rest();
    await broker.client.createTopics('gone');
    await rest();
    await broker.restart();
    await rest();
  });

  it('ends some time after the last member has left', async () => {
    await broker.restart({ offsetsRetentionMinutes: 300 / 60_000 });
    const { memberId } = await joinWithId('kept');
    for (const group of ['kept', 'gone']) await commit(group, 't');
    await broker.client.sync(memberId, 1, {}, { groupId: 'kept' });
    await broker.client.commit('kept', 't', [1], { memberId, generationId: 1 });
    await until(async () => !(await committedGroups()).includes('gone'), 'the group is forgotten');
    // Longer than that time: only its member keeps it.
    await pause(400);
    expect((await broker.client.committed('kept', 't')).committedOffset).to.equal(1);
    await leave('kept', memberId);
    await until(async () => (await committedGroups()).length === 0, 'the group is forgotten');
    await broker.restart();
    expect(await committedGroups()).to.deep.equal([]);
    expect(broker.logged()).to.deep.equal([]);
  });

  const open = () => {
    const store = new OffsetStore(10, new GroupMemory(10_000));
    store.open(
      `${broker.data}/offsets`,
      findings(false, () => {}),
    );
    return store;
  };

  it('is kept where the topic could not be deleted, also over a restart, and goes with it otherwise', async () => {
    const store = open();
    const committed = { offset: 1, leaderEpoch: 0, metadata: '' };
    store.commit('g', 't', 0, committed);
    const fail = () => {
      throw new FullDisk('no room');
    };
    expect(() => store.forgetTopic('t', fail)).to.throw(FullDisk);
    expect(store.get('g', 't', 0)).to.deep.equal(committed);
    await store.close();
    const again = open();
    expect(again.get('g', 't', 0)).to.deep.equal(committed);
    again.forgetTopic('t', () => {});
    expect(again.get('g', 't', 0)).to.equal(undefined);
    await again.close();
  });

  it('counts as active from the last commit on, by the wall clock, over a restart', async () => {
    const store = open();
    store.commit('g', 't', 0, { offset: 1, leaderEpoch: 0, metadata: '' });
    await store.close();
    const again = open();
    again.expire(Date.now() + HOUR_MS / 2, HOUR_MS, () => false);
    expect(again.groups()).to.deep.equal(['g']);
    again.expire(Date.now() + HOUR_MS, HOUR_MS, () => false);
    expect(again.groups()).to.deep.equal([]);
    await again.close();
  });
});
