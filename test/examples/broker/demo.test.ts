import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { parseDemoOptions } from '../../../examples/broker/demo/options.ts';
import { Watcher } from '../../observe/inspector/stream.ts';
import { bundled } from '../../support/bundled.ts';
import { uncovered } from '../../support/uncovered.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
/** From a bundle: in a temporary folder of its own, without a cache, tsx would compile everything. */
const demo = (): Promise<string> => bundled('examples/broker/demo.ts');

describe('npm run demo', () => {
  /** The demo's own temporary folder. A file that is left there was left behind. */
  let tmp: string;
  let env: NodeJS.ProcessEnv;
  let child: ChildProcess | undefined;

  beforeEach(() => {
    tmp = mkdtempSync(join(tmpdir(), 'purgatory-demo-test-'));
    // What a child process does is not what the coverage of this run is about.
    env = uncovered({ TMPDIR: tmp });
  });

  afterEach(() => {
    if (child?.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      process.kill(-child.pid, 'SIGKILL');
    }
    rmSync(tmp, { recursive: true });
  });

  /** What the demo keeps in its temporary folder. */
  const left = (): string[] => readdirSync(tmp);

  it('shows all four delayed operations with their counts, and exits with 0', async () => {
    const args = [await demo(), '--seconds', '1'];
    const { stdout } = await promisify(execFile)('node', args, { cwd: root, env });
    const [, parked, early] = (
      /(\d+) parked: (\d+) completed early by a message, \d+ expired/.exec(stdout) ?? []
    ).map(Number);
    expect(parked, stdout).to.be.above(0);
    expect(early, stdout).to.be.above(0);
    expect(/(\d+) waited for acks/.exec(stdout)?.[1]).to.match(/^[1-9]/);
    expect(/(\d+) waited for the rest of the group/.exec(stdout)?.[1]).to.match(/^[1-9]/);
    expect(stdout).to.contain('each moved by a sign of life: 1 expired, 2 go on');
    expect(left()).to.deep.equal([]);
  });

  it('--watch keeps everything moving in the inspector, until Ctrl-C ends it with 0 and leaves nothing', async () => {
    child = spawn('node', [await demo(), '--watch'], {
      cwd: root,
      detached: true,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stderr = '';
    child.stderr?.on('data', (chunk) => {
      stderr += chunk;
    });
    const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
    let stdout = '';
    lines.on('line', (line) => {
      stdout += `${line}\n`;
    });
    const page = await new Promise<URL>((resolve, reject) => {
      lines.on('line', (line) => {
        const [, url] = /^watch +(http:\S+)$/.exec(line) ?? [];
        if (url !== undefined) resolve(new URL(url));
      });
      lines.once('close', () => reject(new Error(`the demo ended: ${stderr}`)));
    });
    expect(await (await fetch(page)).text()).to.contain('Purgatory inspector');
    await using watcher = await Watcher.open(page);
    const isLively = await watcher.next(({ purgatories, timers: [timer] }) => {
      const of = (name: string) => purgatories.find((each) => each.name === name)?.totals;
      return (
        purgatories.some(({ name, parked }) => name === 'fetch' && parked > 50) &&
        (of('fetch')?.completed ?? 0) > 50 &&
        (of('fetch')?.expired ?? 0) > 0 &&
        (of('produce')?.completed ?? 0) > 0 &&
        (of('join')?.completed ?? 0) > 0 &&
        (of('heartbeat')?.expired ?? 0) > 0 &&
        timer.totals.cascaded > 0
      );
    });
    expect(isLively.timers[0].levels).to.have.length.above(1);
    process.kill(-(child.pid as number), 'SIGINT');
    const [code] = await once(child, 'exit');
    expect([code, stderr]).to.deep.equal([0, '']);
    expect(stdout).to.match(/^fetches +\d+ parked/m);
    expect(left()).to.deep.equal([]);
    // Nobody of its process group is left.
    expect(() => process.kill(-(child?.pid as number), 0)).to.throw('ESRCH');
  });

  it('says what is wrong with an option or a port that is taken, and exits with 1', async () => {
    const bundle = await demo();
    const run = (...args: string[]) =>
      promisify(execFile)('node', [bundle, ...args], { cwd: root, env, timeout: 20_000 }).catch(
        (error) => error,
      );
    await using other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const [unknown, taken] = await Promise.all([run('--wach'), run('--watch', '--http', `${port}`)]);
    expect(unknown).to.include({ code: 1, stdout: '', stderr: "Unknown option '--wach'\n" });
    expect(taken).to.include({ code: 1, stdout: '' });
    expect(taken.stderr).to.contain(`port ${port} of 127.0.0.1 is in use`).and.to.contain('--http');
    expect(left()).to.deep.equal([]);
  });
});

describe('the options of the demo', () => {
  it('are five seconds, or with --watch until it is stopped', () => {
    expect(parseDemoOptions([])).to.deep.equal({ watch: false, durationMs: 5000, http: 0 });
    expect(parseDemoOptions(['--watch'])).to.deep.equal({ watch: true, durationMs: Infinity, http: 0 });
    expect(parseDemoOptions(['--watch', '--seconds=0.5', '--http=8080'])).to.deep.equal({
      watch: true,
      durationMs: 500,
      http: 8080,
    });
  });

  it('are refused by name, value and rule', () => {
    const seconds = 'where a number above 0, up to 86400, is needed';
    for (const bad of ['x', '0', '-1', '86401', 'Infinity', '']) {
      expect(() => parseDemoOptions([`--seconds=${bad}`])).to.throw(`--seconds is "${bad}", ${seconds}`);
    }
    for (const bad of ['x', '-1', '65536', '1e3', '']) {
      const rule = 'where a whole number from 0 to 65535 is needed';
      expect(() => parseDemoOptions([`--http=${bad}`])).to.throw(RangeError, `--http is "${bad}", ${rule}`);
    }
    expect(() => parseDemoOptions(['stray'])).to.throw('stray');
  });
});
