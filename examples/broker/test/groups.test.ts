import { expect } from 'chai';
import { ErrorCode } from '../protocol/error-codes.ts';
import { brokerOfEachTest } from './support/running-broker.ts';
import { until } from './support/turns.ts';
import { HOUR_MS, type WireClient } from './support/wire-client.ts';

interface Joining {
  memberId?: string;
  groupInstanceId?: string | null;
  rebalanceTimeoutMs?: number;
  sessionTimeoutMs?: number;
  protocols?: string[];
  protocolType?: string;
}

describe('a consumer group', () => {
  const broker = brokerOfEachTest();
  const newClient = () => broker.newClient();

  const join = (client: WireClient, joining: Joining = {}, version = 7) =>
    client.join(
      {
        rebalanceTimeoutMs: HOUR_MS,
        ...joining,
        protocols: (joining.protocols ?? ['range']).map((name) => ({
          name,
          metadata: Buffer.from(`of ${name}`),
        })),
      },
      version,
    );

  /** Joins as clients do: gets a member id first, then comes back with it. */
  async function joinTwice(client: WireClient, joining: Joining = {}) {
    const { errorCode, memberId } = await join(client, joining);
    expect(errorCode).to.equal(ErrorCode.MEMBER_ID_REQUIRED);
    return join(client, { ...joining, memberId });
  }

  const { NONE, UNKNOWN_MEMBER_ID, REBALANCE_IN_PROGRESS } = ErrorCode;
  const { ILLEGAL_GENERATION, INCONSISTENT_GROUP_PROTOCOL, INVALID_SESSION_TIMEOUT } = ErrorCode;

  it('parks a join until all members have joined again, and a sync until the leader has shared out', async () => {
    const [one, two] = [await newClient(), await newClient()];
    const first = await joinTwice(one);
    const { memberId } = first;
    expect(first).to.include({ errorCode: 0, generationId: 1, protocolName: 'range', leader: memberId });
    expect((await one.sync(memberId, 1, { [memberId]: 'all' })).assignment.toString()).to.equal('all');

    const joining = joinTwice(two);
    await broker.untilParked('join', 1);
    expect(await one.heartbeat(memberId, 1)).to.equal(REBALANCE_IN_PROGRESS);
    const again = await join(one, { memberId });
    const second = await joining;
    expect(again).to.include({ errorCode: 0, generationId: 2, leader: memberId });
    expect(again.members.map((member) => member.memberId)).to.have.members([memberId, second.memberId]);
    expect(again.members[0].metadata.toString()).to.equal('of range');
    expect(second).to.deep.include({ errorCode: 0, generationId: 2, leader: memberId, members: [] });

    const waiting = two.sync(second.memberId, 2);
    expect(await one.heartbeat(memberId, 2)).to.equal(0);
    await one.sync(memberId, 2, { [memberId]: 'this', [second.memberId]: 'that' });
    expect((await waiting).assignment.toString()).to.equal('that');
    expect(broker.group()).to.include({ state: 'Stable', generation: 2, members: 2 });
    expect(broker.status.purgatories.join).to.include({ numDelayed: 0, completedEarly: 1, expired: 0 });
  });

  it('goes on after the rebalance timeout without a member that does not join again', async () => {
    const [silent, other] = [await newClient(), await newClient()];
    const gone = await joinTwice(silent, { rebalanceTimeoutMs: 300 });
    await silent.sync(gone.memberId, 1);
    const joined = await joinTwice(other, { rebalanceTimeoutMs: 300 });
    expect(joined).to.include({ generationId: 2, leader: joined.memberId });
    expect(broker.status.purgatories.join).to.include({ expired: 1 });
    expect(await silent.heartbeat(gone.memberId, 1)).to.equal(UNKNOWN_MEMBER_ID);
    expect(broker.group()).to.include({ members: 1 });
  });

  it('loses a member whose session ends, and is Empty with its last', async () => {
    const client = await newClient();
    const start = performance.now();
    const { memberId } = await joinTwice(client, { sessionTimeoutMs: 1000 });
    await client.sync(memberId, 1);
    await until(() => broker.group()?.state === 'Empty', 'the group has lost its members');
    expect(performance.now() - start).to.be.above(900);
    expect(broker.status.purgatories.heartbeat).to.include({ numDelayed: 0, expired: 1 });
  });

  it('lets a member go that leaves, while others wait for it', async () => {
    const [one, two] = [await newClient(), await newClient()];
    const first = await joinTwice(one);
    await one.sync(first.memberId, 1);
    const joining = joinTwice(two);
    await broker.untilParked('join', 1);
    const members = [first.memberId, 'nobody'].map((memberId) => ({ memberId, groupInstanceId: null }));
    const left = await one.send('LeaveGroup', 4, { groupId: 'g', memberId: '', members });
    expect(left.members.map(({ errorCode }) => errorCode)).to.deep.equal([0, UNKNOWN_MEMBER_ID]);
    const { memberId, leader } = await joining;
    expect(leader).to.equal(memberId);
  });

  it('takes the place of a member from whoever had its instance id before', async () => {
    const [one, two] = [await newClient(), await newClient()];
    const first = await join(one, { groupInstanceId: 'static' });
    const second = await join(two, { groupInstanceId: 'static' });
    expect(second).to.include({ errorCode: 0, generationId: 2 });
    expect(second.memberId).not.to.equal(first.memberId);
    expect(await one.heartbeat(first.memberId, 1, 'static')).to.equal(ErrorCode.FENCED_INSTANCE_ID);
    expect(broker.group()).to.include({ members: 1 });
  });

  it('is joined at once by old clients, which bring no member id', async () => {
    expect(await join(await newClient(), {}, 3)).to.include({ errorCode: 0, generationId: 1 });
  });

  it('refuses what does not fit, by its error', async () => {
    const client = await newClient();
    const { memberId } = await joinTwice(client, { protocols: ['range', 'sticky'] });
    for (const [joining, error] of [
      [{ memberId: 'nobody' }, UNKNOWN_MEMBER_ID],
      [{ protocols: ['other'] }, INCONSISTENT_GROUP_PROTOCOL],
      [{ protocolType: 'connect' }, INCONSISTENT_GROUP_PROTOCOL],
      [{ protocols: [] }, INCONSISTENT_GROUP_PROTOCOL],
      [{ sessionTimeoutMs: 999 }, INVALID_SESSION_TIMEOUT],
      [{ sessionTimeoutMs: 30 * 60_000 + 1 }, INVALID_SESSION_TIMEOUT],
    ] as [Joining, number][])
      expect((await join(client, joining)).errorCode, JSON.stringify(joining)).to.equal(error);
    expect(await client.heartbeat(memberId, 7)).to.equal(ILLEGAL_GENERATION);
    expect((await client.sync(memberId, 7)).errorCode).to.equal(ILLEGAL_GENERATION);
  });

  it('keeps what its members commit, and from no one else', async () => {
    const client = await newClient();
    await client.createTopics('t');
    const commit = async (
      generationId: number,
      memberId: string,
      offset: number,
      metadata = '',
      topic = 't',
    ) => (await client.commit('g', topic, [offset], { generationId, memberId, metadata }))[0];
    const committed = async () => {
      const groups = [{ groupId: 'g', topics: [{ name: 't', partitionIndexes: [0, 1] }] }];
      const request = { groups, groupId: '', topics: null, requireStable: false };
      const [{ topics }] = (await client.send('OffsetFetch', 8, request)).groups;
      return topics?.[0].partitions.map(({ committedOffset }) => committedOffset);
    };
    expect(await committed()).to.deep.equal([-1, -1]);
    expect(await commit(-1, '', 5)).to.equal(NONE);
    const { memberId } = await joinTwice(client);
    expect(await commit(1, memberId, 6)).to.equal(REBALANCE_IN_PROGRESS);
    await client.sync(memberId, 1);
    expect(await commit(1, memberId, 7, 'note')).to.equal(NONE);
    expect(await commit(-1, '', 8)).to.equal(UNKNOWN_MEMBER_ID);
    expect(await commit(9, memberId, 8)).to.equal(ILLEGAL_GENERATION);
    expect(await commit(1, memberId, 8, 'x'.repeat(4097))).to.equal(ErrorCode.OFFSET_METADATA_TOO_LARGE);
    expect(broker.logged()).to.deep.equal(['refused 1 commits of PEER: --offset-metadata-max-bytes is 4096']);
    expect(await commit(1, memberId, 8, '', 'nowhere')).to.equal(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
    expect(await committed()).to.deep.equal([7, -1]);
    const request = { groupId: 'g', topics: null, groups: [], requireStable: false };
    const all = await client.send('OffsetFetch', 7, request);
    expect(all.topics[0].partitions).to.deep.equal([
      { partitionIndex: 0, committedOffset: 7, committedLeaderEpoch: -1, metadata: 'note', errorCode: 0 },
    ]);
  });
});
