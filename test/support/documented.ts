// The programs of the documentation, run as a reader would copy them.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { uncovered } from './uncovered.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The `js` block of a page whose first line is the comment `// name`. */
export function program(page: string, name: string): string {
  const text = readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8');
  const blocks = [...text.matchAll(/^```js\n(.*?)^```/gms)].map(([, block]) => block);
  const found = blocks.find((block) => block.startsWith(`// ${name}\n`));
  if (found === undefined) throw new Error(`${page} has no program ${name}`);
  return found;
}

/** A program of examples/recipes. */
export function recipe(name: string): string {
  return readFileSync(new URL(`../../examples/recipes/${name}`, import.meta.url), 'utf8');
}

/** What a program of examples/recipes says that it prints: the comment at its end. */
export function saidToPrint(name: string): string {
  const [, output] = /^\/\* It prints\n\n(.*)\*\/\n$/ms.exec(recipe(name)) ?? [];
  if (output === undefined) throw new Error(`${name} does not say what it prints`);
  return output;
}

/** The recipes that say what they print, and need no server and no file of their own for it. */
export function printingRecipes(): string[] {
  const needsMore = (source: string): boolean => /_URL\b|cluster\.fork/.test(source);
  return readdirSync(new URL('../../examples/recipes', import.meta.url)).filter(
    (name) => name.endsWith('.mjs') && /^\/\* It prints$/m.test(recipe(name)) && !needsMore(recipe(name)),
  );
}

/** Starts a program in the root of the repository, whose packages and own exports it may import. */
export function start(source: string, env: Readonly<Record<string, string>> = {}): ChildProcess {
  return spawn(process.execPath, ['--input-type=module', '-e', source], {
    cwd: root,
    env: uncovered(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Runs a program to its end. Resolves with its output. Rejects when it fails, or warns. */
export async function printed(source: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const child = start(source, env);
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  const [code] = await once(child, 'close');
  if (code !== 0 || output.stderr !== '') throw new Error(`code ${code}: ${output.stderr}`);
  return output.stdout;
}

/** The page of the inspector whose address a program prints. Ends the program. */
export async function inspectorPageOf(source: string): Promise<string> {
  const child = start(source);
  try {
    const [url] = await once(child.stdout as NodeJS.ReadableStream, 'data');
    return await (await fetch(String(url).trim())).text();
  } finally {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
}

/** A server from a page, started on a free port, which it prints. */
export class DocumentedServer implements AsyncDisposable {
  readonly port: number;
  /** What it has printed. */
  output = '';
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.output += text;
    });
  }

  static async start(source: string, env: Readonly<Record<string, string>> = {}): Promise<DocumentedServer> {
    const child = start(source, { PORT: '0', ...env });
    child.stderr?.pipe(process.stderr);
    const line = await Promise.race([
      once(child.stdout as NodeJS.ReadableStream, 'data').then(([data]) => String(data)),
      once(child, 'exit').then(([code]) => `the program ended with code ${code}`),
    ]);
    if (!/^\d+\n$/.test(line)) throw new Error(line);
    return new DocumentedServer(child, Number(line));
  }

  /**
   * Asks the program to end, as an operator does. Resolves with its exit code, or the signal that
   * ended it.
   */
  async terminate(): Promise<number | string> {
    this.#child.kill('SIGTERM');
    const [code, signal] = await once(this.#child, 'exit');
    return code ?? signal;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill('SIGKILL');
    await once(this.#child, 'exit');
  }
}
