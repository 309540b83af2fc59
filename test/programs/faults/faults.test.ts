// The short form of `npm run faults`. That command prints what is timed. Here is only what must
// hold on any machine.

import { expect } from 'chai';
import { runNode } from '../../support/child.ts';
import { engines, SECOND_TRY } from '../../support/engines.ts';
import { fullRun, itWith } from '../../support/needs.ts';
import { uncovered } from '../../support/uncovered.ts';

// Redis that is killed stands for the engines, and a process that is stopped for node:cluster, but
// in the full run. test/bus/transports cuts the connections to each engine.
const RUNS = [
  ['redis', 'kill -9'],
  ['redis', 'connections killed'],
  ['redis', 'half open'],
  ['nats', 'kill'],
  ['postgres', 'kill'],
  ['cluster', 'process is stopped'],
  ['cluster', 'waiters of one key'],
] as const;
const inEveryRun = new Set(['redis, kill -9', 'cluster, process is stopped']);

describe('Under faults', () => {
  for (const [engine, row] of RUNS) {
    const needs = [
      ...(engine === 'cluster' ? [] : [engines[engine]]),
      ...(inEveryRun.has(`${engine}, ${row}`) ? [] : [fullRun]),
    ];
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
      expect(rows.map(([, , what]) => what).filter((what) => /^(all answered|caught up)/.test(what))).not.to
        .be.empty;
      const absolute = rows.filter(([, , , , bar]) => bar === '0');
      expect(absolute).to.have.length.at.least(3);
      expect(absolute.filter(([, , , measured]) => measured !== '0')).to.deep.equal([]);
    })
      .timeout(180_000)
      .retries(SECOND_TRY);
  }
});
