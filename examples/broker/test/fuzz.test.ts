/**
 * Mutated requests of real clients. FUZZ_MUTATIONS says how many (default 30,000, and 100,000 in the
 * full run), FUZZ_SEED which.
 *
 * Every mutation goes through the parser of requests, which may take it or refuse it, and nothing
 * else. Those it takes go to a broker over real connections, many in one write, each connection
 * ending with one that the parser refuses.
 */

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { expect } from 'chai';
import { kindOf } from '../log-lines.ts';
import type { Exchange } from '../network/exchange.ts';
import { FrameSplitter } from '../network/frames.ts';
import { isKnownVersion, readRequest } from '../network/request-frame.ts';
import { decode } from '../protocol/codec.ts';
import { apis } from '../protocol/messages/index.ts';
import { ProtocolError, Reader } from '../protocol/reader.ts';
import { makeBatch } from './support/batches.ts';
import { Mutations } from './support/mutations.ts';
import { isFull } from './support/needs.ts';
import { type RunningBroker, startBroker } from './support/running-broker.ts';
import { until } from './support/turns.ts';
import { fetchRequest, WireClient } from './support/wire-client.ts';

const MUTATIONS = Number(process.env.FUZZ_MUTATIONS ?? (isFull ? 100_000 : 30_000));
const SEED = Number(process.env.FUZZ_SEED ?? 1);
/**
 * Few enough that most are answered before one comes that waits: answers keep the order of their
 * requests.
 */
const PER_CONNECTION = 20;
const CONNECTIONS_PER_BROKER = 300;
const LIMITS = { maxParked: 300, maxPartitions: 60, maxFrameBytes: 1_000_000, http: 0 };

const recorded: Record<string, string[]> = JSON.parse(
  readFileSync(new URL('fixtures/frames.json', import.meta.url), 'utf8'),
);
const frames = Object.values(recorded).flatMap((hexes) => hexes.map((hex) => Buffer.from(hex, 'hex')));
const NOTHING = Buffer.alloc(0);
const nobody = { peer: '', isClosed: true, roomForRecords: 0, onAnswer() {}, fail() {} };

/** Requests for one connection, as the parser takes them and as they are sent, and what ends it. */
interface Session {
  readonly requests: Exchange[];
  readonly bytes: Buffer;
  readonly end: Buffer;
}

describe(`${MUTATIONS} mutations of what kafkajs, @platformatic/kafka and kcat send (FUZZ_SEED=${SEED})`, function () {
  this.timeout(600_000 + MUTATIONS);
  const mutations = new Mutations(frames, SEED);
  let running: RunningBroker;
  let left = MUTATIONS;
  let refused = 0;
  let taken = 0;

  /** The request, or undefined where the parser refuses it. Anything but a refusal is thrown on. */
  function parse(frame: Buffer): Exchange | undefined {
    try {
      return readRequest(frame, nobody);
    } catch (error) {
      if (error instanceof ProtocolError) return undefined;
      throw new Error(`of the frame ${frame.toString('hex')}`, { cause: error });
    }
  }

  /**
   * Mutations until there are enough for a connection: those that are taken, then one that ends it.
   */
  function nextSession(): Session {
    const requests: Exchange[] = [];
    const chunks: Buffer[] = [];
    let end: Buffer = Buffer.from([0x7f, 0x7f, 0, 0]);
    while (left > 0 && requests.length < PER_CONNECTION) {
      left--;
      const frame = mutations.next();
      const request = parse(frame);
      if (request === undefined) refused++;
      else taken++;
      // A produce without acks that fails ends its connection too.
      const ends = request === undefined || (request.api === 'Produce' && acksOf(request) === 0);
      if (ends) end = frame;
      else {
        requests.push(request);
        chunks.push(sized(frame));
      }
    }
    return { requests, bytes: Buffer.concat(chunks), end: Buffer.concat([sized(end), sized(NOTHING)]) };
  }

  /**
   * Sends it all and reads the answers, each of which must be one of its request, until the broker
   * ends the connection.
   */
  async function run({ requests, bytes, end }: Session, good: WireClient): Promise<number> {
    const socket = connect({ port: running.port, host: '127.0.0.1' });
    // The broker may end it by a reset; 'close' follows.
    socket.on('error', () => {});
    const answers = new FrameSplitter(2 ** 31 - 1);
    let answered = 0;
    socket.on('data', (chunk: Buffer) => {
      answers.push(chunk);
      for (let frame = answers.next(); frame !== undefined; frame = answers.next())
        checkAnswer(requests[answered++], frame);
    });
    socket.write(bytes);
    // What the broker destroys in the middle of its answers loses some of them. So it has turns for
    // these, for as long as some come.
    for (let before = -1; before < answered; ) {
      before = answered;
      for (let turns = 0; turns < 3; turns++) await isServed(good);
    }
    socket.write(end);
    await once(socket, 'close');
    return answered;
  }

  const isServed = (good: WireClient) => good.send('ApiVersions', 0, {} as never);

  async function serve(good: WireClient): Promise<void> {
    await good.send('DeleteTopics', 1, { topics: [], topicNames: ['js', 'rd', 'pt'], timeoutMs: 1000 });
    await good.createTopics('rd');
    const parked = good.send('Fetch', 11, fetchRequest('rd', 0, 0, { maxWaitMs: 10_000, minBytes: 1 }));
    const producer = await WireClient.connect(running.port);
    await producer.produce('rd', 0, -1, makeBatch(['a']));
    expect((await parked).responses[0].partitions[0].highWatermark).to.equal(1);
    producer.destroy();
  }

  it('are refused with a log line or answered in form, leave nothing behind and keep nobody else from being served', async () => {
    let answered = 0;
    while (left > 0) {
      running = await startBroker(LIMITS);
      const good = await WireClient.connect(running.port);
      try {
        await serve(good);
        let ended = 0;
        for (; ended < CONNECTIONS_PER_BROKER && left > 0; ended++)
          answered += await run(nextSession(), good);
        await serve(good);
        await until(() => running.broker.status().connections === 1, 'the others have gone');
        const { fetch, produce } = running.broker.status().purgatories;
        expect([fetch.numDelayed, produce.numDelayed, fetch.watchedKeys]).to.deep.equal([0, 0, 0]);
        expectRefusals(running.lines, ended);
      } finally {
        good.destroy();
        await running.broker.stop();
      }
    }
    expect(refused + taken).to.equal(MUTATIONS);
    expect(taken, 'mutations that got past the parser').to.be.above(MUTATIONS / 10);
    // A connection may end before its last answers: usually a third of all comes.
    expect(answered, 'answers').to.be.above(taken / 10);
    if (process.env.FUZZ_MUTATIONS) console.log(`${refused} refused, ${taken} taken, ${answered} answered`);
  });
});

/**
 * One line for each connection that was ended, for its last request and no other reason; what else
 * is refused is answered.
 */
function expectRefusals(lines: readonly string[], ended: number): void {
  const closings = lines.filter((line) => line.startsWith('closed the connection of 127.0.0.1:'));
  expect(closings).to.have.length(ended);
  expect(closings.filter((line) => /fault|no room|idle|hold/.test(line))).to.deep.equal([]);
  const answered = /^(refused|answered a search by time) /;
  const rest = lines.filter((line) => !closings.includes(line) && !answered.test(line));
  expect(rest).to.deep.equal([]);
  // A kind for each name would be as many lines as clients like.
  expect(new Set(lines.map(kindOf)).size).to.be.below(100);
}

function sized(frame: Buffer): Buffer {
  const size = Buffer.alloc(4);
  size.writeInt32BE(frame.length);
  return Buffer.concat([size, frame]);
}

function acksOf(request: Exchange): number {
  return (request as Exchange<'Produce'>).request.acks;
}

function checkAnswer({ api, version }: Exchange, frame: Buffer): void {
  const served = isKnownVersion(api, version) ? version : 0;
  const flexible = served >= apis[api].flexible;
  const reader = new Reader(frame);
  reader.int32();
  if (flexible && api !== 'ApiVersions') reader.skipTags();
  decode(reader, apis[api].response, served, flexible);
  if (reader.remaining > 0)
    throw new Error(`${reader.remaining} bytes after the end of an answer to ${api} ${version}`);
}
