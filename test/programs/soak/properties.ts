// Runs every property model of test/property, and those of the schemes and the slab, with a fresh
// seed: by mocha, in a process of its own. Short histories have no seed: they are the same each time.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Counts, count, type Load } from './load.ts';

const OPTIONS = ['--timeout', '0', '--ignore', 'test/property/*short-histories.test.ts'];
const FILES = ['test/property/**/*.test.ts', 'test/waits/schemes/model.test.ts', 'test/slab/*.test.ts'];

const run = promisify(execFile);

const quoted = (args: readonly string[]): string => args.map((arg) => `'${arg}'`).join(' ');

export const load: Load = {
  async run(seed: number, counts: Counts): Promise<void> {
    const folder = mkdtempSync(join(tmpdir(), 'purgatory-soak-'));
    const stepsFile = join(folder, 'steps');
    const variables = { FC_SEED: `${seed | 0}`, PURGATORY_TESTS: 'full' };
    try {
      await run('npx', ['mocha', ...OPTIONS, '--reporter', 'dot', ...FILES], {
        env: { ...process.env, ...variables, FC_STEPS_FILE: stepsFile },
        maxBuffer: 2 ** 26,
      });
      count(counts, 'modelSteps', Number(readFileSync(stepsFile, 'utf8')));
    } catch (error) {
      const { stdout = '' } = error as { stdout?: string };
      const command = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
      throw new Error(
        `${command.join(' ')} npx mocha ${quoted(OPTIONS)} ${quoted(FILES)}\n${stdout.slice(-8_000)}`,
        { cause: error },
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};
