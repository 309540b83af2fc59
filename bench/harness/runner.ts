/**
 * Runs a workload: one child process for each system, size and round. The systems are interleaved A
 * B A B inside each round, each pinned to one core where `taskset` is there.
 */
import { execFile, spawnSync } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Measured, Measurement, Workload } from './types.ts';

const run = promisify(execFile);

export interface Plan {
  quick: boolean;
  rounds: number;
  /** Only what a row compares. */
  onlyCompared: boolean;
  onChild?: (system: string, size: number, round: number) => void;
}

/** Whether children can be pinned to one core here. */
export const pinned: boolean = spawnSync('taskset', ['-c', '0', 'true']).status === 0;

/**
 * Runs every system of the workload at every size of the plan. Systems that no row compares run in
 * the first round only: the plots show them. A child that fails is a measurement that says why, and
 * the others go on.
 */
export async function runWorkload(workload: Workload, plan: Plan): Promise<Measurement[]> {
  const sizes = plan.quick ? workload.sizes.quick : workload.sizes.full;
  const measurements = sizes.flatMap((size) =>
    Object.keys(workload.systems)
      .filter((system) => !plan.onlyCompared || isCompared(workload, system, size))
      .filter((system) => workload.runs?.(system, size) ?? true)
      .map((system): Measurement => ({ system, size, metrics: {} })),
  );
  for (let round = 0; round < plan.rounds; round++) {
    for (const measurement of measurements) {
      const { system, size, metrics } = measurement;
      if (measurement.failed !== undefined || (round > 0 && !isCompared(workload, system, size))) continue;
      plan.onChild?.(system, size, round);
      let measured: Measured;
      try {
        measured = await runChild(workload, system, size, plan.quick);
      } catch (error) {
        measurement.failed = reasonOf(error as Error);
        continue;
      }
      for (const [metric, value] of Object.entries(measured)) {
        metrics[metric] ??= [];
        metrics[metric].push(value);
      }
    }
  }
  return measurements;
}

/** What the child has thrown, in one line. */
function reasonOf({ message }: Error): string {
  const lines = message.split('\n');
  return lines.find((line) => /^\w*Error\b/.test(line)) ?? lines[0];
}

/**
 * Whether a row of the workload compares the system at this size, as ours or as the peer. True when
 * there are no rows.
 */
function isCompared({ rows }: Workload, system: string, size: number): boolean {
  if (rows.length === 0) return true;
  return rows.some(
    (row) =>
      ((row.system ?? 'purgatory') === system && row.size === size) ||
      (row.peer === system && (row.peerSize ?? row.size) === size),
  );
}

/** Runs one system once, in a process of its own. */
export async function runChild(
  workload: Workload,
  system: string,
  size: number,
  quick: boolean,
): Promise<Measured> {
  const extension = extname(fileURLToPath(import.meta.url));
  const child = fileURLToPath(new URL(`./child${extension}`, import.meta.url));
  const command = [
    ...(pinned ? ['taskset', '-c', '0'] : []),
    process.execPath,
    ...(extension === '.ts' ? ['--import', 'tsx'] : []),
    ...(workload.nodeFlags ?? []),
    child,
    workload.name,
    system,
    String(size),
    quick ? 'quick' : 'full',
  ];
  // A child of mocha or c8 must not inherit what they put in the environment. The names have to be
  // there: Node hands its coverage on to a child whose environment does not name it.
  const env = { ...process.env, NODE_OPTIONS: undefined, NODE_V8_COVERAGE: undefined };
  const { stdout } = await run(command[0], command.slice(1), { env });
  return JSON.parse(stdout) as Measured;
}
