// The programs of the documentation, run as a reader would copy them.
import { readdirSync, readFileSync } from 'node:fs';
import { runNode } from './child.ts';
import { Program } from './program.ts';

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

type Env = Readonly<Record<string, string>>;

/** As a file in the root of the repository, whose packages and own exports it may import. */
const asModule = (source: string): string[] => ['--input-type=module', '-e', source];

/** Runs a program to its end. Resolves with its output. Rejects when it fails, or warns. */
export async function printed(source: string, env: Env = {}): Promise<string> {
  const { code, stdout, stderr } = await runNode(asModule(source), { env });
  if (code !== 0 || stderr !== '') throw new Error(`code ${code}: ${stderr}`);
  return stdout;
}

/** The page of the inspector whose address a program prints. Ends the program. */
export async function inspectorPageOf(source: string): Promise<string> {
  const program = new Program(process.execPath, asModule(source));
  try {
    const [[url]] = await program.printed(/^http.*/);
    return await (await fetch(url)).text();
  } finally {
    await program.end('SIGKILL');
  }
}

/** A server from a page, started on a free port, which it prints. */
export class DocumentedServer implements AsyncDisposable {
  readonly port: number;
  readonly #program: Program;

  private constructor(program: Program, port: number) {
    this.#program = program;
    this.port = port;
  }

  static async start(source: string, env: Env = {}): Promise<DocumentedServer> {
    const program = new Program(process.execPath, asModule(source), { PORT: '0', ...env });
    const [[port]] = await program.printed(/^\d+$/);
    return new DocumentedServer(program, Number(port));
  }

  /** What it has printed. */
  get output(): string {
    return this.#program.stdout;
  }

  /**
   * Asks the program to end, as an operator does. Resolves with its exit code, or the signal that
   * ended it.
   */
  async terminate(): Promise<number | string | null> {
    const code = await this.#program.end('SIGTERM');
    return code ?? this.#program.child.signalCode;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#program.end('SIGKILL');
  }
}
