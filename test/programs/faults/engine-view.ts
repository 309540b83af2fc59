// A Redis or NATS server of its own, and what it says of itself: for the rows of interest routing.
import { readFileSync } from 'node:fs';
import { Redis } from 'ioredis';
import { type Engine, startNats, startRedis, TcpProxy } from '../../support/engines.ts';
import { freePort } from '../../support/free-ports.ts';
import type { EngineName } from './fleet.ts';
import type { Result } from './row.ts';

export class EngineView {
  readonly name: EngineName;
  readonly engine: Engine;
  readonly proxy: TcpProxy;
  /** The port on which NATS tells its numbers. */
  readonly #monitor: number;
  /** NATS has subscriptions of its own. */
  #ownChannels = 0;

  private constructor(name: EngineName, engine: Engine, proxy: TcpProxy, monitor: number) {
    this.name = name;
    this.engine = engine;
    this.proxy = proxy;
    this.#monitor = monitor;
  }

  static async start(name: EngineName): Promise<EngineView> {
    const monitor = await freePort();
    const engine = await (name === 'redis' ? startRedis() : startNats(['-m', `${monitor}`]));
    const view = new EngineView(name, engine, await new TcpProxy(engine.port).start(), monitor);
    if (name === 'nats') view.#ownChannels = await view.#nats('subscriptions');
    return view;
  }

  /** Bytes that it has sent to its clients. */
  sentBytes(): Promise<number> {
    return this.name === 'redis' ? this.#redis('stats', 'total_net_output_bytes') : this.#nats('out_bytes');
  }

  /** Channels that somebody has subscribed to. */
  async channels(): Promise<number> {
    if (this.name === 'nats') return (await this.#nats('subscriptions')) - this.#ownChannels;
    return this.#redis('stats', 'pubsub_channels');
  }

  /** The memory that it takes of the machine. */
  residentBytes(): number {
    const status = readFileSync(`/proc/${this.engine.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1_024;
  }

  /** The time that it has spent on a CPU, in ms. */
  cpuMs(): number {
    const fields = readFileSync(`/proc/${this.engine.pid}/stat`, 'utf8').split(') ')[1].split(' ');
    const MS_A_TICK = 10; // of Linux, as it tells programs
    return (Number(fields[11]) + Number(fields[12])) * MS_A_TICK;
  }

  /** Ends the connections that subscribe, as an operator would. NATS 2.9 has no command for it. */
  async killSubscribers(): Promise<void> {
    if (this.name === 'nats') this.proxy.sever();
    else await this.#ask((admin) => admin.call('CLIENT', 'KILL', 'TYPE', 'pubsub'));
  }

  async end(): Promise<void> {
    await this.proxy.stop();
    await this.engine.stop();
  }

  async #ask<T>(question: (admin: Redis) => Promise<T>): Promise<T> {
    const admin = new Redis(this.engine.port, '127.0.0.1');
    try {
      return await question(admin);
    } finally {
      admin.disconnect();
    }
  }

  async #redis(section: string, field: string): Promise<number> {
    const info = await this.#ask((admin) => admin.info(section));
    return Number(new RegExp(`${field}:(\\d+)`).exec(info)?.[1]);
  }

  async #nats(field: string): Promise<number> {
    const answer = await fetch(`http://127.0.0.1:${this.#monitor}/varz`);
    return ((await answer.json()) as Record<string, number>)[field];
  }
}

/** @param use gets the server, and the port on which it listens. */
export async function withView(
  engine: EngineName,
  use: (view: EngineView, port: number) => Promise<Result[]>,
): Promise<Result[]> {
  const view = await EngineView.start(engine);
  try {
    return await use(view, view.engine.port);
  } finally {
    await view.end();
  }
}
