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
const ROUNDS = isFull ? 6 : 3;
const RECORDS_PER_ROUND = 20;

/**
 * An idempotent producer that sends one record after the other to one partition, with acks=1 and
 * acks=all in turn, each until it is acknowledged.
 */
class Writer {
  readonly acknowledged: number[] = [];
  readonly #port: number;
  readonly #partition: number;
  #isStopped = false;

  constructor(port: number, partition: number) {
    this.#port = port;
    this.#partition = partition;
  }

  async run(): Promise<void> {
    while (!this.#isStopped) {
      const client = await WireClient.connect(this.#port).catch(() => undefined);
      if (client !== undefined) await Promise.race([this.#write(client), client.closed()]);
      client?.destroy();
      await pause(20);
    }
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #write(client: WireClient): Promise<void> {
    while (!this.#isStopped) {
      const sequence = this.acknowledged.length;
      const producer = { id: 1_000_000 + this.#partition, epoch: 0, sequence };
      const batch = makeBatch([`<${sequence}>`], [], producer);
      const acks = sequence % 2 === 0 ? 1 : -1;
      const { errorCode, baseOffset } = await client.produce('t', this.#partition, acks, batch);
      if (errorCode === ErrorCode.NONE) this.acknowledged.push(baseOffset);
      else await pause(20);
    }
  }
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
    const writers = NODES.map((partition) => new Writer(port + partition, partition));
    const running = writers.map((writer) => writer.run());
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
    for (const writer of writers) writer.stop();
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
      const batches = readBatches(logOf(partition, partition));
      const values = batches.map(({ bytes }) => Number(/<(\d+)>/.exec(bytes.toString('latin1'))?.[1]));
      const { acknowledged } = writers[partition];
      expect(acknowledged, 'the offsets that were told').to.deep.equal(acknowledged.map((_, index) => index));
      expect(values.length).to.be.at.least(acknowledged.length);
      expect(values).to.deep.equal(values.map((_, index) => index));
      for (const node of NODES)
        expect(logOf(node, partition).equals(logOf(partition, partition)), `${node}, ${partition}`).to.equal(
          true,
        );
    }
    expect(nodes.map(({ complaints }) => complaints)).to.deep.equal([[], [], []]);
  });
});
