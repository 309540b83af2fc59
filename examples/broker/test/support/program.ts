// A program in a process of its own, that tells by its lines what it does.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

export class Program {
  readonly child: ChildProcess;
  /** Of both streams, in the order in which they came. */
  readonly lines: string[] = [];
  stdout = '';
  stderr = '';
  readonly #closed: Promise<unknown>;
  readonly #looks = new Set<() => void>();

  /** @param detached whether it has a process group of its own, which `kill` ends as a whole. */
  constructor(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}, detached = false) {
    this.child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, ...env },
      detached,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#closed = once(this.child, 'close');
    for (const name of ['stdout', 'stderr'] as const) {
      let rest = '';
      this.child[name]?.setEncoding('utf8').on('data', (text: string) => {
        this[name] += text;
        const read = (rest + text).split('\n');
        rest = read.pop() as string;
        this.lines.push(...read);
        for (const look of [...this.#looks]) look();
      });
    }
  }

  get pid(): number {
    return this.child.pid as number;
  }

  get isOver(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** Resolves once `count` lines match. Rejects with what it has printed when it ends before. */
  printed(pattern: RegExp, count = 1): Promise<RegExpExecArray[]> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const found = this.lines.map((line) => pattern.exec(line)).filter((match) => match !== null);
        if (found.length < count) return;
        this.#looks.delete(look);
        resolve(found);
      };
      this.#looks.add(look);
      look();
      void this.#closed.then(() => reject(new Error(`it has ended: ${this.stdout}${this.stderr}`)));
    });
  }

  /** Resolves with the exit code when it has ended. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    if (!this.isOver) {
      this.child.kill(signal);
      await this.#closed;
    }
    return this.child.exitCode;
  }

  /** Ends its process group, where it is not over. */
  kill(): void {
    if (!this.isOver) process.kill(-this.pid, 'SIGKILL');
  }
}
