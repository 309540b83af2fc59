import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { runNode } from '../support/child.ts';

describe('The soak', () => {
  it('fails at the first failure, and prints the command that repeats it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'purgatory-soak-'));
    try {
      const file = join(folder, 'model.test.mjs');
      writeFileSync(
        file,
        "it('fails with the third seed', () => { if (process.env.FC_SEED === '9') throw 0; });",
      );
      const args = ['--import', 'tsx', 'test/programs/soak.ts', '--minutes', '9', '--seed', '7', file];
      const { code, stdout, stderr } = await runNode(args);
      expect(code).to.equal(1);
      expect(stdout.match(/seed \d/g)).to.deep.equal(['seed 7', 'seed 8']);
      expect(stderr).to.contain(`Again: FC_SEED=9 FUZZ_SEED=9 PURGATORY_TESTS=full npx mocha ${file}`);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
