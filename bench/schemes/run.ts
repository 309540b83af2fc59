/**
 * `npm run bench:schemes [-- --quick]`: measures all eight timers with 10 to 1,000,000 pending, checks how the costs grow against the
 * ledger in the header of each scheme, and writes `bench/results/schemes-*.svg` and `schemes.json`. Fails where one grows otherwise.
 */
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { plot } from '../harness/plot.ts';
import { type Measurement, pinned } from '../harness/runner.ts';
import { contenders, type Growth, METRICS, type Metric } from './contenders.ts';

const { quick } = parseArgs({ options: { quick: { type: 'boolean', default: false } } }).values;
const sizes = [10, 100, 1_000, 10_000, 100_000, 1_000_000].filter((size) => !quick || size <= 10_000);

/** The power of n over the last two decades that tells a cost that grows from one that does not. */
const MOST_FLAT = 0.35;
/** Misses of the cache grow with n as well, up to this; a search through 1,000,000 timers, or 2,000 in a bucket, costs more. */
const MOST_MISSES_NS = 2_000;

const TITLES: Record<Metric, string> = {
  start: 'START_TIMER',
  stop: 'STOP_TIMER',
  tick: 'a tick in which one timer falls due',
  mixed: 'stop one, start it again, a tick every ten',
};

function measured(system: string): Measurement[] {
  const extension = extname(fileURLToPath(import.meta.url));
  const child = fileURLToPath(new URL(`./child${extension}`, import.meta.url));
  const command = [
    ...(pinned ? ['taskset', '-c', '0'] : []),
    process.execPath,
    ...(extension === '.ts' ? ['--import', 'tsx'] : []),
    child,
    system,
    ...sizes.map(String),
  ];
  const lines = execFileSync(command[0], command.slice(1), { encoding: 'utf8' }).trim().split('\n');
  return lines.map((line) => {
    const { size, ns } = JSON.parse(line) as { size: number; ns: Record<string, number> };
    return {
      system,
      size,
      metrics: Object.fromEntries(Object.entries(ns).map(([key, value]) => [key, [value]])),
    };
  });
}

/** The power of n by which a cost grew over the last two decades that were measured. */
function slope(points: readonly { size: number; ns: number }[]): number {
  const last = points[points.length - 1];
  const first = points[Math.max(0, points.length - 3)];
  return Math.log(last.ns / first.ns) / Math.log(last.size / first.size);
}

/** What the ledger says and whether it is so, for a table; a mixed load is in no ledger. */
function verdict(
  promised: Growth | undefined,
  power: number,
  mostNs: number,
): [ledger: string, verdict: string] {
  if (promised === undefined) return ['-', ''];
  const isFlat = promised === 'O(1)' || promised === 'O(log n)';
  return [promised, (power <= MOST_FLAT || mostNs <= MOST_MISSES_NS) === isFlat ? 'as promised' : 'DIFFERS'];
}

const number = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });
const measurements: Measurement[] = [];
const rows: string[][] = [];
for (const [system, { ledger }] of Object.entries(contenders)) {
  const ofSystem = measured(system);
  measurements.push(...ofSystem);
  for (const metric of METRICS) {
    const points = ofSystem.flatMap(({ size, metrics }) => {
      const ns = metrics[metric]?.[0];
      return ns === undefined ? [] : [{ size, ns }];
    });
    const power = slope(points);
    const [promised, found] = verdict(
      metric === 'mixed' ? undefined : ledger[metric],
      power,
      points[points.length - 1].ns,
    );
    const figures = sizes.map((size) => points.find((point) => point.size === size)?.ns);
    rows.push([
      system,
      metric,
      ...figures.map((ns) => (ns === undefined ? 'over 1 ms before' : number.format(ns))),
      promised,
      `n^${power.toFixed(2)}`,
      quick ? '' : found,
    ]);
  }
}
const differs = rows.filter((row) => row.includes('DIFFERS')).length;

const machine = `${cpus()[0].model.trim()}, Node ${process.version}, ${pinned ? 'pinned to one core' : 'not pinned to a core'}`;
const header = ['scheme', 'ns', ...sizes.map((size) => number.format(size)), 'ledger', 'grew as', ''];
const table = [header, header.map(() => '---'), ...rows]
  .map((cells) => `| ${cells.join(' | ')} |`)
  .join('\n');
console.log(`${machine}\n\n${table}`);
if (quick) {
  console.log('\nA quick run writes nothing, and its sizes are too small to tell how costs grow.');
} else {
  const results = new URL(
    import.meta.url.endsWith('.ts') ? '../results/' : '../../results/',
    import.meta.url,
  );
  await mkdir(results, { recursive: true });
  await writeFile(
    new URL('schemes.json', results),
    `${JSON.stringify({ machine, measurements }, undefined, 1)}\n`,
  );
  for (const metric of METRICS) {
    const workload = {
      name: `schemes-${metric}`,
      title: TITLES[metric],
      unit: 'ns',
      sizeLabel: 'timers pending',
      sizes: { full: sizes, quick: sizes },
      systems: {},
      rows: [{ title: TITLES[metric], size: sizes[0], metric }],
    };
    await writeFile(new URL(`${workload.name}.svg`, results), await plot(workload, measurements));
  }
  if (differs > 0) {
    console.error(`\n${differs} costs do not grow as their ledger says`);
    process.exitCode = 1;
  }
}
