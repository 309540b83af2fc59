import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Broker } from '../../../../examples/broker/broker.ts';
import type { BrokerOptions } from '../../../../examples/broker/options.ts';
import { WireClient } from './wire-client.ts';

export interface RunningBroker {
  readonly broker: Broker;
  readonly port: number;
  readonly http: number;
  readonly address: string;
  /** What the broker has logged. */
  readonly lines: string[];
}

let folders: string | undefined;

/** A new folder for data, removed when this process ends. */
export function dataFolder(): string {
  if (folders === undefined) {
    const created = mkdtempSync(join(tmpdir(), 'purgatory-broker-'));
    process.once('exit', () => rmSync(created, { recursive: true, force: true }));
    folders = created;
  }
  return mkdtempSync(join(folders, 'data-'));
}

/** A broker on free ports, in this process. */
export async function startBroker(options: Partial<BrokerOptions> = {}): Promise<RunningBroker> {
  const lines: string[] = [];
  const broker = new Broker({ port: 0, http: 0, data: dataFolder(), ...options }, (line) => lines.push(line));
  const { port, http } = await broker.start();
  return { broker, port, http, address: `127.0.0.1:${port}`, lines };
}

/** The broker of the test that runs. */
export interface BrokerOfTest extends Pick<RunningBroker, 'broker' | 'lines'> {
  /** A connection of its own, closed when the test ends. */
  newClient(): Promise<WireClient>;
}

/**
 * To be called in a suite: each test has a broker of its own. One that makes it log anything has to
 * take the lines out of `lines`.
 */
export function brokerOfEachTest(options: Partial<BrokerOptions> = {}): BrokerOfTest {
  let running: RunningBroker;
  const clients: WireClient[] = [];

  beforeEach(async () => {
    running = await startBroker(options);
  });

  afterEach(async () => {
    for (const client of clients.splice(0)) client.destroy();
    await running.broker.stop();
    expect(running.lines).to.deep.equal([]);
  });

  return {
    get broker() {
      return running.broker;
    },
    get lines() {
      return running.lines;
    },
    async newClient() {
      const client = await WireClient.connect(running.port);
      clients.push(client);
      return client;
    },
  };
}
