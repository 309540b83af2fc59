import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { fully } from '../../support/fully.ts';
import { uncovered } from '../../support/uncovered.ts';
import { Ledger } from './ledger.ts';

const soak = fileURLToPath(new URL('soak.ts', import.meta.url));
const plantedFault = new URL('planted-fault.ts', import.meta.url).href;
const env = uncovered();

describe('The soak', () => {
  let folder: string;
  let ledger: string;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'purgatory-soak-test-'));
    ledger = join(folder, 'ledger', 'ledger.json');
  });
  after(() => rmSync(folder, { recursive: true }));

  function run(
    args: readonly string[],
    variables: NodeJS.ProcessEnv = {},
  ): Promise<{ code: unknown; stdout: string; stderr: string }> {
    const all = ['--import', 'tsx', soak, '--ledger', ledger, ...args];
    return new Promise((resolve) => {
      execFile(process.execPath, all, { env: { ...env, ...variables } }, (error, stdout, stderr) =>
        resolve({ code: error?.code ?? 0, stdout, stderr }),
      );
    });
  }

  it('adds what it did to its ledger, and prints the sum', async () => {
    const before = new Ledger(ledger);
    before.add({ throws: 1_000_000 });
    before.data.runs = 1;
    before.save();
    const args = ['--only', 'throws', '--minutes', '0', '--seed', '1'];
    expect(await run(args)).to.include({ code: 0, stderr: '' });
    const { counts, runs, failures } = new Ledger(ledger).data;
    const { throws = 0 } = counts;
    expect(throws).to.be.above(1_000_100);
    expect([runs, failures]).to.deep.equal([2, 0]);
    const { stdout } = await run(['--summary']);
    expect(stdout).to.contain(`| throws of callbacks | ${throws.toLocaleString('en')} |`);
  });

  it('finds a fault, fails, and prints the seed that finds it again', async () => {
    const withFault = { NODE_OPTIONS: `--import tsx --import ${plantedFault}` };
    const { code, stderr } = await run(['--only', 'purgatory', '--minutes', '1'], withFault);
    expect(code).to.equal(1);
    const again = /Again: npm run soak -- --replay (purgatory:\d+)\n.*the count of checkAndComplete/.exec(
      stderr,
    )?.[1];
    expect(again, stderr).to.be.a('string');
    const [replayed, mended] = await Promise.all([
      run(['--replay', `${again}`], withFault),
      run(['--replay', `${again}`]),
    ]);
    expect([replayed.code, replayed.stderr]).to.deep.equal([1, stderr]);
    expect(mended).to.include({ code: 0, stderr: '' });
  });

  fully('says how many of all short histories it has played', async () => {
    const { code, stdout } = await run(['--only', 'short', '--minutes', '0', '--seed', '3']);
    expect([code, /(\S+ of \S+) short histories/.exec(stdout)?.[1]]).to.deep.equal([
      0,
      '39,978 of 6,436,343',
    ]);
  });

  it('refuses what it does not know', async () => {
    const refused = await Promise.all([run(['--only', 'nothing']), run(['--minutes', 'ten'])]);
    expect(refused.map(({ code }) => code)).to.deep.equal([2, 2]);
  });
});
