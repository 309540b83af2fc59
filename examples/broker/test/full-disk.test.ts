import { execFileSync } from 'node:child_process';
import fs, { mkdtempSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { BrokerOptions } from '../options.ts';
import { ErrorCode } from '../protocol/error-codes.ts';
import { findings } from '../storage/damage.ts';
import { Journal } from '../storage/journal.ts';
import { makeBatch } from './support/batches.ts';
import { freePorts } from './support/free-ports.ts';
import { describeWith, programs } from './support/needs.ts';
import { dataFolder, type RunningBroker, startBroker } from './support/running-broker.ts';
import { pause, until } from './support/turns.ts';
import { WireClient } from './support/wire-client.ts';

const { NONE, KAFKA_STORAGE_ERROR, COORDINATOR_NOT_AVAILABLE } = ErrorCode;
const DISK_BYTES = 4 * 2 ** 20;

describeWith(programs.smallDisk, 'a broker whose disk is full', () => {
  let disk: string;
  let running: RunningBroker;
  let client: WireClient;

  beforeEach(() => {
    disk = mkdtempSync(join(tmpdir(), 'purgatory-disk-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'none', disk]);
  });

  afterEach(async () => {
    client.destroy();
    await running.broker.stop();
    execFileSync('umount', [disk]);
    rmSync(disk, { recursive: true });
  });

  async function start(options: Partial<BrokerOptions>): Promise<void> {
    const common = { data: join(disk, 'data'), partitions: 1, segmentBytes: 2 ** 19 };
    running = await startBroker({ ...common, ...options });
    client = await WireClient.connect(running.port);
  }

  const createTopic = async (name: string) => (await client.createTopics(name))[0];
  const produce = async (acks = -1) => {
    return (await client.produce('t', 0, acks, makeBatch(['x'.repeat(200_000)]))).errorCode;
  };
  const commit = async (offset: number) =>
    (await client.commit('g', 't', [offset], { metadata: 'm'.repeat(1000) }))[0];
  /** A group of one member, and the error code of its share. */
  const formGroup = async () => {
    const { memberId, generationId } = await client.join({ groupId: 'members' });
    return (await client.sync(memberId, generationId, {}, { groupId: 'members' })).errorCode;
  };
  const fetchAll = async () => {
    const { errorCode, records } = await client.fetch('t', 0, 0);
    expect(errorCode).to.equal(NONE);
    return Buffer.concat(records).length;
  };
  const deleteBefore = async (offset: number) => {
    return (await client.deleteBefore('t', offset)).errorCode;
  };
  async function fill(): Promise<number> {
    for (let kept = 0; ; kept++) {
      const errorCode = await produce();
      if (errorCode === KAFKA_STORAGE_ERROR) return kept;
      expect(errorCode).to.equal(NONE);
    }
  }

  it('refuses records with KAFKA_STORAGE_ERROR, keeps serving reads and commits, and goes on when there is room', async () => {
    await start({ minFreeBytes: 2 ** 20 });
    await createTopic('t');
    const kept = await fill();
    expect(kept).to.be.within(10, 16);
    expect(await fetchAll()).to.be.above(kept * 200_000);
    // Far more than there is room for: the journal is rewritten on the way.
    for (let i = 0; i < 3000; i++) expect(await commit(i)).to.equal(NONE);
    expect(await createTopic('another')).to.equal(NONE);
    expect(await produce(1)).to.equal(KAFKA_STORAGE_ERROR);
    expect(await deleteBefore(6)).to.equal(NONE);
    expect(await produce()).to.equal(NONE);
    for (const line of running.lines)
      expect(line).to.match(
        /^refused 1 batches of 127\.0\.0\.1:\d+: the disk has \d+ bytes left, where --min-free-bytes is 1048576$/,
      );
    expect(running.lines).to.have.length(2);
  });

  /** Until the disk is full: a delete that is refused has deleted nothing. */
  async function refuseToDelete(bytes: number): Promise<void> {
    const committed = await client.committed('g', 't');
    const deleted = async (name: string) => (await client.deleteTopics(name)).responses[0].errorCode;
    for (let i = 10; (await createTopic(`${i}`)) === NONE; i++);
    let errorCode: number = NONE;
    for (let i = 10; errorCode === NONE; i++) errorCode = await deleted(`${i}`.repeat(100));
    expect(errorCode).to.equal(KAFKA_STORAGE_ERROR);
    expect(await deleted('t')).to.equal(KAFKA_STORAGE_ERROR);
    expect(await fetchAll()).to.equal(bytes);
    expect(await client.committed('g', 't')).to.deep.equal(committed);
  }

  it('that others have filled to the last byte loses nothing of what it has, and goes on when there is room', async () => {
    await start({ minFreeBytes: 0 });
    await createTopic('t');
    for (let i = 0; i < 3; i++) expect(await produce()).to.equal(NONE);
    expect(await commit(0)).to.equal(NONE);
    const before = await fetchAll();
    const ballast = join(disk, 'ballast');
    const { bavail, bsize } = statfsSync(disk);
    writeFileSync(ballast, Buffer.alloc(bavail * bsize));
    expect(await produce()).to.equal(KAFKA_STORAGE_ERROR);
    expect(await produce(1)).to.equal(KAFKA_STORAGE_ERROR);
    expect(await fetchAll()).to.equal(before);
    // What is left of a block still takes some commits; then clients are told to try again.
    let errorCode: number = NONE;
    for (let i = 0; i < 50 && errorCode === NONE; i++) errorCode = await commit(i);
    expect(errorCode).to.equal(COORDINATOR_NOT_AVAILABLE);
    errorCode = NONE;
    for (let i = 10; i < 50 && errorCode === NONE; i++) errorCode = await createTopic(`${i}`.repeat(100));
    expect(errorCode).to.equal(KAFKA_STORAGE_ERROR);
    expect(await deleteBefore(1)).to.equal(KAFKA_STORAGE_ERROR);
    await refuseToDelete(before);
    expect(await formGroup(), 'a group is kept in memory then').to.equal(NONE);
    expect(running.lines.filter((line) => !line.startsWith('refused '))).to.deep.equal([
      'did not write down the group "members": the disk is full (ENOSPC)',
    ]);
    expect(running.broker.status().connections, 'nobody was cut off').to.equal(1);
    rmSync(ballast);
    expect(await produce()).to.equal(NONE);
    expect(await commit(99)).to.equal(NONE);
    expect(
      running.lines.filter((line) => !/^(refused|did not write down) /.test(line) || /fault|at /.test(line)),
    ).to.deep.equal([]);
    const after = await fetchAll();
    client.destroy();
    await running.broker.stop();
    await start({});
    expect(await fetchAll()).to.equal(after);
  });

  it('goes on with its journal where there is no room to rewrite it, and rewrites it later', async () => {
    await start({});
    const text = 'x'.repeat(1000);
    const current = Array.from({ length: 400 }, (_, n) => ({ n, text }));
    const path = join(disk, 'journal');
    const journal = new Journal<{ n: number; text: string }>(
      path,
      () => {},
      () => current,
      findings(false, () => {}),
    );
    const append = (count: number) => {
      for (let n = 0; n < count; n++) journal.append({ n, text });
    };
    // It is replaced when it is larger than twice these 400 entries and 128 KiB: at some 930 lines.
    append(900);
    const before = journal.size;
    const ballast = join(disk, 'ballast');
    const { bavail, bsize } = statfsSync(disk);
    writeFileSync(ballast, Buffer.alloc(bavail * bsize - 100_000));
    append(60);
    expect(journal.size, 'there is room for it, and none for another').to.be.above(before + 60_000);
    expect(() => append(1000)).to.throw('the disk is full (ENOSPC)');
    expect(statSync(path).size).to.equal(journal.size);
    rmSync(ballast);
    append(200);
    expect(journal.size, 'replaced').to.be.below(before);
    await journal.close();
  });
});

describeWith(programs.smallDisk, 'a follower whose disk is full', () => {
  const { fdatasync } = fs;
  const held: (() => void)[] = [];
  let disk: string;
  let port: number;
  let nodes: RunningBroker[];

  beforeEach(async () => {
    disk = mkdtempSync(join(tmpdir(), 'purgatory-disk-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'none', disk]);
    port = await freePorts(2);
  });

  afterEach(async () => {
    goOn();
    await Promise.all(nodes.map(({ broker }) => broker.stop()));
    execFileSync('umount', [disk]);
    rmSync(disk, { recursive: true });
  });

  const start = (node: number, data: string, replicaLagMs: number) =>
    startBroker({ nodes: 2, port, partitions: 1, minFreeBytes: 0, node, data, replicaLagMs });
  const place = (node: number) => nodes[node].broker.status().topics[0]?.partitions[0];
  /** Leaves room for so many bytes; `rmSync` what it returns to have it all. */
  function fill(bytesLeft: number): string {
    const ballast = join(disk, 'ballast');
    const { bavail, bsize } = statfsSync(disk);
    writeFileSync(ballast, Buffer.alloc(bavail * bsize - bytesLeft));
    return ballast;
  }
  const produce = async (...bytes: number[]) => {
    const client = await WireClient.connect(port);
    await client.createTopics('t');
    for (const each of bytes) await client.produce('t', 0, 1, makeBatch(['x'.repeat(each)]));
    client.destroy();
  };

  /** The follower's logs are not synced until `goOn`. */
  function holdSyncs(): void {
    const logs = join(disk, 'node-1', 'logs');
    fs.fdatasync = ((fd, done) => {
      if (fs.readlinkSync(`/proc/self/fd/${fd}`).startsWith(logs)) held.push(() => fdatasync(fd, done));
      else fdatasync(fd, done);
    }) as typeof fdatasync;
    syncBuiltinESMExports();
  }

  function goOn(): void {
    fs.fdatasync = fdatasync;
    syncBuiltinESMExports();
    for (const sync of held.splice(0)) sync();
  }

  it('waits until there is room, in words, and has all that its leader has then', async () => {
    nodes = await Promise.all([start(0, dataFolder(), 300), start(1, disk, 300)]);
    await produce();
    await until(() => place(1)?.endOffset === 0, 'the follower has nothing');
    const ballast = fill(0);
    await produce(200_000, 200_000, 200_000);
    await until(() => nodes[1].lines.length > 0, 'the follower says why it waits');
    expect(nodes[1].lines[0]).to.equal('copied nothing from node 0: the disk is full (ENOSPC)');
    rmSync(ballast);
    await until(() => place(1)?.endOffset === 3, 'the follower has all');
  });

  it('has its leader acknowledge nothing that the disk does not have yet', async () => {
    nodes = await Promise.all([start(0, dataFolder(), 60_000), start(1, disk, 60_000)]);
    await produce();
    await until(() => place(1)?.endOffset === 0, 'the follower has nothing');
    await nodes[1].broker.stop();
    // Both come with one answer, and there is room for the first.
    await produce(10, 200_000);
    const ballast = fill(100_000);
    holdSyncs();
    nodes[1] = await start(1, disk, 60_000);
    await until(() => nodes[1].lines.length > 0, 'the follower had no room for the second');
    expect(place(1).endOffset).to.equal(1);
    expect(held).to.have.length(1);
    // Three times as long as a follower waits before it goes on.
    await pause(300);
    expect(place(0).highWatermark).to.equal(0);
    goOn();
    await until(() => place(0).highWatermark === 1, 'the first is acknowledged');
    rmSync(ballast);
    await until(() => place(0).highWatermark === 2, 'so is the second');
  });
});
