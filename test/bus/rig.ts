// Members that record what they get, on a hub with a clock that the test moves, and an engine that
// does what the test says.

import type { Bus, BusOptions } from '../../src/bus/bus-options.ts';
import type { BusMember, HintValue } from '../../src/bus/membership/bus-member.ts';
import type { Transport, TransportLink } from '../../src/bus/transport.ts';
import { LocalHub } from '../../src/bus/transports/local-hub.ts';
import type { HubFaults } from '../../src/bus/transports/local-network.ts';
import { ManualClock } from '../../src/clock/manual-clock.ts';

/** A member that records what it gets. */
export class Listener implements BusMember {
  readonly name: string;
  readonly heard: (string | [string, HintValue])[] = [];
  sweeps = 0;
  watched = true;
  #end: ((tried: number) => void) | undefined;

  constructor(name: string) {
    this.name = name;
  }

  hinted(key: string, value: HintValue | undefined): boolean {
    this.heard.push(value === undefined ? key : [key, value]);
    return this.watched;
  }

  sweep(ended: (tried: number) => void): void {
    this.sweeps++;
    this.#end = ended;
  }

  endSweep(tried: number): void {
    this.#end?.(tried);
  }
}

export interface Process {
  readonly bus: Bus;
  readonly listener: Listener;
  publish(key: string, value?: HintValue): void;
  leave(): void;
  readonly errors: unknown[];
}

/** A hub on a ManualClock, and processes on it that each have one member. */
export class Rig {
  readonly clock: ManualClock = new ManualClock();
  readonly hub: LocalHub;

  constructor(options?: HubFaults, seed?: number) {
    this.hub = new LocalHub({ clock: this.clock, seed });
    if (options !== undefined) this.hub.disturb(options);
  }

  process(options?: BusOptions, name = 'orders'): Process {
    const errors: unknown[] = [];
    const bus = this.hub.bus({ onError: (error) => errors.push(error), ...options });
    const listener = new Listener(name);
    return { bus, listener, errors, ...bus.join(listener) };
  }
}

/** An engine that does what the test says. */
export class Puppet implements Transport {
  readonly engine = 'puppet';
  link!: TransportLink;
  connects = 0;
  readonly sent: { text: string; resolve: () => void; reject: (error: unknown) => void }[] = [];

  connect(link: TransportLink): void {
    this.link = link;
    this.connects++;
  }

  publish(text: string): Promise<void> {
    if (text.includes('"bye":1')) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.sent.push({ text, resolve, reject });
    });
  }

  disconnect(): undefined {}

  /** The echo of its last frame comes. */
  echo(): void {
    this.link.received(this.sent.at(-1)?.text as string);
  }

  goLive(): void {
    this.link.up();
    this.echo();
  }
}
