// The programs of examples/, as their READMEs say. A server is run from a bundle: it and its workers
// start in a quarter of the time.
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundled } from './bundled.ts';
import { runNode } from './child.ts';
import { Program } from './program.ts';

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
  const env = { TMPDIR: folder };
  const { code, stderr } = await runNode([await bundled(`examples/${name}/main.ts`), ...args], { env });
  rmSync(folder, { recursive: true });
  return { text: stderr.trim(), code };
}

/** The lines that an example prints that ends by itself. Throws when it fails or warns. */
export async function runExample(name: string, ...args: string[]): Promise<string[]> {
  const argv = ['--import', 'tsx', `examples/${name}/main.ts`, ...args];
  const { code, stdout, stderr } = await runNode(argv);
  if (code !== 0 || stderr !== '') throw new Error(`${name} ended with ${code}: ${stderr}`);
  return stdout.trimEnd().split('\n');
}
