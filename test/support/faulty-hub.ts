// A LocalHub with the faults of real networks, and worse ones.
//
// Ground rules. The faults stand between a bus and its line: what the line hands over may be lost,
// come twice or late, and subscriptions take their time. All random choices come from one seed, so
// a run can be repeated.

import { HintBus } from '../../src/bus/bus.ts';
import type { Bus, CheckedBusOptions } from '../../src/bus/bus-options.ts';
import { frameText } from '../../src/bus/frames.ts';
import type { Transport } from '../../src/bus/transport.ts';
import { LocalHub } from '../../src/bus/transports/local-hub.ts';
import type { Clock } from '../../src/clock/clock.ts';
import { Random } from './random.ts';

/** A probability is from 0 to 1. All default to 0. */
export interface HubFaults {
  /** The probability that a frame does not reach a bus. */
  readonly loss?: number;
  /** The probability that it reaches a bus twice. */
  readonly duplication?: number;
  /** The probability that it arrives after frames that were published later. */
  readonly reordering?: number;
  /** How long a frame takes, in ms. */
  readonly delayMs?: number;
  /** How long an acknowledgement of a subscription takes, in ms, once the hub has subscribed. */
  readonly ackDelayMs?: number;
  /** How long after the call the hub subscribes, in ms. */
  readonly subscribeDelayMs?: number;
  /** The probability that an acknowledgement never comes. */
  readonly ackLoss?: number;
  readonly seed?: number;
}

/** By how much a frame that is out of order is late, in ms. */
const REORDERING_MS = 20;

export class FaultyHub extends LocalHub {
  readonly #clock: Clock;
  readonly #faults: HubFaults;
  readonly #random: () => number;
  #line: Transport | undefined;

  constructor({ clock, ...faults }: HubFaults & { readonly clock: Clock }) {
    super({ clock });
    this.#clock = clock;
    this.#faults = faults;
    const random = new Random(faults.seed ?? 1);
    this.#random = () => random.below(2 ** 32) / 2 ** 32;
  }

  override $busOver(line: Transport, options: CheckedBusOptions): Bus {
    this.#line = line;
    return new HintBus(this.#faulty(line), options, this.#random);
  }

  /** A stranger publishes a frame in the name of `bus`, with any number. */
  forge(bus: Bus, number: number): void {
    void this.#line?.publish(frameText('', bus.snapshot().origin, { number, previous: undefined }));
  }

  #faulty(line: Transport): Transport {
    const { loss, duplication, ackDelayMs = 0, subscribeDelayMs = 0, ackLoss } = this.#faults;
    let connection = {};
    const change =
      (what: 'subscribe' | 'unsubscribe') =>
      (channels: readonly string[]): Promise<unknown> | undefined => {
        const isLost = this.#happens(ackLoss);
        if (subscribeDelayMs + ackDelayMs === 0 && !isLost) return line[what]?.(channels);
        const ours = connection;
        return new Promise((resolve) => {
          this.#after(subscribeDelayMs, () => {
            if (ours === connection) line[what]?.(channels);
            if (!isLost) this.#after(ackDelayMs, () => resolve(undefined));
          });
        });
      };
    return {
      engine: line.engine,
      connect: (link) => {
        connection = {};
        const received = (text: string): void => {
          if (this.#happens(loss)) return;
          this.#deliver(text, link.received);
          if (this.#happens(duplication)) this.#deliver(text, link.received);
        };
        line.connect({ ...link, received });
      },
      publish: (text) => line.publish(text),
      publishTo: (channel, text) => line.publishTo?.(channel, text),
      subscribe: change('subscribe'),
      unsubscribe: change('unsubscribe'),
      disconnect: () => {
        connection = {};
        return line.disconnect();
      },
    };
  }

  #deliver(text: string, received: (text: string) => void): void {
    const { delayMs = 0, reordering } = this.#faults;
    const lateMs = this.#happens(reordering) ? this.#random() * REORDERING_MS : 0;
    this.#after(delayMs + lateMs, () => received(text));
  }

  #after(ms: number, then: () => void): void {
    if (ms === 0) then();
    else this.#clock.wakeAt(this.#clock.now() + ms, then).unref?.();
  }

  #happens(probability = 0): boolean {
    return probability > 0 && this.#random() < probability;
  }
}
