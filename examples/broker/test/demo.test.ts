import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { parseDemoOptions } from '../demo/options.ts';
import { bundled } from './support/bundled.ts';
import { frameOf } from './support/frames.ts';
import { Program } from './support/program.ts';
import { runNode } from './support/run-node.ts';

/** From a bundle: in a temporary folder of its own, without a cache, tsx would compile everything. */
const demo = (): Promise<string> => bundled('demo.ts');

describe('npm run demo', () => {
  /** The demo's own temporary folder. A file that is left there was left behind. */
  let tmp: string;
  let env: { TMPDIR: string };
  let program: Program | undefined;

  beforeEach(() => {
    tmp = mkdtempSync(join(tmpdir(), 'purgatory-demo-test-'));
    env = { TMPDIR: tmp };
  });

  afterEach(() => {
    program?.kill();
    rmSync(tmp, { recursive: true });
  });

  /** What the demo keeps in its temporary folder. */
  const left = (): string[] => readdirSync(tmp);

  it('shows all four delayed operations with their counts, and exits with 0', async () => {
    const args = [await demo(), '--seconds', '1'];
    const { stdout, code } = await runNode(args, { env });
    expect(code).to.equal(0);
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
    program = new Program('node', [await demo(), '--watch'], env, true);
    const [[, url]] = await program.printed(/^watch +(http:\S+)$/);
    const page = new URL(url);
    expect(await (await fetch(page)).text()).to.contain('Purgatory inspector');
    const isLively = await frameOf(page, ({ purgatories, timers: [timer] }) => {
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
    process.kill(-program.pid, 'SIGINT');
    await once(program.child, 'close');
    expect([program.child.exitCode, program.stderr]).to.deep.equal([0, '']);
    expect(program.stdout).to.match(/^fetches +\d+ parked/m);
    expect(left()).to.deep.equal([]);
    // Nobody of its process group is left.
    const { pid } = program;
    expect(() => process.kill(-pid, 0)).to.throw('ESRCH');
  });

  it('says what is wrong with an option, and of a port that is taken', async () => {
    const bundle = await demo();
    const run = (...args: string[]) => runNode([bundle, ...args], { env });
    await using other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const [unknown, taken] = await Promise.all([run('--wach'), run('--watch', '--http', `${port}`)]);
    expect(unknown).to.include({
      code: 2,
      stdout: '',
      stderr: "Unknown option '--wach' (--help lists what there is)\n",
    });
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
