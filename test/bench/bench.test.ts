import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { keyLists, logNormals, shuffled } from '../../bench/harness/random.ts';
import { pageTable, resultsOf, table, timesAsGood } from '../../bench/harness/report.ts';
import { runWorkload } from '../../bench/harness/runner.ts';
import { median, pairedRatio, percentile } from '../../bench/harness/statistics.ts';
import type { Measurement, Workload } from '../../bench/harness/types.ts';
import { steady } from '../../bench/steady.ts';
import { workloads } from '../../bench/workloads.ts';
import { runNode } from '../support/child.ts';

describe('the bench', () => {
  it('takes medians, percentiles by the nearest rank, and ratios inside each round', () => {
    expect([median([5, 1, 3]), median([4, 1, 3, 2])]).to.deep.equal([3, 2.5]);
    expect(() => median([])).to.throw(RangeError, 'no values');
    const values = Array.from({ length: 100 }, (_, index) => 100 - index);
    expect([percentile(values, 0.99), percentile([7], 0.5)]).to.deep.equal([99, 7]);
    expect(pairedRatio([1, 10, 1], [2, 20, 2])).to.deep.include({ median: 0.5, min: 0.5, max: 0.5 });
  });

  it('draws the same input for the same seed, and latencies with the quartiles asked for', () => {
    const drawn = [...shuffled(100, 7)];
    expect(drawn).to.deep.equal([...shuffled(100, 7)]);
    expect(drawn).to.not.deep.equal([...shuffled(100, 8)]);
    expect(drawn).to.have.members([...Array(100).keys()]);
    const latencies = logNormals(100_000, 20, 60);
    expect(percentile(latencies, 0.5)).to.be.closeTo(20, 1);
    expect(percentile(latencies, 0.75)).to.be.closeTo(60, 3);
  });

  it('draws different keys for each list', () => {
    for (const list of keyLists(100, ['a', 'b', 'c', 'd'], 3)) expect(new Set(list).size).to.equal(3);
  });

  it('calls a row met only where the ratio and the figure both are', () => {
    const row = { size: 1, metric: 'm', peer: 'p' };
    const workload: Workload = {
      name: 'w',
      title: 'w',
      unit: 'ns',
      sizeLabel: 'n',
      sizes: { full: [1], quick: [1] },
      systems: {},
      rows: [
        { ...row, title: 'aim', bar: { ratio: 1 }, aim: { ratio: 1 / 2 } },
        { ...row, title: 'bar', bar: { ratio: 1 / 2, value: 50 }, aim: { ratio: 1 / 2, value: 40 } },
        { ...row, title: 'missed', bar: { ratio: 1 / 2, value: 49 } },
        { ...row, title: 'rate', bar: { ratio: 2 }, higherIsBetter: true },
        { ...row, title: 'no peer', peer: 'q', bar: { ratio: 1 } },
        { title: 'not measured', size: 2, metric: 'm' },
      ],
    };
    const measured = (system: string, m: number[]): Measurement => ({ system, size: 1, metrics: { m } });
    const results = resultsOf(workload, [measured('purgatory', [50, 50]), measured('p', [100, 100])]);
    expect(results.map(({ title, verdict }) => [title, verdict])).to.deep.equal([
      ['aim', 'aim'],
      ['bar', 'bar'],
      ['missed', 'missed'],
      ['rate', 'missed'],
      ['no peer', 'missed'],
    ]);
    expect([timesAsGood(0.2), timesAsGood(2), timesAsGood(2.5, true)]).to.deep.equal(['5', '0.5', '2.5']);
    const lines = table(results, () => 'ns').split('\n');
    expect(lines).to.have.lengthOf(7);
    expect(lines[2]).to.contain('50 ns').and.contain('| 2 (2-2)').and.contain('aim met');
    const page = pageTable(results, () => 'ns').split('\n');
    expect(page).to.have.lengthOf(6); // without the row that has no peer
    expect(page[2]).to.equal('| aim | 1 | 50 ns | p | 100 ns | 2 (2-2) |');
  });

  it('runs a workload, each system in a process of its own, and what no row compares in the first round only', async () => {
    const { purgatory, setTimeout } = steady.systems;
    const ours = { ...steady.rows[0], size: 10, peer: undefined };
    const tiny: Workload = {
      ...steady,
      sizes: { full: [], quick: [10] },
      systems: { purgatory, setTimeout },
      rows: [ours],
    };
    const told = (measurements: readonly Measurement[]) =>
      measurements.map(({ system, size, metrics }) => [system, size, metrics.step.length]);
    const measurements = await runWorkload(tiny, { quick: true, rounds: 2, onlyCompared: false });
    expect(told(measurements)).to.deep.equal([
      ['purgatory', 10, 2],
      ['setTimeout', 10, 1],
    ]);
    const compared = await runWorkload(tiny, { quick: true, rounds: 1, onlyCompared: true });
    expect(told(compared)).to.deep.equal([['purgatory', 10, 1]]);
  });

  it('has a row that says what has failed, and goes on with the others', async () => {
    const { purgatory, setTimeout } = steady.systems;
    const burst = async (): Promise<never> => {
      throw new RangeError('the burst began early');
    };
    const tiny: Workload = {
      ...steady,
      name: 'no such workload',
      sizes: { full: [], quick: [10] },
      systems: { purgatory, setTimeout, burst },
      rows: [{ ...steady.rows[0], size: 10 }],
    };
    const measurements = await runWorkload(tiny, { quick: true, rounds: 1, onlyCompared: true });
    expect(measurements.map(({ metrics }) => metrics)).to.deep.equal([{}, {}]);
    const results = resultsOf(tiny, measurements);
    expect(results.map(({ verdict }) => verdict)).to.deep.equal(['failed']);
    expect(table(results, () => 'ns')).to.match(/\| FAILED: purgatory: \w*Error: .*no such workload/);
  });

  it('prints the rows of the runs that are stored, and names the others', async () => {
    const { code, stdout, stderr } = await runNode(['--import', 'tsx', 'bench/run.ts', '--last']);
    const isStored = (name: string): boolean => existsSync(`bench/results/${name}.json`);
    const missing = workloads.filter(({ name }) => !isStored(name)).map(({ name }) => name);
    expect([code, stderr]).to.deep.equal([
      0,
      missing.map((name) => `${name}: no results are stored\n`).join(''),
    ]);
    for (const { name, rows } of workloads)
      for (const { title } of rows) expect(stdout.includes(`| ${title} `), title).to.equal(isStored(name));
  });

  it('skips Kafka, and says so, where there is none', async () => {
    const env = { ...process.env, KAFKA_HOME: '/nowhere' };
    const { stdout, stderr } = await promisify(execFile)('bench/jvm/kafka.sh', { env });
    expect(stdout).to.match(/^Kafka: skipped, .*\n$/);
    expect(stderr).to.equal('');
  });
});
