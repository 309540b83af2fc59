import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { InSyncReplicas } from '../../replication/in-sync-replicas.ts';
import { forgetCleanStop } from '../../storage/clean-stop.ts';
import { makeBatch } from '../support/batches.ts';
import { freePorts } from '../support/free-ports.ts';
import { openLog } from '../support/opened-log.ts';
import { dataFolder, type RunningBroker, startBroker } from '../support/running-broker.ts';
import { until } from '../support/turns.ts';
import { WireClient } from '../support/wire-client.ts';

describe('the replicas in sync', () => {
  it('are those that fetched from the end within the lag, and the leader', () => {
    const replicas = new InSyncReplicas(0, [1, 2], 0);
    replicas.note(1, 10, 10, 5, 900);
    replicas.note(2, 9, 10, 5, 900);
    replicas.shrink(1000, 1000);
    expect(replicas.ids).to.deep.equal([0, 1, 2]);
    expect(replicas.commonOffset(10)).to.equal(9);
    replicas.shrink(1001, 1000);
    expect(replicas.ids).to.deep.equal([0, 1]);
    expect(replicas.commonOffset(10)).to.equal(10);
    replicas.shrink(1901, 1000);
    expect(replicas.ids).to.deep.equal([0]);
  });

  it('take one back when it has reached the high watermark, and know no strangers', () => {
    const replicas = new InSyncReplicas(0, [1], 0);
    replicas.shrink(2000, 1000);
    replicas.note(1, 4, 10, 5, 2000);
    expect(replicas.ids).to.deep.equal([0]);
    replicas.note(7, 10, 10, 5, 2000);
    replicas.note(1, 11, 10, 5, 2000);
    replicas.note(1, 5, 10, 5, 2000);
    expect(replicas.ids).to.deep.equal([0, 1]);
    expect(replicas.commonOffset(10)).to.equal(5);
  });
});

describe("a follower whose log is not its leader's", () => {
  let data: string;
  let port: number;
  let nodes: RunningBroker[];

  beforeEach(async () => {
    data = dataFolder();
    port = await freePorts(2);
    nodes = await startBoth();
  });

  afterEach(stop);

  const options = { nodes: 2, partitions: 1, segmentBytes: 4096, flushMs: 60_000, replicaLagMs: 300 };
  const startBoth = () => Promise.all([start(0), start(1)]);
  const start = (node: number) => startBroker({ ...options, node, port, data });

  async function stop(): Promise<void> {
    await Promise.all(nodes.splice(0).map(({ broker }) => broker.stop()));
  }

  const logOf = (node: number) => join(data, `node-${node}`, 'logs', 't-0');
  const bytesOf = (node: number) => {
    const names = readdirSync(logOf(node)).sort();
    return Buffer.concat(names.map((name) => readFileSync(join(logOf(node), name)))).toString('latin1');
  };

  /** With acks=all: where there is no follower, the first waits until it is out of sync. */
  async function produce(...values: string[]): Promise<void> {
    const client = await WireClient.connect(port);
    await client.createTopics('t');
    for (const value of values) {
      const produced = await client.produce('t', 0, -1, makeBatch([value]));
      expect(produced.errorCode).to.equal(0);
    }
    client.destroy();
  }

  const endOffset = ({ broker }: RunningBroker) => broker.status().topics[0]?.partitions[0].endOffset;
  const isCaughtUp = () => endOffset(nodes[0]) === endOffset(nodes[1]);

  /** What a leader that lost power has: of its log, the first `kept` records. */
  function lose(kept: number): void {
    const log = openLog(logOf(0), 4096);
    log.truncateTo(kept);
    log.close();
    forgetCleanStop(join(data, 'node-0'));
  }

  async function restartWith(...values: string[]): Promise<void> {
    // It is ready when the follower is there as well, and takes records before: it has gone on
    // without it.
    const leader = start(0);
    await until(() => isOpen(port), 'the ports are as they should be');
    await produce(...values);
    nodes = await Promise.all([leader, start(1)]);
  }

  async function isOpen(at: number): Promise<boolean> {
    const client = await WireClient.connect(at).catch(() => undefined);
    client?.destroy();
    return client !== undefined;
  }

  const untilCaughtUp = () => until(isCaughtUp, 'the follower is where its leader is');
  const untilFollower = (start: number, end: number) =>
    until(() => expect(places()[1]).to.deep.equal([start, end]), 'the follower is where its leader is');
  /** A hundred records, which both have then. */
  const produceOld = async () => {
    await produce(...many('old', 100));
    await untilCaughtUp();
  };
  const many = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => `${prefix}${i}`);

  for (const [what, { lost, written, cutTo }] of Object.entries({
    'ends behind it': { lost: 1, written: 0, cutTo: undefined },
    'ends where it ends': { lost: 1, written: 1, cutTo: 99 },
    'ends after it, with others in the place of its last': { lost: 3, written: 10, cutTo: 97 },
    'has others from early on': { lost: 80, written: 200, cutTo: 20 },
    'has nothing of it': { lost: 100, written: 120, cutTo: 0 },
  })) {
    it(`cuts it off and fetches again where the leader's ${what}`, async () => {
      await produceOld();
      await stop();
      lose(100 - lost);
      await restartWith(...many('new', written));
      // It may end where its leader does before it has looked.
      await until(() => bytesOf(1) === bytesOf(0), 'the follower has what its leader has');
      const lines = nodes[1].lines.map((line) =>
        Number(/^cut t-0 from offset 100 to (\d+), /.exec(line)?.[1]),
      );
      await stop();
      expect(bytesOf(1)).to.equal(bytesOf(0));
      expect(bytesOf(1)).to.contain(lost === 100 ? 'new0' : 'old0');
      expect(lines).to.have.length(cutTo === undefined ? 0 : 1);
      // Steps double, so up to as much again as is lost is fetched again.
      if (cutTo !== undefined) expect(lines[0]).to.be.within(Math.max(0, cutTo - lost), cutTo);
    });
  }

  it('looks again for each connection: its leader may have been away for a moment only', async () => {
    await produceOld();
    await nodes[0].broker.stop();
    lose(97);
    nodes[0] = await start(0);
    await until(() => endOffset(nodes[1]) === 97, 'the log has that record');
    await produce('new');
    await untilCaughtUp();
    await stop();
    expect(bytesOf(1)).to.equal(bytesOf(0));
  });

  it('keeps it where it is the same, over restarts of both', async () => {
    await produceOld();
    await stop();
    await restartWith('new');
    await untilCaughtUp();
    expect(endOffset(nodes[1])).to.equal(101);
    expect(nodes.map(({ lines }) => lines)).to.deep.equal([[], []]);
  });

  async function deleteBefore(offset: number): Promise<void> {
    const client = await WireClient.connect(port);
    expect(await client.deleteBefore('t', offset)).to.include({ errorCode: 0, lowWatermark: offset });
    client.destroy();
  }

  const places = () =>
    nodes.map(({ broker }) => {
      const { startOffset, endOffset } = broker.status().topics[0].partitions[0];
      return [startOffset, endOffset];
    });

  it('begins where its leader does, while both are there', async () => {
    await produceOld();
    await deleteBefore(50);
    await until(() => places()[1][0] === 50, 'the follower is where its leader is');
    await produce('new');
    await untilCaughtUp();
    expect(places()).to.deep.equal([
      [50, 101],
      [50, 101],
    ]);
  });

  for (const [what, first, written] of [
    ['some of what it has', 60, 30],
    ['all that it has', 100, 30],
    ['more than it ever had', 120, 30],
    ['all there is', 130, 30],
  ] as const) {
    it(`begins where its leader does after it was away, where that has deleted ${what}`, async () => {
      await produceOld();
      await nodes[1].broker.stop();
      await produce(...many('new', written));
      await deleteBefore(first);
      nodes[1] = await start(1);
      await untilFollower(first, 100 + written);
      await produce('last');
      await untilFollower(first, 101 + written);
      await stop();
      nodes = await startBoth();
      await untilCaughtUp();
      expect(places()[1]).to.deep.equal([first, 101 + written]);
      expect(nodes.map(({ lines }) => lines)).to.deep.equal([[], []]);
    });
  }

  it('begins where its leader does in the middle of a batch, which both keep as a whole', async () => {
    await nodes[1].broker.stop();
    const client = await WireClient.connect(port);
    await client.createTopics('t');
    for (let i = 0; i < 3; i++) await client.produce('t', 0, -1, makeBatch(many('x', 10)));
    client.destroy();
    await deleteBefore(15);
    nodes[1] = await start(1);
    await untilFollower(15, 30);
    await stop();
    nodes = await startBoth();
    await produce('last');
    await untilFollower(15, 31);
    expect(nodes.map(({ lines }) => lines)).to.deep.equal([[], []]);
  });

  it('is empty where its leader is after it has lost everything', async () => {
    await produce(...many('old', 100));
    await deleteBefore(50);
    await until(() => places()[1][0] === 50, 'the follower is where its leader is');
    await stop();
    rmSync(logOf(0), { recursive: true });
    forgetCleanStop(join(data, 'node-0'));
    nodes = await startBoth();
    await untilFollower(0, 0);
    await produce('new');
    await untilFollower(0, 1);
  });
});
