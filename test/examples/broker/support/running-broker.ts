import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Broker } from '../../../../examples/broker/broker.ts';
import type { BrokerOptions } from '../../../../examples/broker/options.ts';

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
