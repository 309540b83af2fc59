import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ErrorCode } from '../protocol/error-codes.ts';
import { readBatches } from '../protocol/record-batch.ts';
import { makeBatch } from './support/batches.ts';
import { BrokerProcess } from './support/broker-process.ts';
import { freePorts } from './support/free-ports.ts';
import { isFull } from './support/needs.ts';
import { dataFolder } from './support/running-broker.ts';
import { pause, until } from './support/turns.ts';
import { WireClient } from './support/wire-client.ts';

const NODES = [0, 1, 2];
/** Each node is killed once, in the full run twice. */
const ROUNDS = Number(process.env.KILL_ROUNDS ?? (isFull ? 6 : 3));
const RECORDS_PER_ROUND = process.env.KILL_ROUNDS ? 100 : 20;
const SLOW_MS = 50;

/** Goes on at one partition's leader, over all that happens to it. */
abstract class LastingClient {
  readonly partition: number;
  readonly #port: number;
  #isStopped = false;

  constructor(port: number, partition: number) {
    this.#port = port;
    this.partition = partition;
  }

  async run(): Promise<void> {
    while (!this.#isStopped) {
      const client = await WireClient.connect(this.#port).catch(() => undefined);
      if (client !== undefined) await Promise.race([this.#repeat(client), client.closed()]);
      client?.destroy();
      await pause(20);
    }
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #repeat(client: WireClient): Promise<void> {
    while (!this.#isStopped) await this.work(client);
  }

  protected abstract work(client: WireClient): Promise<unknown>;
}

/**
 * An idempotent producer that sends one record after the other, with acks=1 and acks=all in turn,
 * each until it is acknowledged.
 */
class Writer extends LastingClient {
  readonly acknowledged: number[] = [];

  protected async work(client: WireClient): Promise<void> {
    const sequence = this.acknowledged.length;
    const producer = { id: 1_000_000 + this.partition, epoch: 0, sequence };
    const batch = makeBatch([`<${sequence}>`], [], producer);
    const acks = sequence % 2 === 0 ? 1 : -1;
    const { errorCode, baseOffset } = await client.produce('t', this.partition, acks, batch);
    if (errorCode === ErrorCode.NONE) this.acknowledged.push(baseOffset);
    else await pause(20);
  }
}

/** A client whose batches were damaged on the way. Counts the answers by their error. */
class Damager extends LastingClient {
  readonly answers = new Map<number, number>();

  protected async work(client: WireClient): Promise<void> {
    const batch = makeBatch(['<damaged>']);
    batch[70] ^= 1;
    const { errorCode } = await client.produce('t', this.partition, -1, batch);
    // A node may not know of the new topic yet.
    if (errorCode !== ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
      this.answers.set(errorCode, (this.answers.get(errorCode) ?? 0) + 1);
    await pause(SLOW_MS);
  }
}

/** Reads a record at a time and waits, so most of what it reads is old. */
class SlowReader extends LastingClient {
  readonly values: number[] = [];

  protected async work(client: WireClient): Promise<void> {
    const { errorCode, records } = await client.fetch('t', this.partition, this.values.length, {
      partitionMaxBytes: 1,
      maxWaitMs: SLOW_MS,
    });
    if (errorCode === ErrorCode.NONE) this.values.push(...valuesOf(Buffer.concat(records)));
    await pause(SLOW_MS);
  }
}

function valuesOf(records: Buffer): number[] {
  return readBatches(records).map(({ bytes }) => Number(/<(\d+)>/.exec(bytes.toString('latin1'))?.[1]));
}

describe('a cluster whose nodes are killed in turn', () => {
  it('has every record that it acknowledged with acks=1 and acks=all, once and in order, on all replicas alike', async () => {
    const port = await freePorts(NODES.length);
    const data = dataFolder();
    const args = ['--nodes', '3', '--port', `${port}`, '--http', '0', '--data', data];
    args.push('--segment-bytes', '4096', '--replica-lag-ms', '500', '--min-insync-replicas', '1');
    const start = (id: number) => BrokerProcess.start([...args, '--node', `${id}`]);
    const nodes = await Promise.all(NODES.map(start));
    const client = await WireClient.connect(port);
    await client.createTopics('t');
    client.destroy();
    const each = <C>(Client: new (port: number, partition: number) => C) =>
      NODES.map((partition) => new Client(port + partition, partition));
    const [writers, readers, damagers] = [each(Writer), each(SlowReader), each(Damager)];
    const clients = [...writers, ...readers, ...damagers];
    const running = clients.map((each) => each.run());
    const progress = async () => {
      const goals = writers.map(({ acknowledged }) => acknowledged.length + RECORDS_PER_ROUND);
      await until(
        () => writers.every(({ acknowledged }, index) => acknowledged.length >= goals[index]),
        'enough is acknowledged',
      );
    };
    for (let round = 0; round < ROUNDS; round++) {
      await progress();
      const id = round % NODES.length;
      await nodes[id].end('SIGKILL');
      nodes[id] = await start(id);
    }
    await progress();
    for (const each of clients) each.stop();
    await Promise.all(running);

    const logOf = (node: number, partition: number) => {
      const folder = join(data, `node-${node}`, 'logs', `t-${partition}`);
      return Buffer.concat(
        readdirSync(folder)
          .sort()
          .map((name) => readFileSync(join(folder, name))),
      );
    };
    for (const partition of NODES) {
      const size = () => NODES.map((node) => logOf(node, partition).length);
      await until(() => new Set(size()).size === 1, 'all replicas have as much');
    }
    await Promise.all(nodes.map((node) => node.end('SIGTERM')));
    for (const partition of NODES) {
      const values = valuesOf(logOf(partition, partition));
      const { acknowledged } = writers[partition];
      expect(acknowledged, 'the offsets that were told').to.deep.equal(acknowledged.map((_, index) => index));
      expect(values.length).to.be.at.least(acknowledged.length);
      expect(values, 'once, in order, none damaged').to.deep.equal(values.map((_, index) => index));
      const read = readers[partition].values;
      expect(read.length, 'read slowly').to.be.above(0);
      expect(read, 'what was read').to.deep.equal(values.slice(0, read.length));
      const answers = [...damagers[partition].answers.keys()];
      expect(answers, 'to damaged batches').to.deep.equal([ErrorCode.CORRUPT_MESSAGE]);
      for (const node of NODES)
        expect(logOf(node, partition).equals(logOf(partition, partition)), `${node}, ${partition}`).to.equal(
          true,
        );
    }
    if (process.env.KILL_ROUNDS) {
      const sum = (counts: number[]) => counts.reduce((a, b) => a + b, 0);
      console.log({
        kills: ROUNDS,
        acknowledged: sum(writers.map(({ acknowledged }) => acknowledged.length)),
        read: sum(readers.map(({ values }) => values.length)),
        damaged: sum(damagers.flatMap(({ answers }) => [...answers.values()])),
      });
    }
    expect(nodes.map(({ complaints }) => complaints)).to.deep.equal([[], [], []]);
  });
});
