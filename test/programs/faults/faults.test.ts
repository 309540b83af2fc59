// The short form of `npm run faults`. That command prints what is timed. Here is only what must
// hold on any machine.

import { expect } from 'chai';
import { runNode } from '../../support/child.ts';
import { engines, SECOND_TRY } from '../../support/engines.ts';
import { itWith } from '../../support/needs.ts';
import { uncovered } from '../../support/uncovered.ts';

// Redis stands for the engines: test/engines/bus kills each of them, cuts the connections to it,
// and leaves them half open.
const RUNS = [
  ['redis', 'kill -9'],
  ['cluster', 'process is stopped'],
] as const;

describe('Under faults', () => {
  for (const [engine, row] of RUNS) {
    const needs = engine === 'redis' ? [engines.redis] : [];
    const title = `${engine}, ${row}: no wait is lost, no publisher throws, all is answered afterwards`;
    itWith(needs, title, async () => {
      const args = ['--import', 'tsx', 'test/programs/faults/run.ts', engine, '--short', '--only', row];
      const { stdout, stderr } = await runNode(args, { env: uncovered() });
      const rows = stdout
        .trim()
        .split('\n')
        .slice(2)
        .map((line) => line.split(' | '));
      expect(stderr).to.equal('');
      expect(rows.map(([, , what]) => what).filter((what) => /^all answered/.test(what))).not.to.be.empty;
      const absolute = rows.filter(([, , , , bar]) => bar === '0');
      expect(absolute).to.have.length.at.least(3);
      expect(absolute.filter(([, , , measured]) => measured !== '0')).to.deep.equal([]);
    }).retries(SECOND_TRY);
  }
});
