// A broker whose disk fills up under its writers. The broker is killed there, and gets room again.
// What it acknowledged is there, before and after. What it refused, it refused in the words of the
// protocol. All writers go on when there is room.
//
// The disk is a tmpfs where this process may mount one. Elsewhere it is the quota that the log
// itself enforces (--max-log-bytes), which grows.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ErrorCode } from '../../../../examples/broker/protocol/error-codes.ts';
import { WireClient } from '../../../examples/broker/support/wire-client.ts';
import { type Counts, count, holds, type Load } from '../load.ts';
import { Random } from '../random.ts';
import { BundledBroker } from './bundled-broker.ts';
import { checkLog } from './log-files.ts';
import { Writer } from './writer.ts';

const MIB = 2 ** 20;

/** The place of the data, and the way to make room again. */
interface Disk {
  readonly folder: string;
  /** What the broker answers when it is full. */
  readonly refusal: number;
  args(): readonly string[];
  makeRoom(): void;
  remove(): void;
}

function smallDisk(random: Random): Disk {
  const folder = mkdtempSync(join(tmpdir(), 'purgatory-soak-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${(3 + random.below(3)) * MIB}`, 'none', folder], {
    stdio: 'ignore',
  });
  const ballast = join(folder, 'ballast');
  writeFileSync(ballast, Buffer.alloc(MIB));
  return {
    folder,
    refusal: ErrorCode.KAFKA_STORAGE_ERROR,
    args: () => ['--min-free-bytes', `${MIB / 4}`],
    makeRoom: () => rmSync(ballast),
    remove: () => {
      execFileSync('umount', [folder]);
      rmSync(folder, { recursive: true });
    },
  };
}

function quota(random: Random): Disk {
  const folder = mkdtempSync(join(tmpdir(), 'purgatory-soak-quota-'));
  let bytes = (2 + random.below(3)) * MIB;
  return {
    folder,
    refusal: ErrorCode.POLICY_VIOLATION,
    args: () => ['--min-free-bytes', '0', '--max-log-bytes', `${bytes}`],
    makeRoom: () => {
      bytes += MIB;
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}

function makeDisk(random: Random): Disk {
  try {
    return smallDisk(random);
  } catch (error) {
    if (!(error as Error).message.includes('mount')) throw error;
    return quota(random);
  }
}

export const load: Load = {
  async run(seed: number, counts: Counts): Promise<void> {
    const random = new Random(seed);
    const disk = makeDisk(random);
    const data = join(disk.folder, 'data');
    const partitions = random.pick([1, 2]);
    const args = [
      '--data',
      data,
      '--partitions',
      `${partitions}`,
      '--segment-bytes',
      `${random.pick([2 ** 16, 2 ** 19])}`,
    ];
    const start = (): Promise<BundledBroker> => BundledBroker.start([...args, ...disk.args()]);
    let broker = await start();
    const bytes = random.pick([3_000, 20_000, 100_000]);
    const writers = Array.from({ length: partitions }, (_, id) => new Writer(() => broker.port, id, bytes));
    try {
      const client = await WireClient.connect(broker.port);
      const topics = [{ topicId: '', name: 't' }];
      await client.send('Metadata', 4, { topics, allowAutoTopicCreation: true } as never);
      client.destroy();
      const failed = Promise.all(writers.map((writer) => writer.run())).then(
        () => undefined,
        (error: unknown) => error,
      );
      const until = async (isTrue: (writer: Writer) => boolean): Promise<void> => {
        while (!writers.every(isTrue)) {
          const error = await Promise.race([failed, pause(5)]);
          if (error !== undefined) throw error;
        }
      };
      const isRefused = ({ refusals }: Writer): boolean => (refusals.get(disk.refusal) ?? 0) > 0;
      await until(isRefused);
      count(counts, 'fullDisks');
      await broker.end(random.pick(['SIGKILL', 'SIGTERM']));
      for (const { refusals } of writers) refusals.clear();
      broker = await start();
      await until(isRefused);
      const full = new Map(writers.map((writer) => [writer, writer.acknowledged]));
      disk.makeRoom();
      if (disk.refusal === ErrorCode.POLICY_VIOLATION) {
        await broker.end('SIGTERM');
        broker = await start();
      }
      await until((writer) => writer.acknowledged > (full.get(writer) ?? 0));
      for (const writer of writers) writer.stop();
      const error = await failed;
      if (error !== undefined) throw error;
      for (const [partition, { refusals, acknowledged }] of writers.entries()) {
        refusals.delete(disk.refusal);
        holds(refusals.size === 0, () => `refused with ${[...refusals.keys()]} besides`);
        checkLog(data, partition, acknowledged);
        count(counts, 'records', acknowledged);
      }
    } finally {
      for (const writer of writers) writer.stop();
      await broker.end('SIGTERM');
      disk.remove();
    }
  },
};
