import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { expect } from 'chai';
import type { BrokerOptions } from '../options.ts';
import { makeBatch } from './support/batches.ts';
import { dataFolder, startBroker } from './support/running-broker.ts';
import { WireClient } from './support/wire-client.ts';

/** Every file in a folder, by its path from there. */
function filesOf(folder: string): Record<string, Buffer> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  const paths = names
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile() && !path.includes('.lock'));
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
  return {
    topics,
    groups,
    commit,
    logs,
    producerId,
    lines: running.lines.map((line) => line.replaceAll(data, 'DATA')),
  };
}

type Content = Awaited<ReturnType<typeof contentOf>>;

/** What is wrong in a file of `bytes`, in each of the ways that a kind of damage has. */
const damages: Record<string, (bytes: Buffer) => Iterable<Buffer | undefined>> = {
  *'one wrong bit'(bytes) {
    for (const at of bytes.keys()) {
      const flipped = Buffer.from(bytes);
      flipped[at] ^= 1 << (at % 8);
      yield flipped;
    }
  },
  *'every length that is too short'(bytes) {
    yield undefined; // It is gone.
    for (const length of bytes.keys()) yield bytes.subarray(0, length);
  },
};

/** Some 6,000 starts would wait for the disk most of the time. */
const MEMORY = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

for (const end of ['a clean stop', 'SIGKILL']) {
  describe(`a data folder after ${end}`, () => {
    let data: string;
    let files: Record<string, Buffer>;
    let whole: Content;

    before(async () => {
      const filled = dataFolder(MEMORY);
      const { broker, port } = await startBroker({ data: filled, partitions: 1, segmentBytes: 160 });
      const client = await WireClient.connect(port);
      await fill(client);
      // SIGKILL leaves what is written by now, but for the claim of this process.
      files = filesOf(filled);
      client.destroy();
      await broker.stop();
      if (end === 'a clean stop') files = filesOf(filled);
    });

    beforeEach(async () => {
      data = dataFolder(MEMORY);
      restore();
      whole ??= await contentOf(data);
      restore();
    });

    /** All files are as they were, and there are no others. */
    function restore(): void {
      rmSync(data, { recursive: true });
      for (const [path, bytes] of Object.entries(files)) {
        mkdirSync(dirname(join(data, path)), { recursive: true });
        writeFileSync(join(data, path), bytes);
      }
    }

    function damage(path: string, bytes: Buffer | undefined): void {
      if (bytes === undefined) rmSync(join(data, path));
      else writeFileSync(join(data, path), bytes);
    }

    const log = 'node-0/logs/t-0';
    const segments = ['0', '2', '4'].map((base) => join(log, `${base.padStart(20, '0')}.log`));
    const paths = ['groups', 'offsets', 'producer-ids', 'topics'].map((name) => `node-0/${name}`);
    paths.push(...segments, `${log}/start-offset`, segments[0].replace('t-0', 'u-0'));
    if (end === 'a clean stop') paths.push('node-0/clean-stop');

    it('has these files', () => {
      expect(Object.keys(files)).to.have.members(paths);
      expect(whole.lines).to.have.length(end === 'a clean stop' ? 0 : 1);
    });

    for (const path of paths) {
      for (const [kind, variants] of Object.entries(damages)) {
        it(`is refused with file and byte and stays as it is, or gives all, or says what it has, for ${kind} of ${path}`, async () => {
          let refused = 0;
          for (const bytes of variants(files[path])) {
            damage(path, bytes);
            const damaged = filesOf(data);
            const content = await contentOf(data);
            const what = `${bytes?.length} bytes: ${bytes?.toString('latin1')}`;
            if (content.refusal !== undefined) {
              refused++;
              expect(content.refusal, what).to.match(
                /is damaged at byte \d+: .+ start with --recover, which/,
              );
              expect(content.refusal, what).to.contain(dirname(join(data, path)));
              expect(filesOf(data), what).to.deep.equal(damaged);
            } else if (content.lines.join() === whole.lines?.join()) {
              // What is not whole is said, and by no line that a whole folder has, too.
              expect(content, what).to.deep.equal(whole);
            }
            restore();
          }
          const isCut = kind !== 'one wrong bit';
          // A file that says how all was left may be gone, and then a line says so.
          if (end === 'a clean stop' && isCut)
            expect(refused).to.be.within(files[path].length, files[path].length + 1);
          else if (!isCut) expect(refused).to.be.above(0);
        });
      }
    }

    if (end === 'SIGKILL') return;

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
      'node-0/clean-stop': (content) => expect(content).to.deep.equal({ ...whole, lines: content.lines }),
    };
    for (const [path, loss] of Object.entries(losses)) {
      it(`starts with --recover, keeps a copy of ${path}, and is whole from then on`, async () => {
        const middle = files[path].length >> 1;
        const flipped = [...damages['one wrong bit'](files[path])][middle];
        for (const [bytes, check] of [
          [flipped, loss],
          [files[path].subarray(0, middle), () => {}],
          [undefined, () => {}],
        ] as const) {
          restore();
          damage(path, bytes);
          const recovered = await contentOf(data, { recover: true });
          if (path.endsWith('clean-stop') && bytes === undefined)
            expect(recovered.lines?.[0]).to.contain('is not as a clean stop leaves it');
          else expect(recovered.lines?.[0]).to.contain(`${join('DATA', path)} was damaged at byte`);
          check(recovered);
          if (bytes !== undefined) expect(filesOf(data)[`${path}.damaged~1`].equals(bytes)).to.equal(true);
          expect((await contentOf(data)).lines).to.deep.equal([]);
        }
      });
    }
  });
}

describe('the ids of idempotent producers', () => {
  it('begin above all that the logs have, where nothing else says how far they got', async () => {
    const data = dataFolder();
    const { broker, port } = await startBroker({ data });
    const client = await WireClient.connect(port);
    const newId = async (client: WireClient) =>
      Number((await client.send('InitProducerId', 0, { transactionalId: null } as never)).producerId);
    await client.createTopics('t');
    const id = await newId(client);
    // A client may send any number: one that nobody can have been given moves nothing.
    for (const each of [id, Number.MAX_SAFE_INTEGER])
      await client.produce('t', 0, -1, makeBatch(['a'], [], { id: each, epoch: 0, sequence: 0 }));
    client.destroy();
    await broker.stop();
    for (const name of ['producer-ids', 'clean-stop']) rmSync(join(data, 'node-0', name));
    const again = await startBroker({ data });
    const other = await WireClient.connect(again.port);
    expect(await newId(other)).to.be.within(id + 1, id + 1000);
    other.destroy();
    await again.broker.stop();
  });
});

describe('the log of no topic', () => {
  it('is set aside with a line, at a start and by a create, and never deleted', async () => {
    const data = dataFolder();
    const stray = (key: string) => {
      const folder = join(data, 'node-0/logs', key);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'records'), key);
      return `no topic has the log ${folder}, which is ${folder}.damaged~1 now`;
    };
    const atStart = stray('t-0');
    const { broker, port, lines } = await startBroker({ data, partitions: 1 });
    const client = await WireClient.connect(port);
    const byCreate = stray('t-0');
    await client.createTopics('t');
    client.destroy();
    await broker.stop();
    expect(lines.slice(-2)).to.deep.equal([atStart, byCreate.replace('~1', '~2')]);
    expect(readdirSync(join(data, 'node-0/logs'))).to.have.members(['t-0.damaged~1', 't-0.damaged~2']);
  });
});
