import { expect } from 'chai';
import { Cluster } from '../../cluster.ts';
import { ErrorCode } from '../../protocol/error-codes.ts';
import { freePorts } from '../support/free-ports.ts';
import { brokerOfEachTest, startBroker } from '../support/running-broker.ts';
import { until } from '../support/turns.ts';

const { NONE, ILLEGAL_GENERATION, UNKNOWN_MEMBER_ID, REBALANCE_IN_PROGRESS } = ErrorCode;

describe('a group over a restart of its broker', () => {
  const broker = brokerOfEachTest();

  /** Joins at once: a member without an instance is an old client, which need not bring its id. */
  const join = async (memberId = '', groupInstanceId: string | null = null, sessionTimeoutMs = 10_000) =>
    (await broker.newClient()).join(
      {
        groupId: 'readers',
        sessionTimeoutMs,
        memberId,
        groupInstanceId,
        protocols: [{ name: 'range', metadata: Buffer.from([0xff, 0, 0x80, memberId.length]) }],
      },
      groupInstanceId === null ? 3 : 5,
    );

  const sync = async (memberId: string, generationId: number, shares: Record<string, Buffer> = {}) =>
    (await broker.newClient()).sync(memberId, generationId, shares, { groupId: 'readers' });

  const heartbeat = async (memberId: string, generationId: number) =>
    (await broker.newClient()).heartbeat(memberId, generationId, null, 'readers');

  const describeGroup = () => broker.client.describeGroup('readers');

  const SHARE = Buffer.from([0, 1, 0xff, 0xfe]);

  /** A group of one member, in its first generation. */
  async function formGroup(instance: string | null = null, sessionTimeoutMs = 10_000): Promise<string> {
    const { memberId, generationId } = await join('', instance, sessionTimeoutMs);
    expect(generationId).to.equal(1);
    expect(await sync(memberId, 1, { [memberId]: SHARE })).to.include({ errorCode: NONE });
    return memberId;
  }

  it('has its members, generation, protocol and shares, byte by byte', async () => {
    const memberId = await formGroup();
    const before = await describeGroup();
    expect(before).to.include({ groupState: 'Stable', protocolData: 'range' });
    await broker.restart();
    expect(await describeGroup()).to.deep.equal(before);
    expect(await heartbeat(memberId, 1)).to.equal(NONE);
    expect(await heartbeat(memberId, 2)).to.equal(ILLEGAL_GENERATION);
    expect(await sync(memberId, 1)).to.deep.include({ errorCode: NONE, assignment: SHARE });
    await broker.restart();
    expect(await describeGroup(), 'and over another').to.deep.equal(before);
  });

  it('goes on from its generation when somebody joins', async () => {
    const memberId = await formGroup();
    await broker.restart();
    const joined = join('', 'newcomer');
    await until(
      async () => (await heartbeat(memberId, 1)) === REBALANCE_IN_PROGRESS,
      'a rebalance is under way',
    );
    const again = await join(memberId);
    expect(again).to.include({ generationId: 2, leader: memberId });
    expect(again.members).to.have.length(2);
    expect(await joined).to.include({ generationId: 2, leader: memberId });
  });

  it('gives its members their sessions to show up, then goes on without them, for good', async () => {
    await formGroup(null, 3000);
    const begin = performance.now();
    await broker.restart();
    await until(
      async () => (await describeGroup()).groupState !== 'Stable',
      'the group has lost its members',
    );
    expect(performance.now() - begin).to.be.at.least(2900);
    await broker.restart();
    expect((await describeGroup()).groupState).to.equal('Dead');
  });

  it('has nobody who had left', async () => {
    const memberId = await formGroup();
    await broker.client.leave(memberId, 'readers');
    await broker.restart();
    expect(await heartbeat(memberId, 1)).to.equal(UNKNOWN_MEMBER_ID);
    expect((await describeGroup()).groupState).to.equal('Dead');
  });

  it('is as before the rebalance that was under way', async () => {
    const memberId = await formGroup();
    const before = await describeGroup();
    const joined = join('', 'newcomer');
    await until(
      async () => (await heartbeat(memberId, 1)) === REBALANCE_IN_PROGRESS,
      'a rebalance is under way',
    );
    await join(memberId);
    const newcomer = await joined;
    expect(newcomer.generationId, 'not shared out yet').to.equal(2);
    await broker.restart();
    expect(await describeGroup()).to.deep.equal(before);
    expect((await sync(memberId, 2)).errorCode).to.equal(ILLEGAL_GENERATION);
    expect(await heartbeat(memberId, 1)).to.equal(NONE);
    expect(await heartbeat(newcomer.memberId, 2)).to.equal(UNKNOWN_MEMBER_ID);
  });

  it('has a static member by the id of the process that took its place last', async () => {
    const former = await formGroup('static');
    const { memberId } = await join('', 'static');
    expect(memberId).to.not.equal(former);
    await broker.restart();
    expect((await describeGroup()).members[0]).to.deep.include({ memberId, memberAssignment: SHARE });
    const { memberId: next, generationId } = await join('', 'static');
    expect(next).to.not.equal(memberId);
    expect(generationId, 'no rebalance').to.equal(1);
  });

  it('is no more, where another node coordinates it now', async () => {
    await formGroup();
    await broker.stop();
    const cluster = { nodes: 2, port: await freePorts(2) };
    const nodes = [0, 1].map((id) => ({ id, host: '', port: 0 }));
    expect(new Cluster(nodes, 0).coordinatorOf('readers').id).to.equal(1);
    const other = startBroker({ data: broker.data, ...cluster, node: 1 });
    await broker.start({ ...cluster, node: 0 });
    expect(broker.status.groups).to.deep.equal([]);
    await (await other).broker.stop();
    await broker.restart();
    expect((await describeGroup()).groupState).to.equal('Dead');
  });
});
