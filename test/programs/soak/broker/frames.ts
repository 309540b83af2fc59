// Sends mutations of real clients' requests through the parser of requests. Some of the requests
// that the parser accepts go to a broker, many frames in one write. The load fails when the parser
// throws anything but a refusal, when a connection is not ended, when something is left behind,
// when the log has a fault, or when a client is no longer served.

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { readRequest } from '../../../../examples/broker/network/request-frame.ts';
import { ProtocolError } from '../../../../examples/broker/protocol/reader.ts';
import { makeBatch } from '../../../examples/broker/support/batches.ts';
import { Mutations } from '../../../examples/broker/support/mutations.ts';
import { type RunningBroker, startBroker } from '../../../examples/broker/support/running-broker.ts';
import { fetchRequest, produceRequest, WireClient } from '../../../examples/broker/support/wire-client.ts';
import { until } from '../../../support/turns.ts';
import { type Counts, count, holds, type Load } from '../load.ts';

const FRAMES = 200_000;
/** One in so many of the frames that the parser accepts goes to the broker. */
const SERVED_ONE_IN = 40;
const PER_CONNECTION = 20;
const LIMITS = { maxParked: 300, maxPartitions: 60, maxFrameBytes: 1_000_000, http: 0, minFreeBytes: 0 };

const recorded: Record<string, string[]> = JSON.parse(
  readFileSync(new URL('../../../examples/broker/fixtures/frames.json', import.meta.url), 'utf8'),
);
const frames = Object.values(recorded).flatMap((hexes) => hexes.map((hex) => Buffer.from(hex, 'hex')));
const nobody = { peer: '', isClosed: true, roomForRecords: 0, onAnswer() {}, fail() {} };

function isTaken(frame: Buffer): boolean {
  try {
    readRequest(frame, nobody);
    return true;
  } catch (error) {
    if (error instanceof ProtocolError) return false;
    throw new Error(`of the frame ${frame.toString('hex')}`, { cause: error });
  }
}

function sized(frame: Buffer): Buffer {
  const size = Buffer.alloc(4);
  size.writeInt32BE(frame.length);
  return Buffer.concat([size, frame]);
}

/** Ends a connection: no api has this number. */
const END = sized(Buffer.from([0x7f, 0x7f, 0, 0]));

/** Sends all chunks, then END. Resolves when the broker has ended the connection. */
async function send(port: number, chunks: readonly Buffer[]): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.on('error', () => {}); // the broker may end it by a reset; 'close' follows
  socket.resume();
  socket.write(Buffer.concat([...chunks, END]));
  await once(socket, 'close');
}

/** A fetch that waits is answered by a produce. */
async function checkServed(running: RunningBroker, good: WireClient): Promise<void> {
  await good.send('DeleteTopics', 1, { topics: [], topicNames: ['js', 'rd', 'pt'], timeoutMs: 1000 });
  const topics = [{ topicId: '', name: 'rd' }];
  await good.send('Metadata', 4, { topics, allowAutoTopicCreation: true } as never);
  const parked = good.send('Fetch', 11, fetchRequest('rd', 0, 0, { maxWaitMs: 10_000, minBytes: 1 }));
  const producer = await WireClient.connect(running.port);
  await producer.send('Produce', 7, produceRequest('rd', 0, -1, makeBatch(['a'])));
  const { highWatermark } = (await parked).responses[0].partitions[0];
  producer.destroy();
  holds(Number(highWatermark) === 1, () => `the high watermark is ${highWatermark} after one record`);
}

export const load: Load = {
  async run(seed: number, counts: Counts): Promise<void> {
    const mutations = new Mutations(frames, seed);
    const running = await startBroker(LIMITS);
    const good = await WireClient.connect(running.port);
    try {
      await checkServed(running, good);
      let taken = 0;
      let chunks: Buffer[] = [];
      for (let left = FRAMES; left > 0; left--) {
        const frame = mutations.next();
        if (!isTaken(frame) || ++taken % SERVED_ONE_IN > 0) continue;
        chunks.push(sized(frame));
        if (chunks.length < PER_CONNECTION) continue;
        await send(running.port, chunks);
        count(counts, 'served', chunks.length);
        chunks = [];
      }
      count(counts, 'frames', FRAMES);
      await checkServed(running, good);
      await until(() => running.broker.status().connections === 1);
      const { fetch, produce } = running.broker.status().purgatories;
      const left = [fetch.numDelayed, produce.numDelayed, fetch.watchedKeys];
      holds(
        left.every((each) => each === 0),
        () => `left behind: ${left}`,
      );
      const faults = running.lines.filter((line) => line.includes('fault'));
      holds(faults.length === 0, () => `the broker says: ${faults[0]}`);
    } finally {
      good.destroy();
      await running.broker.stop();
    }
  },
};
