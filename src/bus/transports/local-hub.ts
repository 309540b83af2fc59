// An engine in memory, for tests. Its buses get each other's hints as processes would.
//
// Ground rules. Without faults, everything happens at once, inside the call that publishes or
// advances the clock. So a test on a ManualClock needs no waiting. A bus that is cut knows it at
// once, and is live again as soon as it is mended. A bus that is muted must find out by its echo.

import { invalidArgValue } from '../../base/node-errors.ts';
import { type OptionNames, warnOfUnread } from '../../base/unread-options.ts';
import type { Clock } from '../../clock/clock.ts';
import { type Bus, type BusOptions, checkedBusOptions } from '../bus.ts';
import { HintBus } from '../hint-bus.ts';
import type { Transport, TransportLink } from '../transport.ts';
import { checkedFaults, type HubFaults, randomFrom } from './hub-faults.ts';

/** The options of a {@link LocalHub}. */
export interface LocalHubOptions extends HubFaults {
  /** Source of time for the hub and its buses: a ManualClock in tests. Default: the host's. */
  clock?: Clock | undefined;
}

const HUB_OPTIONS: OptionNames<LocalHubOptions> = {
  loss: true,
  duplication: true,
  reordering: true,
  delayMs: true,
  ackDelayMs: true,
  subscribeDelayMs: true,
  ackLoss: true,
  seed: true,
  clock: true,
};
/** By how much a frame that is out of order is late, in ms. */
const REORDERING_MS = 20;

/** Stands for an engine and its network. Each `bus()` is the bus of one process. */
export class LocalHub {
  readonly #clock: Clock;
  readonly #faults: Required<HubFaults>;
  readonly #random: () => number;
  readonly #lines = new Set<LocalLine>();
  readonly #lineOf = new WeakMap<Bus, LocalLine>();

  /** @throws TypeError, RangeError (Node's codes) for a bad option. */
  constructor(options?: LocalHubOptions) {
    this.#faults = checkedFaults(options);
    warnOfUnread('a LocalHub', options, HUB_OPTIONS);
    this.#clock = checkedBusOptions({ clock: options?.clock }).clock;
    this.#random = randomFrom(this.#faults.seed);
  }

  /**
   * Makes a bus, which stands for another process. @throws TypeError, RangeError (Node's codes) for
   * a bad option.
   */
  bus(options?: BusOptions): Bus {
    const checked = checkedBusOptions(options, { clock: this.#clock });
    const line = new LocalLine(checked.prefix, this);
    this.#lines.add(line);
    const bus = new HintBus(line, checked, this.#random);
    this.#lineOf.set(bus, line);
    return bus;
  }

  /**
   * Breaks the connection of `bus`, or of all; it notices at once.
   *
   * @throws TypeError for a bus of another hub.
   */
  cut(bus?: Bus): void {
    for (const line of this.#linesOf(bus)) line.cut();
  }

  /**
   * Drops silently all that `bus`, or any bus, sends and should receive. Only the missing echo
   * shows it. @throws as `cut`.
   */
  mute(bus?: Bus): void {
    for (const line of this.#linesOf(bus)) line.isMuted = true;
  }

  /**
   * Ends `cut` and `mute`. A bus that was cut connects at once. One that was muted finds out by its
   * next echo. @throws as `cut`.
   */
  mend(bus?: Bus): void {
    for (const line of this.#linesOf(bus)) line.mend();
  }

  #linesOf(bus: Bus | undefined): Iterable<LocalLine> {
    if (bus === undefined) return [...this.#lines];
    const line = this.#lineOf.get(bus);
    if (line === undefined) throw invalidArgValue('bus', 'must be a bus of this hub', bus);
    return [line];
  }

  /** @internal */
  $deliver(from: LocalLine, text: string, channel: string | undefined): void {
    for (const line of [...this.#lines]) {
      if (line.prefix !== from.prefix || !line.listensTo(channel) || this.#happens(this.#faults.loss))
        continue;
      this.#deliverTo(line, text);
      if (this.#happens(this.#faults.duplication)) this.#deliverTo(line, text);
    }
  }

  /**
   * Subscribes by `change`, and acknowledges; each with its fault. @internal
   */
  $subscribe(change: () => void): Promise<unknown> | undefined {
    const { ackDelayMs, subscribeDelayMs, ackLoss } = this.#faults;
    const isLost = this.#happens(ackLoss);
    if (subscribeDelayMs + ackDelayMs === 0 && !isLost) {
      change();
      return undefined;
    }
    return new Promise((resolve) => {
      this.#after(subscribeDelayMs, () => {
        change();
        if (!isLost) this.#after(ackDelayMs, () => resolve(undefined));
      });
    });
  }

  #after(ms: number, then: () => void): void {
    if (ms === 0) then();
    else this.#clock.wakeAt(this.#clock.now() + ms, then).unref?.();
  }

  #deliverTo(line: LocalLine, text: string): void {
    const { delayMs, reordering } = this.#faults;
    const lateMs = this.#happens(reordering) ? this.#random() * REORDERING_MS : 0;
    this.#after(delayMs + lateMs, () => line.receive(text));
  }

  #happens(probability: number): boolean {
    return probability > 0 && this.#random() < probability;
  }
}

/** The connection of one bus. */
class LocalLine implements Transport {
  readonly engine = 'local';
  readonly prefix: string;
  readonly #hub: LocalHub;
  /** Of this connection: a new one has a new Set. */
  #channels = new Set<string>();
  isMuted = false;
  #isCut = false;
  /** The last link that the bus has given. A mended line connects again with it. */
  #link: TransportLink | undefined;
  #isConnected = false;

  constructor(prefix: string, hub: LocalHub) {
    this.prefix = prefix;
    this.#hub = hub;
  }

  /** @param channel undefined: that of all. */
  listensTo(channel: string | undefined): boolean {
    return channel === undefined || this.#channels.has(channel);
  }

  connect(link: TransportLink): void {
    this.#link = link;
    if (this.#isCut) throw new Error('The bus is cut off its hub');
    this.#isConnected = true;
    link.up();
  }

  publish(text: string): undefined {
    this.publishTo(undefined, text);
  }

  publishTo(channel: string | undefined, text: string): undefined {
    this.#checkConnected();
    if (!this.isMuted) this.#hub.$deliver(this, text, channel);
  }

  subscribe(channels: readonly string[]): Promise<unknown> | undefined {
    return this.#change('add', channels);
  }

  unsubscribe(channels: readonly string[]): Promise<unknown> | undefined {
    return this.#change('delete', channels);
  }

  #change(how: 'add' | 'delete', channels: readonly string[]): Promise<unknown> | undefined {
    this.#checkConnected();
    const subscribed = this.#channels;
    return this.#hub.$subscribe(() => {
      for (const channel of channels) subscribed[how](channel);
    });
  }

  disconnect(): undefined {
    this.#isConnected = false;
    this.#channels = new Set();
  }

  #checkConnected(): void {
    if (!this.#isConnected) throw new Error('The bus is cut off its hub');
  }

  receive(text: string): void {
    if (this.#isConnected && !this.isMuted) this.#link?.received(text);
  }

  cut(): void {
    this.#isCut = true;
    this.#link?.down(new Error('The bus was cut off its hub'));
  }

  mend(): void {
    this.isMuted = false;
    this.#isCut = false;
    this.#link?.retry();
  }
}
