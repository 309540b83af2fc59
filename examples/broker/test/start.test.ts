import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { connect } from 'node:net';
import { expect } from 'chai';
import { parseOptions } from '../options.ts';
import { apiNames, apis } from '../protocol/messages/index.ts';
import { describeTopicSettings } from '../settings/topic-settings.ts';
import type { BrokerStatus } from '../status.ts';
import { bundled } from './support/bundled.ts';
import { Program } from './support/program.ts';
import { runNode } from './support/run-node.ts';
import { brokerOfEachTest, dataFolder, startBroker } from './support/running-broker.ts';
import { until } from './support/turns.ts';
import { WireClient } from './support/wire-client.ts';

describe('npm start', () => {
  let npm: Program | undefined;

  afterEach(() => npm?.kill());

  /**
   * Starts it as a person would, in a process group of its own; resolves to the ports that it
   * tells.
   */
  async function npmStart() {
    // Without `prestart`: it writes dist/, which tests of other processes load at this moment.
    const options = ['--port', '0', '--http', '0', '--data', dataFolder()];
    const program = new Program('npm', ['start', '--ignore-scripts', '--', ...options], {}, true);
    const told = [/^ready 127\.0\.0\.1:(\d+)$/, /^status +http:\/\/127\.0\.0\.1:(\d+)\/status$/];
    npm = program;
    const [[[, port]], [[, http]]] = await Promise.all(told.map((line) => program.printed(line)));
    return { program, port: Number(port), http: Number(http) };
  }

  async function isOpen(port: number): Promise<boolean> {
    const socket = connect(port, '127.0.0.1');
    const opened = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    return opened;
  }

  const stops = {
    'SIGTERM to npm alone': (pid: number) => process.kill(pid, 'SIGTERM'),
    'SIGINT to its process group': (pid: number) => process.kill(-pid, 'SIGINT'),
  };
  for (const [how, signal] of Object.entries(stops)) {
    it(`says when it is ready, and stops at ${how} while a fetch waits`, async () => {
      const { program, port, http } = await npmStart();
      const client = await WireClient.connect(port);
      await client.createTopics('t');
      void client.park();
      const numDelayed = async () => {
        const status = await (await fetch(`http://127.0.0.1:${http}/status`)).json();
        return (status as BrokerStatus).purgatories.fetch.numDelayed;
      };
      await until(async () => (await numDelayed()) === 1, 'that many wait');
      signal(program.pid);
      await client.closed();
      await until(
        async () => !(await isOpen(port)) && !(await isOpen(http)),
        'the ports are as they should be',
      );
      await until(() => program.isOver, 'npm has ended');
    });
  }

  it('says what is wrong with an option, and which port is taken', async () => {
    const { broker, port, http } = await startBroker();
    const main = await bundled('main.ts');
    const run = (...args: string[]) => runNode([main, ...args]);
    const [taken, page, wrong] = await Promise.all([
      run('--port', `${port}`, '--http', '0', '--data', dataFolder()),
      run('--port', '0', '--http', `${http}`, '--data', dataFolder()),
      run('--port', 'nine'),
    ]);
    await broker.stop();
    const inUse = (taken: number, option: string) =>
      `port ${taken} of 127.0.0.1 is in use: end what listens there, or choose another port with ${option}\n`;
    const number =
      '--port is "nine", where a whole number from 0 to 65535 is needed (--help lists what there is)\n';
    expect(taken).to.include({ code: 1, stdout: '', stderr: inUse(port, '--port') });
    expect(page).to.include({ code: 1, stdout: '', stderr: inUse(http, '--http') });
    expect(wrong).to.include({ code: 2, stdout: '', stderr: number });
  });
});

const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

describe('the README of the broker', () => {
  it('tells the apis and versions that are served', () => {
    const told = [...README.matchAll(/\b([A-Z]\w+) \| (\d+)-(\d+) \|/g)].map(([, name, min, max]) => [
      name,
      [Number(min), Number(max)],
    ]);
    const served = apiNames.map((name) => [name, [...apis[name].versions]]);
    expect(Object.fromEntries(told)).to.deep.equal(Object.fromEntries(served));
  });

  it('tells every setting of a topic', () => {
    const [, table] = /\| setting of a topic [^\n]+\n([\s\S]+?)\n\n/.exec(README) ?? [];
    const told = [...table.matchAll(/^\|([^|]+)/gm)].flatMap(([, cell]) => cell.match(/[a-z.]+/g) ?? []);
    const settings = describeTopicSettings({}, parseOptions([])).map(({ name }) => name);
    expect(told).to.have.members(settings);
  });
});

describe('the options of the broker', () => {
  it('are all listed by --help, which starts nothing', async () => {
    const { code, stdout, stderr } = await runNode([await bundled('main.ts'), '--help', '--port', '0']);
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
    const listed = [...stdout.matchAll(/^ {2}--(\S+) +\S/gm)].map(([, flag]) => flag);
    const flags = Object.keys(parseOptions([])).map((name) =>
      name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
    );
    expect(listed).to.have.members(flags);
    expect(stdout).to.contain(' (9092)').and.not.to.match(/[`\]]/);
  });

  it('are those that the README tells, with their defaults', () => {
    const told = [...README.matchAll(/^\| `--([a-z-]+)` \| `?([^|]*?)`? ?\|/gm)].map(([, flag, value]) => [
      flag.replaceAll(/-([a-z])/g, (_, letter) => letter.toUpperCase()),
      value,
    ]);
    const defaults = Object.entries(parseOptions([])).map(([name, value]) => [name, String(value ?? '')]);
    expect(Object.fromEntries(told)).to.deep.equal(Object.fromEntries(defaults));
    expect(parseOptions(['--port', '1', '--data=/tmp/x', '--max-frame-bytes', '2000'])).to.include({
      port: 1,
      data: '/tmp/x',
      maxFrameBytes: 2000,
    });
  });

  it('are refused by name, value and rule', () => {
    for (const [args, message] of [
      ['--nodes 17', '--nodes is "17"'],
      ['--nodes 3 --node 3', 'from 0 to 2 is needed'],
      ['--nodes 3 --port 0', 'from 1 to 65533 is needed'],
      ['--min-insync-replicas 2', 'from 1 to 1 is needed'],
      ['--partitions 0', '--partitions is "0", where a whole number from 1 to 1000 is needed'],
      ['--port -1', '--port'],
      ['--http=1e3', '--http is "1e3"'],
      ['--advertised-host host:9092', '--advertised-host is "host:9092", where a host name or an IP address'],
      [
        '--group-min-session-timeout-ms=2000 --group-max-session-timeout-ms=1999',
        '--group-max-session-timeout-ms is "1999"',
      ],
      ['--nonsense', '--nonsense'],
      ['stray', 'stray'],
    ])
      expect(() => parseOptions(args.split(' ')), args).to.throw(message);
  });
});

describe('--advertised-host', () => {
  const broker = brokerOfEachTest({ advertisedHost: 'localhost' });

  it('is where clients are told to connect to', async () => {
    const { client, port } = broker;
    const { brokers } = await client.send('Metadata', 1, { topics: [] } as never);
    expect(brokers).to.deep.equal([{ nodeId: 0, host: 'localhost', port, rack: null }]);
    const coordinator = await client.send('FindCoordinator', 0, { key: 'g' } as never);
    expect(coordinator).to.include({ host: 'localhost', port });
  });
});

describe('the status page', () => {
  const broker = brokerOfEachTest();
  const ask = (path: string, method = 'GET') => fetch(`http://127.0.0.1:${broker.http}${path}`, { method });

  it('answers GET with what goes on, and nothing else', async () => {
    const status = await ask('/status?x=1');
    expect(status.headers.get('content-type')).to.equal('application/json');
    expect(await status.json()).to.deep.include({ connections: 1, topics: [], groups: [] });
    const picture = await ask('/');
    expect(picture.headers.get('content-type')).to.match(/^text\/html/);
    expect(await picture.text()).to.contain('purgatory');
    expect((await ask('/../../etc/passwd')).status).to.equal(404);
    expect((await ask('/status', 'POST')).status).to.equal(405);
  });

  it('answers under names of this machine alone', async () => {
    const codeAs = (host: string, path: string): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const options = { host: '127.0.0.1', port: broker.http, path, headers: { host } };
        get(options, ({ statusCode }) => resolve(statusCode)).on('error', reject);
      });
    for (const path of ['/', '/status', '/metrics']) {
      for (const host of ['localhost:1', `127.0.0.1:${broker.http}`, '[::1]', 'a.localhost'])
        expect(await codeAs(host, path), `${host}${path}`).to.equal(200);
      for (const host of ['evil.example', 'localhost.evil.example:80', ' '])
        expect(await codeAs(host, path), `${host}${path}`).to.equal(403);
    }
  });
});
