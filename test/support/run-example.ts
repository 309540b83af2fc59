// Runs the main file of an example as its README says.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { LIMIT_MS } from './limit.ts';
import { uncovered } from './uncovered.ts';

const cwd = fileURLToPath(new URL('../../', import.meta.url));

/**
 * The lines that `node --import tsx examples/<name>/main.ts ...args` prints. Throws when it fails
 * or warns.
 */
export async function runExample(name: string, ...args: string[]): Promise<string[]> {
  const argv = ['--import', 'tsx', `examples/${name}/main.ts`, ...args];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, argv, {
    cwd,
    env: uncovered(),
    timeout: LIMIT_MS,
  });
  if (stderr !== '') throw new Error(`${name} wrote to stderr: ${stderr}`);
  return stdout.trimEnd().split('\n');
}
