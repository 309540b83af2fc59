/**
 * `npm run bench -- schemes [--quick | --last]`: measures all eight timers with 10 to 1,000,000
 * pending, and compares the growth of each cost with the ledger in the header of its scheme. It
 * writes `bench/results/schemes.json`, and the picture of docs/schemes.md. It exits with 1 when a
 * cost grows otherwise than promised, but writes everything all the same. A quick run writes nothing
 * and judges nothing. `--last` measures nothing: it prints what `schemes.json` holds.
 */
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pinned } from '../harness/runner.ts';
import type { Measurement } from '../harness/types.ts';
import { drawPictures } from '../pictures.ts';
import { contenders } from './contenders.ts';
import { failing, rowsOf, schemesTable } from './table.ts';

/** What `schemes.json` holds. */
interface Stored {
  machine: string;
  measurements: Measurement[];
}

const results = new URL(import.meta.url.endsWith('.ts') ? '../results/' : '../../results/', import.meta.url);

function measured(system: string, sizes: readonly number[]): Measurement[] {
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

async function stored(): Promise<Stored> {
  return JSON.parse(await readFile(new URL('schemes.json', results), 'utf8')) as Stored;
}

function measureAll(sizes: readonly number[]): Stored {
  const where = pinned ? 'pinned to one core' : 'not pinned to a core';
  return {
    machine: `${cpus()[0].model.trim()}, Node ${process.version}, ${where}`,
    measurements: Object.keys(contenders).flatMap((system) => measured(system, sizes)),
  };
}

async function write(outcome: Stored): Promise<void> {
  await mkdir(results, { recursive: true });
  await writeFile(new URL('schemes.json', results), `${JSON.stringify(outcome, undefined, 1)}\n`);
  await drawPictures();
}

export async function runSchemes({ quick, last }: { quick: boolean; last: boolean }): Promise<void> {
  const sizes = [10, 100, 1_000, 10_000, 100_000, 1_000_000].filter((size) => !quick || size <= 10_000);
  const outcome = last ? await stored() : measureAll(sizes);
  const rows = rowsOf(outcome.measurements);
  console.log(`${outcome.machine}\n\n${schemesTable(rows, sizes)}`);
  if (quick) {
    console.log('\nA quick run writes nothing, and its sizes are too small to tell how costs grow.');
    return;
  }
  if (!last) await write(outcome);
  const others = failing(rows);
  for (const { scheme, metric, promised } of others) {
    console.error(`${scheme}, ${metric}: ${promised?.growth} promised, ${promised?.verdict}`);
  }
  if (others.length > 0) process.exitCode = 1;
}
