import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import fc from 'fast-check';
import { ErrorCode } from '../protocol/error-codes.ts';
import { apiNames, apis } from '../protocol/messages/index.ts';
import { fieldsOf } from '../protocol/schema.ts';
import { compressBatch, makeBatch, seal } from './support/batches.ts';
import { messages } from './support/messages.ts';
import { brokerOfEachTest } from './support/running-broker.ts';
import { pause, until } from './support/turns.ts';
import { fetchRequest, HOUR_MS, requestFrame } from './support/wire-client.ts';

const GZIP = 1;

/** A frame with the size that `body` has, or with another that it claims. */
function frame(body: Buffer, size = body.length): Buffer {
  const head = Buffer.alloc(4);
  head.writeInt32BE(size);
  return Buffer.concat([head, body]);
}

describe('a client that means no good', () => {
  const broker = brokerOfEachTest({ maxFrameBytes: 1_000_000 }, 't');

  const header = Buffer.from([0, 3, 0, 1, 0, 0, 0, 7, 0xff, 0xff]);
  const metadata = requestFrame('Metadata', 1, 7, { topics: null } as never);
  const bad: Record<string, Buffer> = {
    'text of another protocol': Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'),
    'a frame of 2^31-1 bytes': frame(header, 2 ** 31 - 1),
    'a frame of a negative size': frame(header, -1),
    'a frame of no bytes': frame(Buffer.alloc(0)),
    'a frame over the limit': frame(header, 1_000_001),
    'a request that ends too early': frame(metadata.subarray(4, -2)),
    'an array of 2^31-1 elements': frame(Buffer.concat([header, Buffer.from('7fffffff', 'hex')])),
    'an array of a negative size': frame(Buffer.concat([header, Buffer.from('80000000', 'hex')])),
    'a string that is longer than its frame': frame(
      Buffer.concat([header, Buffer.from('000000017fff6161', 'hex')]),
    ),
    'an unknown api': frame(Buffer.from([0x7f, 0, 0, 0, 0, 0, 0, 1, 0xff, 0xff])),
    'a version that is not served': frame(Buffer.from([0, 1, 0, 99, 0, 0, 0, 1, 0xff, 0xff])),
    'a number of too many bytes': frame(Buffer.from('00120003000000010000ffffffffffffff', 'hex')),
  };

  for (const [what, bytes] of Object.entries(bad)) {
    it(`is cut off for ${what}, with one log line, and harms nobody else`, async () => {
      const parked = broker.client.park();
      const client = await broker.newClient();
      client.socket.write(bytes);
      await client.closed();
      const [line, ...others] = broker.logged();
      expect(line).to.match(/^closed the connection of PEER: .+$/);
      expect(others).to.deep.equal([]);

      await (await broker.newClient()).produce('t', 0, -1, makeBatch(['a']));
      expect((await parked).highWatermark).to.equal(1);
    });
  }

  it('gets the answers to what it asked before it went wrong', async () => {
    const client = await broker.newClient();
    const answer = client.send('ListOffsets', 1, { replicaId: -1, isolationLevel: 0, topics: [] });
    await answer;
    client.socket.write(frame(header, -5));
    await client.closed();
    expect(broker.logged()).to.have.length(1);
    expect(client.answered).to.deep.equal([1]);
  });

  it('may send a request byte by byte', async () => {
    const client = await broker.newClient();
    for (const byte of metadata) {
      client.socket.write(Buffer.from([byte]));
      await pause(0);
    }
    await until(() => client.answered.length === 1, 'that many answers have come');
  });

  it('may send anything of the right form, some of it damaged, without finding a fault in the broker', async () => {
    const anything = fc.constantFrom(...apiNames).chain((name) => {
      const [min, max] = apis[name].versions;
      return fc.integer({ min, max }).chain((version) =>
        fc.record({
          request: messages(fieldsOf(apis[name].request, version)).map((message) =>
            requestFrame(name, version, 1, message as never),
          ),
          damage: fc.option(fc.record({ at: fc.nat(), byte: fc.integer({ min: 0, max: 255 }) }), {
            freq: 20,
          }),
        }),
      );
    });
    for (const session of fc.sample(fc.array(anything, { minLength: 20, maxLength: 20 }), 100)) {
      const client = await broker.newClient();
      for (const { request, damage } of session) {
        if (damage !== null) request[4 + (damage.at % (request.length - 4))] = damage.byte;
        client.socket.write(request);
      }
      client.socket.end();
      await client.closed();
    }
    expect(broker.logged().filter((line) => line.includes('a fault of the broker'))).to.deep.equal([]);
    expect((await broker.client.send('ApiVersions', 0, {} as never)).errorCode).to.equal(0);
  });

  const large = () => compressBatch(makeBatch(['x'.repeat(15 * 1024 * 1024)], [1000]), GZIP, gzipSync);
  const guess =
    'answered a search by time in "t-0" with the first record of a batch, whose records it could not read';
  for (const [what, make, count, offset, lines] of [
    // With the rest of 64 MiB, the fifth could not be read.
    ['small batches of large records', large, 20, 4, [guess]],
    ['many batches', () => makeBatch(['x'], [1000]), 500, -1, []],
  ] as const) {
    it(`that writes ${what} with false times stops nobody with a search by time`, async () => {
      const batch = make();
      batch.writeBigInt64BE(9000n, 35);
      seal(batch);
      await Promise.all(Array.from({ length: count }, () => broker.client.produce('t', 0, -1, batch)));
      const client = await broker.newClient();
      let found: number | undefined;
      void client.findOffset('t', 5000, 4).then((answer) => {
        found = answer.offset;
      });
      let answersMeanwhile = 0;
      for (; found === undefined; answersMeanwhile++) await broker.client.isServed();
      expect(found).to.equal(offset);
      expect(broker.logged()).to.deep.equal(lines);
      expect(answersMeanwhile).to.be.above(20);
    });
  }

  it('that pipelines fetches and takes no answers is not read from, and leaves nothing behind', async () => {
    const batch = makeBatch(['x'.repeat(900_000)]);
    await broker.client.produce('t', 0, -1, batch);
    const client = await broker.newClient();
    client.socket.pause();
    const request = requestFrame('Fetch', 11, 1, fetchRequest('t', 0, 0, { maxWaitMs: HOUR_MS }));
    const many = Buffer.concat(Array.from({ length: 1000 }, () => request));
    // 100,000 fetches of 900 kB each. To answer them all would take 90 GB.
    for (let i = 0; i < 100 && client.socket.write(many); i++) await pause(0);
    for (let i = 0; i < 99; i++) client.socket.write(many);
    for (let i = 0; i < 100; i++) expect(await broker.client.isServed()).to.equal(true);
    expect(client.socket.writableLength, 'what the broker does not read').to.be.above(0);
    expect(broker.status.unsentBytes).to.be.within(1, 56 * 1024 * 1024);
    client.destroy();
    await broker.untilConnected(1);
  });

  it('that pipelines fetches that wait has the oldest answered early, and takes all along when it goes', async () => {
    const client = await broker.newClient();
    for (let i = 0; i < 150; i++) void client.park();
    await until(() => client.answered.length === 50, 'that many answers have come');
    expect(broker.status.purgatories.fetch.numDelayed).to.equal(100);
    client.destroy();
    await broker.untilParked('fetch', 0);
  });

  it('with a version of ApiVersions that nobody knows is told those that are served, in the oldest form', async () => {
    const client = await broker.newClient();
    client.socket.write(frame(Buffer.from('0012006300000009000161', 'hex')));
    const [chunk] = (await once(client.socket, 'data')) as [Buffer];
    const start = Buffer.alloc(14);
    start.writeInt32BE(chunk.length - 4, 0);
    start.writeInt32BE(9, 4);
    start.writeInt16BE(ErrorCode.UNSUPPORTED_VERSION, 8);
    start.writeInt32BE(apiNames.length, 10);
    expect(chunk.subarray(0, 14).toString('hex')).to.equal(start.toString('hex'));
    expect(chunk).to.have.length(14 + 6 * apiNames.length);
  });

  it('learns from ApiVersions of exactly the apis and versions that are served, and of Produce from 0 on', async () => {
    for (const version of [0, 1, 2, 3]) {
      const { apiKeys } = await broker.client.send('ApiVersions', version, {
        clientSoftwareName: 'x',
        clientSoftwareVersion: '1',
      });
      expect(apiKeys).to.deep.equal(
        apiNames.map((name) => ({
          apiKey: apis[name].key,
          minVersion: name === 'Produce' ? 0 : apis[name].versions[0],
          maxVersion: apis[name].versions[1],
        })),
      );
    }
  });
});
