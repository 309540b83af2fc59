// A broker in a process of its own. It is bundled, once for each process of the soak, so that it
// starts in a fifth of a second.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const entry = fileURLToPath(new URL('../../../../examples/broker/main.ts', import.meta.url));
/** In the package's own folder. There the name of the package resolves to its build. */
const bundle = fileURLToPath(new URL(`../build/broker-${process.pid}.js`, import.meta.url));
let built: Promise<unknown> | undefined;

async function makeBundle(): Promise<void> {
  process.once('exit', () => rmSync(bundle, { force: true }));
  const options = { bundle: true, platform: 'node', format: 'esm', packages: 'external' } as const;
  await build({ ...options, entryPoints: [entry], outfile: bundle, logLevel: 'warning' });
}

export class BundledBroker {
  readonly #child: ChildProcess;
  readonly port: number;
  readonly #said: string[];

  private constructor(child: ChildProcess, port: number, said: string[]) {
    this.#child = child;
    this.port = port;
    this.#said = said;
  }

  /** Resolves when it is ready. */
  static async start(args: readonly string[]): Promise<BundledBroker> {
    built ??= makeBundle();
    await built;
    const child = spawn(process.execPath, [bundle, '--port', '0', '--http', '0', ...args], {
      // The broker stops when the channel closes. So it does not outlive this process, however this
      // process ends.
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    const said: string[] = [];
    createInterface({ input: child.stderr as Readable }).on('line', (line) => said.push(line));
    const lines = createInterface({ input: child.stdout as Readable });
    for await (const line of lines) {
      const ready = /^ready 127\.0\.0\.1:(\d+)$/.exec(line);
      if (ready !== null) return new BundledBroker(child, Number(ready[1]), said);
    }
    throw new Error(`the broker ended: ${said.join('\n')}`);
  }

  /** What it has written to stderr, without the lines about a tail that a kill has torn. */
  get complaints(): readonly string[] {
    return this.#said.filter((line) => !line.startsWith('cut a torn tail'));
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exit = once(this.#child, 'exit');
    this.#child.kill(signal);
    await exit;
  }
}
