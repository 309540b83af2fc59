/** A broker in a process of its own, which can be killed and stopped. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { bundled } from '../../../support/bundled.ts';
import { uncovered } from '../../../support/uncovered.ts';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
// What a child process does is not what the coverage of this run is about.
const env = uncovered();

export class BrokerProcess {
  readonly child: ChildProcess;
  /** The ports that it said are ready. */
  readonly ports: number[] = [];
  stderr = '';

  private constructor(child: ChildProcess) {
    this.child = child;
    child.stderr?.on('data', (chunk) => {
      this.stderr += chunk;
    });
  }

  /**
   * Runs main.ts; resolves when it has said `ready` that many times. `variables` are added to its
   * environment.
   */
  static async start(
    args: readonly string[],
    readyLines = 1,
    variables: NodeJS.ProcessEnv = {},
  ): Promise<BrokerProcess> {
    const child = spawn(process.execPath, [await bundled('examples/broker/main.ts'), ...args], {
      cwd: root,
      env: { ...env, ...variables },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const started = new BrokerProcess(child);
    const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
    lines.on('line', (line) => {
      const ready = /^ready 127\.0\.0\.1:(\d+)$/.exec(line);
      if (ready) started.ports.push(Number(ready[1]));
    });
    while (started.ports.length < readyLines) {
      const ended = once(lines, 'close').then(() => true);
      const closed = await Promise.race([ended, once(lines, 'line').then(() => false)]);
      if (closed) throw new Error(`the broker ended: ${started.stderr}`);
    }
    return started;
  }

  get pid(): number {
    return this.child.pid as number;
  }

  /** Resolves when it has ended. */
  async end(signal: NodeJS.Signals): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exit = once(this.child, 'exit');
    this.child.kill(signal);
    await exit;
  }
}
