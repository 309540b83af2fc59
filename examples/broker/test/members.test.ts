import { expect } from 'chai';
import { ErrorCode } from '../protocol/error-codes.ts';
import { brokerOfEachTest } from './support/running-broker.ts';
import { until } from './support/turns.ts';

describe('the members of a group', () => {
  const broker = brokerOfEachTest();
  const newClient = () => broker.newClient();
  const describeGroup = () => broker.client.describeGroup();
  const listGroups = (...states: string[]) => broker.client.listGroups(...states);

  /** Joins at once: an old client brings no member id. */
  const join = async (rebalanceTimeoutMs = 5000, memberId = '', sessionTimeoutMs = 10_000) =>
    (await newClient()).join({
      sessionTimeoutMs,
      rebalanceTimeoutMs,
      memberId,
      protocols: [{ name: 'range', metadata: Buffer.from('topics') }],
    });

  const sync = async (memberId: string, generationId: number) =>
    (await newClient()).sync(memberId, generationId, { [memberId]: 'all' });

  it('that start together join one generation, where --group-initial-rebalance-ms waits for them', async () => {
    await broker.restart({ groupInitialRebalanceMs: 1500 });
    const begin = performance.now();
    const first = join();
    await broker.untilParked('join', 1);
    const all = await Promise.all([first, join(), join()]);
    expect(performance.now() - begin, 'waited once more, for members that came').to.be.at.least(3000);
    expect(all.map(({ generationId }) => generationId)).to.deep.equal([1, 1, 1]);
    expect(new Set(all.map(({ leader }) => leader)).size).to.equal(1);
    expect(all.map(({ members }) => members.length)).to.have.members([3, 0, 0]);
    expect(broker.status.purgatories.join).to.include({ numDelayed: 0, parked: 2, expired: 2 });

    const { leader } = all[0];
    await sync(leader, 1);
    const again = join(5000, leader);
    await broker.untilParked('join', 1);
    const others = all.map(({ memberId }) => memberId).filter((id) => id !== leader);
    await Promise.all([again, ...others.map((id) => join(5000, id))]);
    expect(broker.status.purgatories.join, 'a later rebalance').to.include({ completedEarly: 1 });
  });

  it('that start together wait no longer than their rebalance timeout', async () => {
    await broker.restart({ groupInitialRebalanceMs: 3_600_000 });
    expect(await join(50)).to.include({ errorCode: ErrorCode.NONE, generationId: 1 });
  });

  it('may ask for session timeouts within the bounds of the options', async () => {
    await broker.restart({ groupMinSessionTimeoutMs: 2000, groupMaxSessionTimeoutMs: 3000 });
    for (const [timeout, error] of [
      [1999, ErrorCode.INVALID_SESSION_TIMEOUT],
      [3001, ErrorCode.INVALID_SESSION_TIMEOUT],
      [2000, ErrorCode.NONE],
    ])
      expect((await join(5000, '', timeout)).errorCode, `${timeout}`).to.equal(error);
  });

  it('are described and their group is listed in every state that it can be in', async () => {
    expect(await describeGroup()).to.include({ groupState: 'Dead', errorCode: 0 });
    expect(await listGroups()).to.deep.equal([]);

    const { memberId } = await join();
    const rebalancing = await describeGroup();
    const completing = { groupState: 'CompletingRebalance', protocolType: 'consumer', protocolData: '' };
    expect(rebalancing).to.include(completing);
    expect(rebalancing.members[0].memberMetadata).to.have.length(0);

    await sync(memberId, 1);
    const stable = await describeGroup();
    expect(stable).to.include({ groupState: 'Stable', protocolType: 'consumer', protocolData: 'range' });
    expect(stable.members).to.have.length(1);
    expect(stable.members[0]).to.deep.include({
      memberId,
      groupInstanceId: null,
      clientId: 'wire-client',
      clientHost: '/127.0.0.1',
      memberMetadata: Buffer.from('topics'),
      memberAssignment: Buffer.from('all'),
    });
    const listed = { groupId: 'g', protocolType: 'consumer', groupState: 'Stable', groupType: 'classic' };
    expect(await listGroups()).to.deep.equal([listed]);
    expect(await listGroups('Stable', 'Empty')).to.deep.equal([listed]);
    expect(await listGroups('Empty')).to.deep.equal([]);

    void join();
    await until(
      async () => (await describeGroup()).groupState === 'PreparingRebalance',
      'a rebalance is under way',
    );
    const again = await describeGroup();
    expect(again.members).to.have.length(2);
    expect(again.protocolData).to.equal('');
    expect(again.members.map(({ memberAssignment }) => memberAssignment.length)).to.deep.equal([0, 0]);
  });

  it('leave their offsets behind: the group is Empty then', async () => {
    await broker.client.createTopics('t');
    await broker.client.commit('g', 't', [1]);
    expect(await describeGroup()).to.include({ groupState: 'Empty', errorCode: 0 });
    expect(await listGroups('Empty')).to.deep.equal([
      { groupId: 'g', protocolType: 'consumer', groupState: 'Empty', groupType: 'classic' },
    ]);
  });
});
