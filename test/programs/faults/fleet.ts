// An engine and its processes: starts them, sends orders, collects reports, ends them.
import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { relayBus } from '../../../src/bus/transports/cluster.ts';
import { bundled } from '../../support/bundled.ts';
import { type Engine, startNats, startPostgres, startRedis, TcpProxy } from '../../support/engines.ts';
import { LIMIT_MS } from '../../support/limit.ts';
import type { Order, Report } from './member.ts';
import { SharedState } from './shared-state.ts';
import { startThread } from './thread.ts';

export type EngineName = 'redis' | 'nats' | 'postgres' | 'cluster' | 'workers';

const STARTERS = { redis: startRedis, nats: startNats, postgres: startPostgres };

export class Fleet {
  readonly engineName: EngineName;
  readonly keys: number;
  /** Undefined for node:cluster and worker threads, whose engine is this process. */
  engine: Engine | undefined;
  proxy: TcpProxy | undefined;
  readonly members: Worker[] = [];
  readonly #folder = mkdtempSync(join(tmpdir(), 'purgatory-faults-'));
  #relay: { close(): void } | undefined;

  constructor(engineName: EngineName, keys: number) {
    this.engineName = engineName;
    this.keys = keys;
  }

  /** Starts `count` members, which have a share of the keys parked each. */
  async start(count: number, timeoutMs = 300_000): Promise<this> {
    const path = join(this.#folder, 'state');
    writeFileSync(path, '');
    truncateSync(path, SharedState.size(this.keys));
    if (this.engineName === 'cluster') this.#relay = relayBus();
    else if (this.engineName !== 'workers') {
      this.engine = await STARTERS[this.engineName]();
      this.proxy = await new TcpProxy(this.engine.port).start();
    }
    const port = `${this.proxy?.port ?? 0}`;
    const args = [this.engineName, port, path, `${this.keys}`];
    const exec = await bundled('test/programs/faults/member.ts');
    cluster.setupPrimary({ exec, args });
    const source = new URL('./member.ts', import.meta.url);
    for (let member = 0; member < count; member++) {
      this.members.push(this.engineName === 'workers' ? startThread(source, args) : cluster.fork());
    }
    await Promise.all(this.members.map((worker) => this.#isReady(worker)));
    await this.until('all are live', (reports) => reports.every(({ state }) => state === 'live'));
    const share = Math.ceil(this.keys / count);
    await Promise.all(
      this.members.map((worker, index) => {
        const to = Math.min(this.keys, (index + 1) * share);
        return this.order(worker, { do: 'park', from: index * share, to, timeoutMs });
      }),
    );
    await this.all({ do: 'begin' });
    return this;
  }

  /** Sends an order. Resolves with the report that answers it. */
  async order(worker: Worker, order: Order): Promise<Report> {
    const answer = this.#answerOf(worker);
    worker.send(order);
    return answer;
  }

  all(order: Order): Promise<Report[]> {
    return Promise.all(this.members.map((worker) => this.order(worker, order)));
  }

  /** Orders members to change keys of all, `rate` a second together. */
  async load(rate: number, members: readonly Worker[] = this.members): Promise<void> {
    // Each key has one writer: the members share the keys in slices.
    const slice = Math.floor(this.keys / members.length);
    await Promise.all(
      members.map((worker, index) => {
        // A member does not write its own share, so changes come from elsewhere.
        const from = ((index + 1) % members.length) * slice;
        return this.order(worker, { do: 'load', from, to: from + slice, rate: rate / members.length });
      }),
    );
  }

  /** Asks all members again and again. Resolves with the ms that it took until `holds`. */
  async until(
    what: string,
    holds: (reports: Report[]) => boolean,
    members: readonly Worker[] = this.members,
  ): Promise<number> {
    const beganMs = performance.now();
    for (;;) {
      const reports = await Promise.all(members.map((worker) => this.order(worker, { do: 'report' })));
      const ms = performance.now() - beganMs;
      if (holds(reports)) return ms;
      if (ms > LIMIT_MS) throw new Error(`Not within ${LIMIT_MS / 1_000} s: ${what}`);
      await sleep(25);
    }
  }

  async end(): Promise<void> {
    await Promise.all(
      this.members.map(async (worker) => {
        const gone = once(worker, 'exit');
        worker.send({ do: 'end' } satisfies Order);
        await gone;
      }),
    );
    this.#relay?.close();
    await this.proxy?.stop();
    await this.engine?.stop();
    rmSync(this.#folder, { recursive: true });
  }

  #isReady(worker: Worker): Promise<unknown> {
    return new Promise((resolve, reject) => {
      worker.on('message', (message) => {
        if (message === 'ready') resolve(undefined);
      });
      worker.on('exit', () => reject(new Error('A member ended')));
    });
  }

  #answerOf(worker: Worker): Promise<Report> {
    return new Promise((resolve) => {
      const receive = (message: unknown): void => {
        if (typeof message !== 'object' || message === null || !('overdue' in message)) return;
        worker.off('message', receive);
        resolve(message as Report);
      };
      worker.on('message', receive);
    });
  }
}
