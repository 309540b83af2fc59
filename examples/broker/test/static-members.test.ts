import { expect } from 'chai';
import { ErrorCode } from '../protocol/error-codes.ts';
import { brokerOfEachTest } from './support/running-broker.ts';
import { until } from './support/turns.ts';
import { HOUR_MS } from './support/wire-client.ts';

const { NONE, FENCED_INSTANCE_ID, REBALANCE_IN_PROGRESS, UNKNOWN_MEMBER_ID } = ErrorCode;

interface Joining {
  readonly memberId?: string;
  readonly version?: number;
  readonly topic?: string;
  readonly owned?: number;
  readonly protocol?: string;
  readonly sessionTimeoutMs?: number;
  readonly rebalanceTimeoutMs?: number;
}

/** What a consumer says when it joins: a topic, and in version 1 the partitions that it has of it. */
function subscription(topic: string, owned: number): Buffer {
  const name = Buffer.alloc(2 + topic.length);
  name.writeInt16BE(topic.length, 0);
  name.write(topic, 2);
  const one = Buffer.from([0, 0, 0, 1]);
  const none = Buffer.alloc(4);
  const partitions = owned < 0 ? [none] : [one, name, one, Buffer.from([0, 0, 0, owned])];
  return Buffer.concat([Buffer.from([0, 1]), one, name, none, ...partitions]);
}

describe('a static member of a group', () => {
  const broker = brokerOfEachTest();
  const newClient = () => broker.newClient();

  /** Each join is of a process of its own. */
  const join = async (groupInstanceId: string | null, joining: Joining = {}) => {
    const { memberId = '', version = 9, topic = 't', owned = -1, protocol = 'range' } = joining;
    const protocols = [{ name: protocol, metadata: subscription(topic, owned) }];
    const { sessionTimeoutMs = 60_000, rebalanceTimeoutMs = HOUR_MS } = joining;
    const request = { sessionTimeoutMs, rebalanceTimeoutMs, memberId, groupInstanceId, protocols };
    return (await newClient()).join(request, version);
  };

  const sync = async (
    memberId: string,
    instance: string | null,
    shares: Record<string, string> = {},
    generationId = 1,
  ) => (await newClient()).sync(memberId, generationId, shares, { groupInstanceId: instance });

  const heartbeat = async (memberId: string, groupInstanceId: string | null, generationId = 1) =>
    (await newClient()).heartbeat(memberId, generationId, groupInstanceId);

  /** Two static members in a stable group, of generation 2: `one` leads. */
  async function twoMembers(joining: Joining = {}, ofOne: Joining = joining) {
    const first = await join('one', ofOne);
    const joinOfOther = join('other', joining);
    await broker.untilParked('join', 1);
    const one = await join('one', { ...ofOne, memberId: first.memberId });
    const other = await joinOfOther;
    expect(one).to.include({ errorCode: NONE, generationId: 2, leader: one.memberId });
    const shares = { [one.memberId]: 'this', [other.memberId]: 'that' };
    await sync(one.memberId, 'one', shares, 2);
    await sync(other.memberId, 'other', {}, 2);
    return { one: one.memberId, other: other.memberId };
  }

  it('that starts again gets its share back, and the others notice nothing', async () => {
    const { one, other } = await twoMembers();
    const again = await join('other');
    expect(again).to.deep.include({ errorCode: NONE, generationId: 2, leader: one, members: [] });
    expect(again).to.include({ skipAssignment: false, protocolName: 'range' });
    expect(again.memberId).not.to.equal(other);
    expect((await sync(again.memberId, 'other', {}, 2)).assignment.toString()).to.equal('that');
    expect(await heartbeat(one, 'one', 2)).to.equal(NONE);
    expect(await heartbeat(again.memberId, 'other', 2)).to.equal(NONE);
    expect(broker.group()).to.include({ state: 'Stable', generation: 2, members: 2 });
  });

  it('is told that it is fenced, once another process has its place', async () => {
    const { other } = await twoMembers();
    await join('other');
    expect(await heartbeat(other, 'other', 2)).to.equal(FENCED_INSTANCE_ID);
    expect((await sync(other, 'other', {}, 2)).errorCode).to.equal(FENCED_INSTANCE_ID);
    expect((await join('other', { memberId: other })).errorCode).to.equal(FENCED_INSTANCE_ID);
    expect(broker.group()).to.include({ state: 'Stable', generation: 2, members: 2 });
  });

  it('is told that it is fenced while it waits for a join, which its twin waits for then', async () => {
    const { one, other } = await twoMembers();
    const newcomer = join('third');
    await broker.untilParked('join', 1);
    const fenced = join('one', { memberId: one });
    await until(() => broker.group()?.state === 'PreparingRebalance', 'a rebalance is under way');
    const twin = join('one');
    expect((await fenced).errorCode).to.equal(FENCED_INSTANCE_ID);
    await join('other', { memberId: other });
    expect((await twin).errorCode).to.equal(NONE);
    expect(await newcomer).to.include({ errorCode: NONE, leader: (await twin).memberId });
  });

  it('that led leads again and is told not to share out, or is not told that it leads before version 9', async () => {
    const { one, other } = await twoMembers();
    const again = await join('one');
    expect(again).to.include({ generationId: 2, leader: again.memberId, skipAssignment: true });
    expect(again.members.map(({ memberId }) => memberId)).to.have.members([again.memberId, other]);
    expect((await sync(again.memberId, 'one', {}, 2)).assignment.toString()).to.equal('this');
    const old = await join('one', { version: 8 });
    expect(old).to.deep.include({ generationId: 2, leader: again.memberId, members: [] });
    expect(old.memberId).not.to.be.oneOf([one, again.memberId]);
    expect((await sync(old.memberId, 'one', {}, 2)).assignment.toString()).to.equal('this');
    expect(await heartbeat(other, 'other', 2)).to.equal(NONE);
  });

  it('may say that it had other partitions, but wants the same topics and protocols, or all join again', async () => {
    const { one } = await twoMembers({ owned: 1 });
    const again = await join('other', { owned: -1 });
    expect(again).to.include({ errorCode: NONE, generationId: 2 });
    const changed = join('other', { topic: 'u' });
    await broker.untilParked('join', 1);
    expect(await heartbeat(one, 'one', 2)).to.equal(REBALANCE_IN_PROGRESS);
    await join('one', { memberId: one });
    expect(await changed).to.include({ errorCode: NONE, generationId: 3 });
  });

  it('alone in its group may start again with another protocol', async () => {
    await join('one');
    expect(await join('one', { protocol: 'sticky' })).to.include({
      errorCode: NONE,
      generationId: 2,
      protocolName: 'sticky',
    });
  });

  it('keeps its place in a rebalance that it misses, for as long as its session', async () => {
    const soon = { rebalanceTimeoutMs: 2000 };
    const { other } = await twoMembers(soon, { ...soon, sessionTimeoutMs: 6000 });
    const third = await join('third', soon);
    expect(third, 'who waited leads, after the rebalance timeout').to.include({
      errorCode: NONE,
      generationId: 3,
      leader: third.memberId,
    });
    expect(third.members.map(({ groupInstanceId }) => groupInstanceId)).to.have.members([
      'one',
      'other',
      'third',
    ]);
    expect((await sync(third.memberId, 'third', { [other]: 'kept' }, 3)).errorCode).to.equal(NONE);
    const again = await join('other', soon);
    expect(again).to.include({ errorCode: NONE, generationId: 3 });
    expect((await sync(again.memberId, 'other', {}, 3)).assignment.toString()).to.equal('kept');
    await until(() => broker.group()?.state === 'PreparingRebalance', 'a rebalance is under way');
    expect(await heartbeat('gone', 'one', 3), 'its session is over').to.equal(UNKNOWN_MEMBER_ID);
  });

  it('that comes back to a rebalance that nobody joined ends it, once the others are gone', async () => {
    const { other } = await twoMembers({ rebalanceTimeoutMs: 2000 });
    const members = [{ memberId: '', groupInstanceId: 'one' }];
    await broker.client.send('LeaveGroup', 4, { groupId: 'g', memberId: '', members });
    await until(() => broker.status.purgatories.join.expired === 1, 'they have come to their deadline');
    expect(broker.group()).to.include({ state: 'PreparingRebalance', members: 1 });
    const again = await join('other');
    expect(again).to.include({ errorCode: NONE, generationId: 3, leader: again.memberId });
    expect(again.memberId).not.to.equal(other);
  });
});
