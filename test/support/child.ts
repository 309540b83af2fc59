// Runs a script in a process of its own, where exit, uncaught errors and the collector can be
// observed.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { bundled } from './bundled.ts';
import { LIMIT_MS } from './limit.ts';
import { uncovered } from './uncovered.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

export interface ChildResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ChildOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/**
 * Runs `node` with `args`, without coverage: the built package, which it imports, is no part of it.
 * Rejects where the process hangs: it is killed then.
 */
export function runNode(
  args: readonly string[],
  { env, ...options }: ChildOptions = {},
): Promise<ChildResult> {
  return run(args, { ...options, env: uncovered(env) });
}

/**
 * Runs a script of the repository from its sources, with coverage: for what no process of the tests
 * can reach, and for scripts that start others by their path.
 */
export function runSource(
  args: readonly string[],
  { env, ...options }: ChildOptions = {},
): Promise<ChildResult> {
  return run(['--import', 'tsx', ...args], { ...options, env: { ...process.env, ...env } });
}

function run(args: readonly string[], { cwd = root, env }: ChildOptions): Promise<ChildResult> {
  const beganMs = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: LIMIT_MS,
      killSignal: 'SIGKILL',
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (signal !== 'SIGKILL' || performance.now() - beganMs < LIMIT_MS) {
        resolve({ code, signal, stdout, stderr });
      } else
        reject(new Error(`node ${args.join(' ')}: killed after ${LIMIT_MS / 1_000} s\n${stdout}${stderr}`));
    });
  });
}

/** Runs `test/host/children/<name>.ts` with `args`, from a bundle and without coverage. */
export async function runChild(
  name: string,
  args: readonly string[] = [],
  flags: readonly string[] = [],
): Promise<ChildResult> {
  return runNode([...flags, await bundled(`test/host/children/${name}.ts`), ...args]);
}

/** The result of a child that succeeded, its output trimmed. */
export function ok(stdout: string): { code: number; stdout: string; stderr: string } {
  return { code: 0, stdout, stderr: '' };
}

export function summary({ code, stdout, stderr }: ChildResult): {
  code: number | null;
  stdout: string;
  stderr: string;
} {
  return { code, stdout: stdout.trim(), stderr: stderr.trim() };
}
