import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Broker } from '../../broker.ts';
import type { BrokerOptions } from '../../options.ts';
import type { BrokerStatus } from '../../status.ts';
import { freePorts } from './free-ports.ts';
import { until } from './turns.ts';
import { WireClient } from './wire-client.ts';

export interface RunningBroker {
  readonly broker: Broker;
  readonly port: number;
  readonly http: number;
  readonly address: string;
  /** What the broker has logged. */
  readonly lines: string[];
}

const folders = new Map<string, string>();

/** A new folder for data, removed when this process ends. */
export function dataFolder(parent = tmpdir()): string {
  let folder = folders.get(parent);
  if (folder === undefined) {
    const created = mkdtempSync(join(parent, 'purgatory-broker-'));
    process.once('exit', () => rmSync(created, { recursive: true, force: true }));
    folder = created;
    folders.set(parent, folder);
  }
  return mkdtempSync(join(folder, 'data-'));
}

/** A broker on free ports, in this process. */
export async function startBroker(options: Partial<BrokerOptions> = {}): Promise<RunningBroker> {
  const lines: string[] = [];
  const broker = new Broker({ port: 0, http: 0, data: dataFolder(), ...options }, (line) => lines.push(line));
  const { port, http } = await broker.start();
  return { broker, port, http, address: `127.0.0.1:${port}`, lines };
}

/** The nodes of a cluster on free ports, in this process. */
export async function startNodes(
  count: number,
  options: Partial<BrokerOptions> = {},
): Promise<RunningBroker[]> {
  const cluster = { nodes: count, port: await freePorts(count), ...options };
  return Promise.all(Array.from({ length: count }, (_, node) => startBroker({ ...cluster, node })));
}

/** The broker of the test that runs, over its restarts, and the connections to it. */
export class BrokerOfTest {
  data = '';
  /** The first of the connections. All of them are closed with the broker. */
  client!: WireClient;
  readonly #options: Partial<BrokerOptions>;
  readonly #clients: WireClient[] = [];
  #running!: RunningBroker;

  constructor(options: Partial<BrokerOptions>) {
    this.#options = options;
  }

  get address(): string {
    return this.#running.address;
  }

  get port(): number {
    return this.#running.port;
  }

  get http(): number {
    return this.#running.http;
  }

  get status(): BrokerStatus {
    return this.#running.broker.status();
  }

  /** Of the first topic. */
  partition(index = 0) {
    return this.status.topics[0].partitions[index];
  }

  group(groupId = 'g') {
    return this.status.groups.find(({ id }) => id === groupId);
  }

  /**
   * What it has logged since the last call, with PEER for where a client is. A test that makes it
   * log anything has to ask, or the broker's stop fails.
   */
  logged(): string[] {
    return this.#running.lines.splice(0).map((line) => line.replace(/127\.0\.0\.1(:\d+)?/, 'PEER'));
  }

  /** Until that many operations wait in a purgatory. */
  async untilParked(purgatory: 'fetch' | 'produce' | 'join', count: number): Promise<void> {
    await until(() => this.status.purgatories[purgatory].numDelayed === count, `${count} wait`);
  }

  /** Until that many connections are left. */
  async untilConnected(count: number): Promise<void> {
    await until(() => this.status.connections === count, `${count} are connected`);
  }

  async newClient(): Promise<WireClient> {
    const client = await WireClient.connect(this.#running.port);
    this.#clients.push(client);
    return client;
  }

  async start(options: Partial<BrokerOptions> = {}): Promise<void> {
    this.#running = await startBroker({ data: this.data, ...this.#options, ...options });
    this.client = await this.newClient();
  }

  async stop(): Promise<void> {
    for (const client of this.#clients.splice(0)) client.destroy();
    await this.#running.broker.stop();
    expect(this.logged(), 'what the broker had to complain of').to.deep.equal([]);
  }

  /** While its clients are there. */
  stopAlone(): Promise<void> {
    return this.#running.broker.stop();
  }

  async restart(options: Partial<BrokerOptions> = {}): Promise<void> {
    await this.stop();
    await this.start(options);
  }
}

/** To be called in a suite: each test has a broker with these topics, on a new folder. */
export function brokerOfEachTest(options: Partial<BrokerOptions> = {}, ...topics: string[]): BrokerOfTest {
  const broker = new BrokerOfTest(options);

  beforeEach(async () => {
    broker.data = dataFolder();
    await broker.start();
    if (topics.length > 0) await broker.client.createTopics(...topics);
  });

  afterEach(() => broker.stop());

  return broker;
}
