/**
 * `npm run bench [-- WORKLOAD ...] [--quick] [--rounds N]`: runs the workloads, prints one table with ratios, and writes what was measured
 * to `bench/results/`: a JSON file a workload, and an SVG plot where it was run at several sizes. A quick run writes nothing.
 * A full run of everything ends with the JVM's timers, where a JDK is there (bench/jvm/run.sh).
 */
import { spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { plot } from './harness/plot.ts';
import { figure, type RowResult, resultsOf, table } from './harness/report.ts';
import { compared, type Measurement, pinned, runWorkload } from './harness/runner.ts';
import { summarize } from './harness/statistics.ts';
import type { Workload } from './harness/types.ts';
import { workloads } from './workloads.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false }, rounds: { type: 'string' } },
});
const { quick } = values;
const rounds = Number(values.rounds ?? (quick ? 1 : 3));
if (!Number.isInteger(rounds) || rounds < 1)
  throw new RangeError(`--rounds takes an integer >= 1, not ${values.rounds}`);
for (const name of positionals) {
  if (workloads.some((workload) => workload.name === name)) continue;
  throw new RangeError(
    `no workload ${name}; there are ${workloads.map((workload) => workload.name).join(', ')}`,
  );
}
const chosen = workloads.filter(({ name, isQuick }) =>
  positionals.length === 0 ? !quick || isQuick !== false : positionals.includes(name),
);

const machine = { cpu: cpus()[0].model.trim(), cores: cpus().length, node: process.version, pinned };
const bench = new URL(import.meta.url.endsWith('.ts') ? './' : '../', import.meta.url);
const results = new URL('results/', bench);
const rows: RowResult[] = [];
const start = performance.now();
for (const workload of chosen) {
  const begin = performance.now();
  const measurements = await runWorkload(workload, {
    quick,
    rounds,
    // With one round there is time only for what the table compares.
    systems: quick ? [...compared(workload)] : undefined,
    onChild: (system, size, round) =>
      progress(`${workload.name}: ${system}, ${size} (${round + 1} of ${rounds})`),
  });
  progress('');
  console.error(`${workload.name}: ${Math.round((performance.now() - begin) / 1000)} s`);
  const found = resultsOf(workload, measurements);
  rows.push(...found);
  if (workload.rows.length === 0 || positionals.length > 0) console.log(everything(workload, measurements));
  if (!quick) await write(workload, measurements, found);
}
const unitOf = (result: RowResult): string =>
  result.unit ?? workloads.find((workload) => workload.name === result.workload)!.unit;
console.log(
  `${machine.cpu}, Node ${machine.node}, ${pinned ? 'each system pinned to one core' : 'not pinned to a core'}\n`,
);
console.log(table(rows, unitOf));
if (!quick && positionals.length === 0) {
  console.log();
  spawnSync('bash', [fileURLToPath(new URL('jvm/run.sh', bench))], { stdio: 'inherit' });
}
console.log(`\n${Math.round((performance.now() - start) / 1000)} s`);

/** One line a system, size and metric, in the order they were run. */
function everything(workload: Workload, measurements: readonly Measurement[]): string {
  const lines = measurements.flatMap(({ system, size, metrics }) =>
    Object.entries(metrics).map(([metric, of]) => {
      const { median, min, max } = summarize(of);
      return `  ${`${system}, ${size}, ${metric}`.padEnd(64)} ${figure(median, '')} (${figure(min, '')}-${figure(max, '')})`;
    }),
  );
  return [`${workload.name}: ${workload.title}, by ${workload.sizeLabel}`, ...lines, ''].join('\n');
}

async function write(
  workload: Workload,
  measurements: readonly Measurement[],
  found: readonly RowResult[],
): Promise<void> {
  await mkdir(results, { recursive: true });
  const json = {
    workload: workload.name,
    title: workload.title,
    unit: workload.unit,
    machine,
    rounds,
    measurements,
    rows: found,
  };
  await writeFile(new URL(`${workload.name}.json`, results), `${JSON.stringify(json, undefined, 1)}\n`);
  if (workload.sizes.full.length > 1)
    await writeFile(new URL(`${workload.name}.svg`, results), await plot(workload, measurements));
}

function progress(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${line}`);
}
