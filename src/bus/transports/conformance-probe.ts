// What the cases of the conformance suite are made of: the probe of a transport, and its texts.
//
// Ground rules. A probe belongs to one case, which disconnects it.
import { deepStrictEqual, ok } from 'node:assert/strict';
import { hostPause } from '../../base/host.ts';
import { PROTOCOL_VERSION } from '../frames.ts';
import type { Transport, TransportLink } from '../transport.ts';

/** One case. It fails by throwing an AssertionError. */
export interface ConformanceCase {
  readonly title: string;
  run(): Promise<void>;
}

/** A text that no other case publishes. To a bus that it comes to later, it is a frame without hints. */
export function mark(text: string): string {
  return JSON.stringify({ v: PROTOCOL_VERSION, text, mark: Math.random() });
}

/** A transport, and what it reported to its last link. */
export class Probe {
  readonly transport: Transport;
  readonly texts: string[] = [];
  readonly errors: unknown[] = [];
  ups = 0;
  #link: TransportLink | undefined;

  constructor(transport: Transport) {
    this.transport = transport;
  }

  connect(): void {
    const isCurrent = (): boolean => link === this.#link;
    const link: TransportLink = {
      up: () => void (isCurrent() && this.ups++),
      received: (text) => void (isCurrent() && this.texts.push(text)),
      down: (error) => void (isCurrent() && this.errors.push(error)),
      retry: () => {},
    };
    this.#link = link;
    this.transport.connect(link);
  }

  has(text: string): boolean {
    return this.texts.includes(text);
  }

  async disconnect(): Promise<void> {
    this.#link = undefined;
    await this.transport.disconnect();
  }
}

/** What a case does with its probes. */
export type UseProbes = (...probes: Probe[]) => Promise<void>;

/** What the cases wait with, and what they look through. */
export interface Probing {
  until(what: string, holds: () => boolean): Promise<void>;
  /** Connects so many probes, uses them, and disconnects them. */
  withProbes(count: number, use: UseProbes): Promise<void>;
}

export function probing(makeTransport: () => Transport | Promise<Transport>, patienceMs: number): Probing {
  const until = async (what: string, holds: () => boolean): Promise<void> => {
    for (const endMs = Date.now() + patienceMs; !holds(); await hostPause(2)) {
      ok(Date.now() < endMs, `not within ${patienceMs} ms: ${what}`);
    }
  };
  const withProbes = async (count: number, use: UseProbes): Promise<void> => {
    const probes: Probe[] = [];
    for (let made = 0; made < count; made++) probes.push(new Probe(await makeTransport()));
    try {
      for (const probe of probes) {
        probe.connect();
        await until('the subscription is acknowledged', () => probe.ups > 0 || probe.errors.length > 0);
        deepStrictEqual(probe.errors, []);
      }
      await use(...probes);
    } finally {
      await Promise.all(probes.map((probe) => probe.disconnect()));
    }
  };
  return { until, withProbes };
}
