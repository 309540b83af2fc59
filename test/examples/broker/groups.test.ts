import { expect } from 'chai';
import { ErrorCode } from '../../../examples/broker/protocol/error-codes.ts';
import { until } from '../../support/turns.ts';
import { brokerOfEachTest } from './support/running-broker.ts';
import type { WireClient } from './support/wire-client.ts';

interface Joining {
  memberId?: string;
  groupInstanceId?: string | null;
  sessionTimeoutMs?: number;
  protocols?: string[];
  protocolType?: string;
}

describe('a consumer group', () => {
  const running = brokerOfEachTest();
  const { newClient } = running;

  const join = (client: WireClient, joining: Joining = {}, version = 7) =>
    client.join(
      {
        rebalanceTimeoutMs: 300,
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

  const sync = (
    client: WireClient,
    generationId: number,
    memberId: string,
    shares: Record<string, string> = {},
  ) => client.sync(memberId, generationId, shares);

  const heartbeat = async (client: WireClient, generationId: number, memberId: string) =>
    (await client.send('Heartbeat', 4, { groupId: 'g', generationId, memberId, groupInstanceId: null }))
      .errorCode;

  const group = () => running.broker.status().groups.find(({ id }) => id === 'g');

  it('parks a join until all members have joined again, and a sync until the leader has shared out', async () => {
    const [one, two] = [await newClient(), await newClient()];
    const first = await joinTwice(one);
    expect(first).to.deep.include({
      errorCode: 0,
      generationId: 1,
      protocolName: 'range',
      leader: first.memberId,
    });
    expect((await sync(one, 1, first.memberId, { [first.memberId]: 'all' })).assignment.toString()).to.equal(
      'all',
    );

    const joining = joinTwice(two);
    await until(() => running.broker.status().purgatories.join.numDelayed === 1, 'that many wait');
    expect(await heartbeat(one, 1, first.memberId)).to.equal(ErrorCode.REBALANCE_IN_PROGRESS);
    const again = await join(one, { memberId: first.memberId });
    const second = await joining;
    expect(again).to.include({ errorCode: 0, generationId: 2, leader: first.memberId });
    expect(again.members.map(({ memberId }) => memberId)).to.have.members([first.memberId, second.memberId]);
    expect(again.members[0].metadata.toString()).to.equal('of range');
    expect(second).to.deep.include({ errorCode: 0, generationId: 2, leader: first.memberId, members: [] });

    const waiting = sync(two, 2, second.memberId);
    expect(await heartbeat(one, 2, first.memberId)).to.equal(0);
    await sync(one, 2, first.memberId, { [first.memberId]: 'this', [second.memberId]: 'that' });
    expect((await waiting).assignment.toString()).to.equal('that');
    expect(group()).to.include({ state: 'Stable', generation: 2, members: 2 });
    expect(running.broker.status().purgatories.join).to.include({
      numDelayed: 0,
      completedEarly: 1,
      expired: 0,
    });
  });

  it('goes on after the rebalance timeout without a member that does not join again', async () => {
    const [silent, other] = [await newClient(), await newClient()];
    const gone = await joinTwice(silent);
    await sync(silent, 1, gone.memberId);
    const joined = await joinTwice(other);
    expect(joined).to.include({ generationId: 2, leader: joined.memberId });
    expect(running.broker.status().purgatories.join).to.include({ expired: 1 });
    expect(await heartbeat(silent, 1, gone.memberId)).to.equal(ErrorCode.UNKNOWN_MEMBER_ID);
    expect(group()).to.include({ members: 1 });
  });

  it('loses a member whose session ends, and is Empty with its last', async () => {
    const client = await newClient();
    const { memberId } = await joinTwice(client, { sessionTimeoutMs: 1000 });
    await sync(client, 1, memberId);
    const start = performance.now();
    await until(() => group()?.state === 'Empty', 'the group has lost its members');
    expect(performance.now() - start).to.be.above(900);
    expect(running.broker.status().purgatories.heartbeat).to.include({ numDelayed: 0, expired: 1 });
  });

  it('lets a member go that leaves, while others wait for it', async () => {
    const [one, two] = [await newClient(), await newClient()];
    const first = await joinTwice(one);
    await sync(one, 1, first.memberId);
    const joining = joinTwice(two);
    await until(() => running.broker.status().purgatories.join.numDelayed === 1, 'that many wait');
    const left = await one.send('LeaveGroup', 4, {
      groupId: 'g',
      memberId: '',
      members: [
        { memberId: first.memberId, groupInstanceId: null },
        { memberId: 'nobody', groupInstanceId: null },
      ],
    });
    expect(left.members.map(({ errorCode }) => errorCode)).to.deep.equal([0, ErrorCode.UNKNOWN_MEMBER_ID]);
    const { memberId, leader } = await joining;
    expect(leader).to.equal(memberId);
  });

  it('takes the place of a member from whoever had its instance id before', async () => {
    const [one, two] = [await newClient(), await newClient()];
    const first = await join(one, { groupInstanceId: 'static' });
    const second = await join(two, { groupInstanceId: 'static' });
    expect(second).to.include({ errorCode: 0, generationId: 2 });
    expect(second.memberId).not.to.equal(first.memberId);
    const fenced = await one.send('Heartbeat', 4, {
      groupId: 'g',
      generationId: 1,
      memberId: first.memberId,
      groupInstanceId: 'static',
    });
    expect(fenced.errorCode).to.equal(ErrorCode.FENCED_INSTANCE_ID);
    expect(group()).to.include({ members: 1 });
  });

  it('is joined at once by old clients, which bring no member id', async () => {
    expect(await join(await newClient(), {}, 3)).to.include({ errorCode: 0, generationId: 1 });
  });

  it('refuses what does not fit, by its error', async () => {
    const client = await newClient();
    const { memberId } = await joinTwice(client, { protocols: ['range', 'sticky'] });
    const error = async (joining: Joining) => (await join(client, joining)).errorCode;
    expect(await error({ memberId: 'nobody' })).to.equal(ErrorCode.UNKNOWN_MEMBER_ID);
    expect(await error({ protocols: ['other'] })).to.equal(ErrorCode.INCONSISTENT_GROUP_PROTOCOL);
    expect(await error({ protocolType: 'connect' })).to.equal(ErrorCode.INCONSISTENT_GROUP_PROTOCOL);
    expect(await error({ protocols: [] })).to.equal(ErrorCode.INCONSISTENT_GROUP_PROTOCOL);
    expect(await error({ sessionTimeoutMs: 999 })).to.equal(ErrorCode.INVALID_SESSION_TIMEOUT);
    expect(await error({ sessionTimeoutMs: 30 * 60_000 + 1 })).to.equal(ErrorCode.INVALID_SESSION_TIMEOUT);
    expect(await heartbeat(client, 7, memberId)).to.equal(ErrorCode.ILLEGAL_GENERATION);
    expect((await sync(client, 7, memberId)).errorCode).to.equal(ErrorCode.ILLEGAL_GENERATION);
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
      const topics = [{ name: 't', partitionIndexes: [0, 1] }];
      const { groups } = await client.send('OffsetFetch', 8, {
        groups: [{ groupId: 'g', topics }],
        groupId: '',
        topics: null,
        requireStable: false,
      });
      return groups[0].topics[0].partitions.map(({ committedOffset }) => committedOffset);
    };
    expect(await committed()).to.deep.equal([-1, -1]);
    expect(await commit(-1, '', 5)).to.equal(0);
    const { memberId } = await joinTwice(client);
    expect(await commit(1, memberId, 6)).to.equal(ErrorCode.REBALANCE_IN_PROGRESS);
    await sync(client, 1, memberId);
    expect(await commit(1, memberId, 7, 'note')).to.equal(0);
    expect(await commit(-1, '', 8)).to.equal(ErrorCode.UNKNOWN_MEMBER_ID);
    expect(await commit(9, memberId, 8)).to.equal(ErrorCode.ILLEGAL_GENERATION);
    expect(await commit(1, memberId, 8, 'x'.repeat(4097))).to.equal(ErrorCode.OFFSET_METADATA_TOO_LARGE);
    expect(running.lines.splice(0).join()).to.match(
      /^refused 1 commits of 127\.0\.0\.1:\d+: --offset-metadata-max-bytes is 4096$/,
    );
    expect(await commit(1, memberId, 8, '', 'nowhere')).to.equal(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
    expect(await committed()).to.deep.equal([7, -1]);
    const all = await client.send('OffsetFetch', 7, {
      groupId: 'g',
      topics: null,
      groups: [],
      requireStable: false,
    });
    expect(all.topics[0].partitions).to.deep.equal([
      { partitionIndex: 0, committedOffset: 7, committedLeaderEpoch: -1, metadata: 'note', errorCode: 0 },
    ]);
  });
});
