// `npm run bench`: runs the workloads and prints one table with ratios.
//
// The figures go to `bench/results/`, a JSON file for each workload, and from there into the pictures
// of the docs (bench/pictures.ts). `schemes` is a bench of its own (bench/schemes/run.ts). A full run
// of everything ends with the JVM's timers, where there is a JDK (bench/jvm/run.sh).
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { commandLine, integer, refuse } from './harness/command-line.ts';
import { figure, pageTable, type RowResult, resultsOf, table } from './harness/report.ts';
import { pinned, runWorkload } from './harness/runner.ts';
import { summarize } from './harness/statistics.ts';
import type { Measurement, Workload } from './harness/types.ts';
import { drawPictures } from './pictures.ts';
import { runSchemes } from './schemes/run.ts';
import { workloads } from './workloads.ts';

/** The name of the bench of bench/schemes/run.ts. */
const SCHEMES = 'schemes';

/** What a file of `bench/results/` holds. */
interface Stored {
  workload: string;
  machine: string;
  rounds: number;
  measurements: Measurement[];
}

const all = [...workloads, { name: SCHEMES, title: 'The eight timers of docs/schemes.md' }];

const HELP = `npm run bench -- [WORKLOAD ...] [options]

Without a WORKLOAD it runs all. One that is named is printed in full, every system at every size.

  --quick     what the table of docs/performance.md compares, once: a minute on quiet cores; it writes nothing
  --rounds N  each system N times (1 of a quick run, 3 of most others)
  --last      runs nothing: prints what the results of the last run hold
  --page      prints the table as docs/performance.md has it

${all.map(({ name, title }) => `  ${name.padEnd(16)}${title}`).join('\n')}`;

const { values, positionals } = commandLine(HELP, {
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    last: { type: 'boolean', default: false },
    page: { type: 'boolean', default: false },
    rounds: { type: 'string' },
  },
});
const { quick, last, page } = values;
const givenRounds = integer('rounds', values.rounds, undefined, 1);
for (const name of positionals)
  if (!all.some((workload) => workload.name === name)) refuse(`There is no workload ${name}`);
const names = positionals.filter((name) => name !== SCHEMES);
if (positionals.includes(SCHEMES)) await runSchemes({ quick, last });
if (positionals.length > 0 && names.length === 0) process.exit();
const chosen = workloads.filter(({ name, isQuick }) =>
  names.length > 0 ? names.includes(name) : !quick || isQuick !== false,
);
const bench = new URL(import.meta.url.endsWith('.ts') ? './' : '../', import.meta.url);
const results = new URL('results/', bench);

const start = performance.now();
const rows: RowResult[] = [];
const machines = new Set<string>();
for (const workload of chosen) {
  const result = last ? stored(workload) : await measured(workload);
  if (result === undefined) continue;
  const { machine, measurements } = result;
  machines.add(machine);
  rows.push(...resultsOf(workload, measurements));
  if (names.length > 0) console.log(everything(workload, measurements));
}
console.log(`${[...machines].join('; ')}\n`);
if (!page) console.log('bar: what must hold on quiet cores. aim: what is wanted beyond it.\n');
const unitOf = ({ unit, workload: name }: RowResult): string =>
  unit ?? workloads.find((workload) => workload.name === name)!.unit;
console.log((page ? pageTable : table)(rows, unitOf));
if (!quick && !last) await drawPictures();
if (!quick && !last && names.length === 0) {
  console.log();
  spawnSync('bash', [fileURLToPath(new URL('jvm/run.sh', bench))], { stdio: 'inherit' });
}
if (!last) console.log(`\n${secondsSince(start)} s`);
if (rows.some(({ verdict }) => verdict === 'failed')) process.exitCode = 1;

async function measured(workload: Workload): Promise<Stored> {
  const begin = performance.now();
  const rounds = givenRounds ?? (quick ? 1 : (workload.rounds ?? 3));
  const measurements = await runWorkload(workload, {
    quick,
    rounds,
    // In the minute of a quick run there is time only for what the table compares.
    onlyCompared: quick,
    onChild: (system, size, round) => progress(`${workload.name}: ${system}, ${size}, round ${round + 1}`),
  });
  progress('');
  console.error(`${workload.name}: ${secondsSince(begin)} s`);
  const where = pinned ? 'each system pinned to one core' : 'not pinned to a core';
  const machine = `${cpus()[0].model.trim()}, Node ${process.version}, ${where}`;
  const result: Stored = { workload: workload.name, machine, rounds, measurements };
  if (!quick) await write(workload, result);
  return result;
}

/** What a run has stored. Says so where there is nothing. */
function stored({ name }: Workload): Stored | undefined {
  const file = new URL(`${name}.json`, results);
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Stored;
  console.error(`${name}: no results are stored`);
  return undefined;
}

async function write(workload: Workload, result: Stored): Promise<void> {
  await mkdir(results, { recursive: true });
  await writeFile(new URL(`${workload.name}.json`, results), `${JSON.stringify(result, undefined, 1)}\n`);
}

/** One line a system, size and metric, in the order they were run. */
function everything(workload: Workload, measurements: readonly Measurement[]): string {
  const lines = measurements.flatMap(({ system, size, metrics }) =>
    Object.entries(metrics).map(([metric, rounds]) => {
      const { median, min, max } = summarize(rounds);
      const what = `${system}, ${size}, ${metric}`;
      return `  ${what.padEnd(64)} ${figure(median, '')} (${figure(min, '')}-${figure(max, '')})`;
    }),
  );
  return [`${workload.name}: ${workload.title}, by ${workload.sizeLabel}`, ...lines, ''].join('\n');
}

function progress(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${line}`);
}

function secondsSince(begin: number): number {
  return Math.round((performance.now() - begin) / 1000);
}
