// A transport under test, and what it reported to its last link.
//
// Ground rules. It belongs to one conformance case, which disconnects it.
import type { Transport, TransportLink } from '../transport.ts';

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

  async disconnect(): Promise<void> {
    this.#link = undefined;
    await this.transport.disconnect();
  }
}
