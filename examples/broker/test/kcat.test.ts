import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { describeWith, programs } from './support/needs.ts';
import { dataFolder, type RunningBroker, startBroker } from './support/running-broker.ts';
import { until } from './support/turns.ts';

/** Where the attributes of a record batch are in it. */
const ATTRIBUTES = 21;

describeWith(programs.kcat, 'kcat', () => {
  const data = dataFolder();
  let running: RunningBroker;

  before(async () => {
    running = await startBroker({ data });
  });

  after(async () => {
    await running.broker.stop();
    expect(running.lines, 'what the broker had to complain of').to.deep.equal([]);
  });

  /** Runs kcat to its end; resolves to what it printed, rejects when it fails. */
  function kcat(args: string[], input?: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const child = execFile(
        'kcat',
        ['-b', running.address, ...args],
        { maxBuffer: 2 ** 26 },
        (error, stdout) => (error === null ? resolve(stdout) : reject(error)),
      );
      child.stdin?.end(input);
    });
  }

  for (const [index, codec] of ['gzip', 'snappy', 'lz4', 'zstd'].entries()) {
    it(`compresses batches with ${codec}, and gets them back as they were`, async () => {
      const all = Array.from({ length: 500 }, (_, i) => `a line that is much like the others ${i}`);
      const lines = all.join('\n');
      // One batch: of a line alone, librdkafka sends what is shorter, which is not the compressed one.
      await kcat(['-P', '-t', codec, '-p', '0', '-z', codec, '-X', 'linger.ms=200'], `${lines}\n`);
      expect(await kcat(['-C', '-t', codec, '-p', '0', '-o', 'beginning', '-e', '-q'])).to.equal(
        `${lines}\n`,
      );
      const consumed = running.broker.status().topics.find(({ name }) => name === codec);
      expect(consumed?.partitions[0].highWatermark).to.equal(500);
      const log = readFileSync(join(data, 'node-0', 'logs', `${codec}-0`, `${'0'.repeat(20)}.log`));
      expect(log.readUInt16BE(ATTRIBUTES) & 7, 'the codec of the first batch').to.equal(index + 1);
    });
  }

  it('reads from any offset, from the end and by time', async () => {
    await kcat(['-P', '-t', 'numbers', '-p', '0'], '0\n1\n2\n3\n4\n');
    const read = (from: string) => kcat(['-C', '-t', 'numbers', '-p', '0', '-o', from, '-e', '-q']);
    expect(await read('3')).to.equal('3\n4\n');
    expect(await read('-1')).to.equal('4\n');
    expect(await read('end')).to.equal('');
    expect(await read('s@1000')).to.equal('0\n1\n2\n3\n4\n');
    expect(await read(`s@${Date.now() + 60_000}`)).to.equal('');
    expect(await kcat(['-Q', '-t', 'numbers:0:1000'])).to.contain('offset 0');
  });

  it('gives a member that is killed and starts again its partitions back, and the others keep theirs', async () => {
    await kcat(['-L', '-t', 'static']);
    const members: ChildProcessWithoutNullStreams[] = [];
    /** A static member, and the records that it has read. */
    const startMember = (instance: string) => {
      const args = ['-b', running.address, '-G', 'statics', '-o', 'beginning', '-u', '-q'];
      const child = spawn('kcat', [...args, '-X', `group.instance.id=${instance}`, 'static']);
      members.push(child);
      const member = { child, printed: '' };
      child.stdout.on('data', (chunk) => {
        member.printed += chunk;
      });
      return member;
    };
    const group = () => running.broker.status().groups.find(({ id }) => id === 'statics');
    const produce = async (value: string) => {
      for (const partition of ['0', '1', '2'])
        await kcat(['-P', '-t', 'static', '-p', partition], `${value}\n`);
    };
    const linesOf = (member: { printed: string }, value: string) =>
      member.printed.split('\n').filter((line) => line === value).length;

    const [one, other] = [startMember('one'), startMember('other')];
    await until(() => group()?.members === 2 && group()?.state === 'Stable', 'the group is stable');
    await produce('first');
    await until(() => linesOf(one, 'first') + linesOf(other, 'first') === 3, 'the members have read it all');
    const before = group();
    const share = linesOf(other, 'first');
    const ended = once(other.child, 'exit');
    other.child.kill('SIGKILL');
    await ended;
    const again = startMember('other');
    await produce('second');
    await until(
      () => linesOf(one, 'second') + linesOf(again, 'second') === 3,
      'the members have read it all',
    );
    expect(linesOf(again, 'second')).to.equal(share);
    expect(share).to.be.within(1, 2);
    expect(group(), 'no rebalance').to.deep.equal(before);
    const twin = startMember('other');
    await until(() => again.child.exitCode !== null, 'it has ended');
    expect(group(), 'the fenced one ends').to.deep.equal(before);
    for (const { child } of [one, twin]) child.kill('SIGKILL');
    await until(
      () => members.every(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null),
      'it has ended',
    );
  });

  it('lists the brokers, and all topics or one', async () => {
    await kcat(['-P', '-t', 'listed', '-p', '0'], 'x\n');
    expect(await kcat(['-L']))
      .to.contain('broker 0 at 127.0.0.1')
      .and.to.contain('topic "listed"');
    expect(await kcat(['-L', '-t', 'listed'])).to.contain('topic "listed" with 3 partitions');
  });
});
