// A broker that is killed by SIGKILL in the middle of its writes, again and again, on the same
// data. At the end, every record that it acknowledged is there, once and in order. After each
// start, every commit that it acknowledged is there.
import { setTimeout as pause } from 'node:timers/promises';
import { ErrorCode } from '../../../../examples/broker/protocol/error-codes.ts';
import { dataFolder } from '../../../examples/broker/support/running-broker.ts';
import { WireClient } from '../../../examples/broker/support/wire-client.ts';
import { type Counts, count, holds, type Load } from '../load.ts';
import { Random } from '../random.ts';
import { BundledBroker } from './bundled-broker.ts';
import { checkLog } from './log-files.ts';
import { Writer } from './writer.ts';

const KILLS = 10;

/** A group that commits one offset after the other. */
class Committer {
  #committed = -1;
  #client: WireClient | undefined;
  #isStopped = false;

  async run(port: () => number): Promise<void> {
    while (!this.#isStopped) {
      this.#client = await WireClient.connect(port()).catch(() => undefined);
      if (this.#client !== undefined) await Promise.race([this.#commit(this.#client), this.#client.closed()]);
      this.#client?.destroy();
      await pause(5);
    }
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #commit(client: WireClient): Promise<void> {
    const asked = await client.send('OffsetFetch', 1, {
      groupId: 'g',
      topics: [{ name: 't', partitionIndexes: [0] }],
    } as never);
    const found = Number(asked.topics[0].partitions[0].committedOffset);
    holds(found >= this.#committed, () => `the group had committed ${this.#committed}; it has ${found}`);
    while (!this.#isStopped && client === this.#client) {
      const offset = Math.max(found, this.#committed) + 1;
      const partitions = [{ partitionIndex: 0, committedOffset: offset, committedMetadata: '' }];
      const { topics } = await client.send('OffsetCommit', 8, {
        groupId: 'g',
        generationId: -1,
        memberId: '',
        groupInstanceId: null,
        topics: [{ name: 't', partitions }],
      });
      if (topics[0].partitions[0].errorCode === ErrorCode.NONE) this.#committed = offset;
      else await pause(5);
    }
  }
}

export const load: Load = {
  async run(seed: number, counts: Counts): Promise<void> {
    const random = new Random(seed);
    const data = dataFolder();
    const partitions = random.pick([1, 1, 3]);
    const args = [
      '--data',
      data,
      '--partitions',
      `${partitions}`,
      '--segment-bytes',
      `${random.pick([1_024, 4_096, 2 ** 20])}`,
    ];
    args.push('--min-free-bytes', '0', '--flush-ms', `${random.pick([0, 0, 10])}`);
    let broker = await BundledBroker.start(args);
    const port = (): number => broker.port;
    const client = await WireClient.connect(broker.port);
    const topics = [{ topicId: '', name: 't' }];
    await client.send('Metadata', 4, { topics, allowAutoTopicCreation: true } as never);
    client.destroy();
    const writers = Array.from({ length: partitions }, (_, partition) => new Writer(port, partition));
    const committer = new Committer();
    const running = Promise.all([...writers.map((writer) => writer.run()), committer.run(port)]);
    const failed = running.then(
      () => undefined,
      (error: unknown) => error,
    );
    try {
      for (let kill = 0; kill < KILLS; kill++) {
        await pause(random.below(120));
        await broker.end('SIGKILL');
        broker = await BundledBroker.start(args);
        count(counts, 'kills');
      }
      const goals = writers.map(({ acknowledged }) => acknowledged + 1);
      while (writers.some(({ acknowledged }, index) => acknowledged < goals[index])) {
        const error = await Promise.race([failed, pause(10)]);
        if (error !== undefined) throw error;
      }
      for (const each of [...writers, committer]) each.stop();
      const error = await failed;
      if (error !== undefined) throw error;
      holds(broker.complaints.length === 0, () => `the broker says: ${broker.complaints[0]}`);
    } finally {
      for (const each of [...writers, committer]) each.stop();
      await broker.end('SIGTERM');
    }
    for (const [partition, { acknowledged }] of writers.entries()) {
      checkLog(data, partition, acknowledged);
      count(counts, 'records', acknowledged);
    }
  },
};
