// An example that serves, or cannot start, in a process of its own, from a bundle: it and its workers
// start in a quarter of the time.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundled } from './bundled.ts';
import { Program } from './program.ts';
import { uncovered } from './uncovered.ts';

const cwd = fileURLToPath(new URL('../../', import.meta.url));

export interface ExampleServer {
  readonly url: string;
  readonly child: ChildProcess;
  /** All that it has printed, line by line. */
  readonly lines: string[];
  /** Resolves once a line matches. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  /** Ends it as Ctrl-C does. Resolves with its exit code. */
  stop(): Promise<number | null>;
}

/** Runs an example with `args`. Resolves once it is ready. Rejects with its output when it fails. */
export async function startExample(
  name: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<ExampleServer> {
  const main = await bundled(`examples/${name}/main.ts`);
  const program = new Program(process.execPath, [main, ...args], env);
  const printed = async (pattern: RegExp) => (await program.printed(pattern))[0];
  const [, url] = await printed(/^ready (.*)$/);
  const { child, lines } = program;
  return { url, child, lines, printed, stop: () => program.end('SIGINT') };
}

/** What an example prints when it cannot start with `args`, and its exit code. */
export async function refusalOf(
  name: string,
  ...args: string[]
): Promise<{ text: string; code: number | null }> {
  // An example may make a folder before it finds what is wrong.
  const folder = mkdtempSync(join(tmpdir(), 'purgatory-refusal-'));
  const child = spawn(process.execPath, [await bundled(`examples/${name}/main.ts`), ...args], {
    cwd,
    env: uncovered({ TMPDIR: folder }),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let text = '';
  child.stderr.setEncoding('utf8').on('data', (more: string) => {
    text += more;
  });
  await once(child, 'close');
  rmSync(folder, { recursive: true });
  return { text: text.trim(), code: child.exitCode };
}
