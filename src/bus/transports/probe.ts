// What the cases of the conformance suite are made of: the probe of a transport, and its texts.
//
// Ground rules. A probe belongs to one case, which disconnects it.
import type { Transport, TransportLink } from '../transport.ts';

/** One case. It fails by throwing an AssertionError. */
export interface ConformanceCase {
  readonly title: string;
  run(): Promise<void>;
}

/** A text that no other case publishes. */
export function mark(text: string): string {
  return JSON.stringify([text, Math.random()]);
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

  connect(): this {
    const link: TransportLink = {
      up: () => {
        if (link === this.#link) this.ups++;
      },
      received: (text) => {
        if (link === this.#link) this.texts.push(text);
      },
      down: (error) => {
        if (link === this.#link) this.errors.push(error);
      },
      retry: () => {},
    };
    this.#link = link;
    this.transport.connect(link);
    return this;
  }

  has(text: string): boolean {
    return this.texts.includes(text);
  }

  async disconnect(): Promise<void> {
    this.#link = undefined;
    await this.transport.disconnect();
  }
}
