/**
 * Runs a cluster on this machine: a process per node, which are this program again with `--node I`.
 *
 * Owns the processes. They stop when their channel to the launcher closes, so none outlives it. A
 * node that ends is not started again: who killed it may want to see what that does, and then runs
 * it with its `--node`.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { BrokerOptions } from './options.ts';

/** What a node tells the launcher when clients can connect to it. */
export interface NodeReady {
  readonly port: number;
  readonly http: number;
}

export class Launcher {
  readonly #nodes: readonly ChildProcess[];

  constructor({ nodes }: BrokerOptions, log: (line: string) => void) {
    this.#nodes = Array.from({ length: nodes }, (_, id) => {
      const child = fork(process.argv[1], [...process.argv.slice(2), '--node', String(id)], {
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      });
      child.on('exit', (code, signal) => {
        if (code !== 0) log(`node ${id} (process ${child.pid}) ended: ${signal ?? `exit code ${code}`}`);
      });
      return child;
    });
  }

  /**
   * Resolves to the ports and process ids of all nodes, in their order. Rejects when one ends
   * before it is ready; all are stopped then.
   */
  async start(): Promise<(NodeReady & { pid: number })[]> {
    try {
      return await Promise.all(
        this.#nodes.map(async (child, id) => {
          const ended = once(child, 'exit').then(() => Promise.reject(new Error(`node ${id} did not start`)));
          const [ready] = (await Promise.race([once(child, 'message'), ended])) as [NodeReady];
          ended.catch(() => {});
          return { ...ready, pid: child.pid as number };
        }),
      );
    } catch (error) {
      this.stop();
      throw error;
    }
  }

  stop(): void {
    for (const child of this.#nodes) if (child.connected) child.disconnect();
  }
}
