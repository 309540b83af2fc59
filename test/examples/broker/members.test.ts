import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { Kafka } from 'kafkajs';
import type { BrokerOptions } from '../../../examples/broker/options.ts';
import { ErrorCode } from '../../../examples/broker/protocol/error-codes.ts';
import { until } from '../../support/turns.ts';
import { uncovered } from '../../support/uncovered.ts';
import { type RunningBroker, startBroker } from './support/running-broker.ts';
import { WireClient } from './support/wire-client.ts';

const env = uncovered();

describe('the members of a group', () => {
  let running: RunningBroker;
  const clients: WireClient[] = [];
  const processes: ChildProcess[] = [];

  const start = async (options: Partial<BrokerOptions> = {}) => {
    running = await startBroker(options);
  };

  async function newClient(): Promise<WireClient> {
    const client = await WireClient.connect(running.port);
    clients.push(client);
    return client;
  }

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

  async function describeGroup(groupId = 'g') {
    const request = { groups: [groupId], includeAuthorizedOperations: false };
    return (await (await newClient()).send('DescribeGroups', 5, request)).groups[0];
  }

  const listGroups = async (...statesFilter: string[]) =>
    (await (await newClient()).send('ListGroups', 5, { statesFilter, typesFilter: [] })).groups;

  afterEach(async () => {
    for (const child of processes.splice(0)) child.kill('SIGKILL');
    for (const client of clients.splice(0)) client.destroy();
    await running.broker.stop();
    expect(running.lines).to.deep.equal([]);
  });

  it('that start together join one generation, where --group-initial-rebalance-ms waits for them', async () => {
    await start({ groupInitialRebalanceMs: 300 });
    const begin = performance.now();
    const first = join();
    await until(() => running.broker.status().purgatories.join.numDelayed === 1, 'that many wait');
    const all = await Promise.all([first, join(), join()]);
    expect(performance.now() - begin, 'waited once more, for members that came').to.be.at.least(600);
    expect(all.map(({ generationId }) => generationId)).to.deep.equal([1, 1, 1]);
    expect(new Set(all.map(({ leader }) => leader)).size).to.equal(1);
    expect(all.map(({ members }) => members.length)).to.have.members([3, 0, 0]);
    expect(running.broker.status().purgatories.join).to.include({ numDelayed: 0, parked: 2, expired: 2 });

    const { leader } = all[0];
    await sync(leader, 1);
    const again = join(5000, leader);
    await until(() => running.broker.status().purgatories.join.numDelayed === 1, 'that many wait');
    const others = all.map(({ memberId }) => memberId).filter((id) => id !== leader);
    await Promise.all([again, ...others.map((id) => join(5000, id))]);
    expect(running.broker.status().purgatories.join, 'a later rebalance').to.include({ completedEarly: 1 });
  });

  it('that start together wait no longer than their rebalance timeout', async () => {
    await start({ groupInitialRebalanceMs: 3_600_000 });
    expect(await join(50)).to.include({ errorCode: ErrorCode.NONE, generationId: 1 });
  });

  it('may ask for session timeouts within the bounds of the options', async () => {
    await start({ groupMinSessionTimeoutMs: 2000, groupMaxSessionTimeoutMs: 3000 });
    for (const [timeout, error] of [
      [1999, ErrorCode.INVALID_SESSION_TIMEOUT],
      [3001, ErrorCode.INVALID_SESSION_TIMEOUT],
      [2000, ErrorCode.NONE],
    ])
      expect((await join(5000, '', timeout)).errorCode, `${timeout}`).to.equal(error);
  });

  it('are described and their group is listed in every state that it can be in', async () => {
    await start();
    expect(await describeGroup()).to.include({ groupState: 'Dead', errorCode: 0 });
    expect(await listGroups()).to.deep.equal([]);

    const { memberId } = await join();
    const rebalancing = await describeGroup();
    expect(rebalancing).to.include({
      groupState: 'CompletingRebalance',
      protocolType: 'consumer',
      protocolData: '',
    });
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
    await start();
    const client = await newClient();
    await client.createTopics('t');
    await client.commit('g', 't', [1]);
    expect(await describeGroup()).to.include({ groupState: 'Empty', errorCode: 0 });
    expect(await listGroups('Empty')).to.deep.equal([
      { groupId: 'g', protocolType: 'consumer', groupState: 'Empty', groupType: 'classic' },
    ]);
  });

  it('take over the partitions of one that is killed when its session ends, and not before', async () => {
    const sessionTimeoutMs = 1500;
    await start();
    const admin = new Kafka({ clientId: 'test', brokers: [running.address] }).admin();
    await admin.connect();
    await admin.createTopics({ topics: [{ topic: 'shared', numPartitions: 3 }] });
    await admin.disconnect();

    /** A member as a process of its own, and the partitions that it was given last. */
    const startMember = () => {
      const script = fileURLToPath(new URL('support/member.mjs', import.meta.url));
      const args = [script, running.address, 'shared', 'group', `${sessionTimeoutMs}`];
      const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
      processes.push(child);
      const member = { child, partitions: [] as number[] };
      createInterface({ input: child.stdout }).on('line', (line) => {
        member.partitions = JSON.parse(line);
      });
      return member;
    };
    const [one, other] = [startMember(), startMember()];
    await until(
      () => one.partitions.length > 0 && other.partitions.length > 0,
      'the partitions are shared out',
    );
    await until(() => one.partitions.length + other.partitions.length === 3, 'the partitions are shared out');
    one.child.kill('SIGKILL');
    const killed = performance.now();
    await until(() => other.partitions.length === 3, 'the partitions are shared out');
    const tookMs = performance.now() - killed;
    expect(tookMs, 'no member is given up before its time').to.be.above(sessionTimeoutMs - 500);
    expect(running.broker.status().groups.find(({ id }) => id === 'group')).to.include({ members: 1 });
  });
});
