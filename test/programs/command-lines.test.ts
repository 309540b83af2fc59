import { expect } from 'chai';
import { runNode } from '../support/child.ts';

const PROGRAMS = {
  bench: ['bench/run.ts', '--rounds N'],
  simulate: ['test/simulation/run.ts', '--seeds N'],
  soak: ['test/programs/soak.ts', '--minutes N'],
  faults: ['test/programs/faults/run.ts', '--only TEXT'],
  'test:runtimes': ['test/programs/runtimes/run.ts', '--only NAME'],
};

describe('The command lines of the programs', () => {
  for (const [script, [file, option]] of Object.entries(PROGRAMS))
    it(`of \`npm run ${script}\` says what it takes, and refuses what it does not take`, async () => {
      const run = (argument: string) => runNode(['--import', 'tsx', file, argument]);
      const help = await run('--help');
      expect(help).to.include({ code: 0, stderr: '' });
      expect(help.stdout).to.contain(`npm run ${script} -- [`).and.to.contain(`\n  ${option} `);
      expect(await run('--nope')).to.deep.include({
        code: 2,
        stdout: '',
        stderr: "Unknown option '--nope' (--help lists what there is)\n",
      });
    });
});
