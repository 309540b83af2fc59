import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect } from 'chai';
import type { BrokerOptions } from '../options.ts';
import { makeBatch } from './support/batches.ts';
import { dataFolder, startBroker } from './support/running-broker.ts';
import { WireClient } from './support/wire-client.ts';

/** Every file in a folder, by its path from there. */
function filesOf(folder: string): Record<string, Buffer> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  const paths = names.map((name) => join(folder, name)).filter((path) => statSync(path).isFile());
  return Object.fromEntries(paths.map((path) => [relative(folder, path), readFileSync(path)]));
}

/** Three topics of one partition, one of them deleted, with three files of records. */
async function fill(client: WireClient): Promise<void> {
  await client.createTopics('gone', 't', 'u');
  await client.deleteTopics('gone');
  for (const [topic, value] of [...'abcdef'].map((value) => ['t', value]).concat([['u', 'g']]))
    await client.produce(topic, 0, -1, makeBatch([value]));
  await client.deleteBefore('t', 1);
  await client.send('InitProducerId', 0, { transactionalId: null, transactionTimeoutMs: 0 } as never);
  const { memberId } = await client.join({ sessionTimeoutMs: 600_000 });
  await client.sync(memberId, 1, { [memberId]: 'share' });
  for (const offset of [1, 2]) await client.commit('g', 't', [offset], { memberId, generationId: 1 });
}

/** All that a broker on that folder has, or why it does not start. */
async function contentOf(data: string, options: Partial<BrokerOptions> = {}) {
  let running: Awaited<ReturnType<typeof startBroker>>;
  try {
    running = await startBroker({ data, ...options });
  } catch (error) {
    return { refusal: (error as Error).message };
  }
  const client = await WireClient.connect(running.port);
  const [{ topics }, { groups }, commit, ...logs] = await Promise.all([
    client.send('Metadata', 10, { topics: null } as never),
    client.send('DescribeGroups', 0, { groups: ['g'] } as never),
    client.committed('g', 't'),
    client.fetch('t', 0, 1, { minBytes: 0 }),
    client.fetch('u', 0, 0, { minBytes: 0 }),
  ]);
  const { producerId } = await client.send('InitProducerId', 0, { transactionalId: null } as never);
  client.destroy();
  await running.broker.stop();
  return { topics, groups, commit, logs, producerId, lines: running.lines };
}

type Content = Awaited<ReturnType<typeof contentOf>>;

/** Some 1,500 starts. */
describe('a data folder in which one bit is wrong', () => {
  let data: string;
  let files: Record<string, Buffer>;
  let whole: Content;

  before(async () => {
    const filled = dataFolder();
    const { broker, port } = await startBroker({ data: filled, partitions: 1, segmentBytes: 160 });
    const client = await WireClient.connect(port);
    await fill(client);
    client.destroy();
    await broker.stop();
    files = filesOf(filled);
    whole = await contentOf(filled);
    expect(whole.lines).to.deep.equal([]);
  });

  beforeEach(() => {
    data = dataFolder();
    for (const path of Object.keys(files)) mkdirSync(dirname(join(data, path)), { recursive: true });
    restore();
  });

  /** Writes all files as they were. */
  function restore(): void {
    for (const [path, bytes] of Object.entries(files)) writeFileSync(join(data, path), bytes);
  }

  /** Writes a file with another bit at a byte. Returns what it has now. */
  function flip(path: string, at: number): Buffer {
    const bytes = Buffer.from(files[path]);
    bytes[at] ^= 1 << (at % 8);
    writeFileSync(join(data, path), bytes);
    return bytes;
  }

  const log = 'node-0/logs/t-0';
  const segments = ['0', '2', '4'].map((base) => join(log, `${base.padStart(20, '0')}.log`));
  const paths = ['groups', 'offsets', 'producer-ids', 'topics'].map((name) => `node-0/${name}`);
  paths.push(...segments, `${log}/start-offset`, segments[0].replace('t-0', 'u-0'));

  it('has these files', () => {
    expect(Object.keys(files)).to.have.members(paths);
  });

  for (const path of paths) {
    it(`is refused with file and byte and stays as it is, or gives all that was acknowledged, for each byte of ${path}`, async () => {
      let refused = 0;
      for (const at of files[path].keys()) {
        const flipped = flip(path, at);
        const content = await contentOf(data);
        if (content.refusal === undefined) {
          expect(content, `byte ${at}`).to.deep.equal(whole);
        } else {
          refused++;
          expect(content.refusal, `byte ${at}`).to.match(
            /is damaged at byte \d+: .+ start with --recover, which/,
          );
          expect(content.refusal, `byte ${at}`).to.contain(join(data, path));
          expect(filesOf(data), `byte ${at}`).to.deep.equal({ ...files, [path]: flipped });
        }
        restore();
      }
      expect(refused).to.be.above(0);
    });
  }

  /** What `--recover` goes on without, where the byte in the middle is wrong. */
  const losses: Record<string, (content: Content) => void> = {
    'node-0/topics': ({ topics, commit }) => {
      // The line of the topic t.
      expect(topics?.map(({ name }) => name)).to.deep.equal(['u']);
      expect(commit, 'in case that the topic comes back').to.deep.equal(whole.commit);
      expect(readdirSync(join(data, 'node-0/logs'))).to.have.members(['t-0.damaged~1', 'u-0']);
    },
    'node-0/offsets': ({ commit }) => expect(commit?.committedOffset, 'the one before').to.equal(1),
    'node-0/groups': ({ groups }) => expect(groups?.[0].groupState).to.equal('Empty'),
    'node-0/producer-ids': ({ producerId }) => expect(Number(producerId)).to.be.above(16_001),
    [`${log}/start-offset`]: ({ logs }) =>
      expect(logs?.[0]).to.include({ logStartOffset: 0, highWatermark: 6 }),
    [segments[0]]: ({ logs }) => expect(logs?.[0]).to.include({ logStartOffset: 1, highWatermark: 1 }),
    [segments[1]]: ({ logs }) => expect(logs?.[0]).to.include({ logStartOffset: 1, highWatermark: 3 }),
  };
  for (const [path, loss] of Object.entries(losses)) {
    it(`starts with --recover, keeps a copy of ${path}, and is whole from then on`, async () => {
      const flipped = flip(path, files[path].length >> 1);
      const recovered = await contentOf(data, { recover: true });
      expect(recovered.lines?.[0]).to.contain(`${join(data, path)} was damaged at byte`);
      loss(recovered);
      const kept = filesOf(data);
      expect(kept[`${path}.damaged~1`].equals(flipped)).to.equal(true);
      const again = await contentOf(data);
      expect(again.lines).to.deep.equal([]);
    });
  }
});
