// An engine in memory, for tests. Its buses get each other's hints as processes would.
//
// Ground rules. Without faults, everything happens at once, inside the call that publishes or
// advances the clock. So a test on a ManualClock needs no waiting. A bus that is cut knows it at
// once, and is live again as soon as it is mended. A bus that is muted must find out by its echo.

import type { Clock } from '../../clock/clock.ts';
import { invalidArgValue } from '../../node-errors.ts';
import { type Bus, type BusOptions, checkedBusOptions } from '../bus.ts';
import { HintBus } from '../hint-bus.ts';
import type { Transport, TransportLink } from '../transport.ts';
import { checkedFaults, type HubFaults, randomFrom } from './hub-faults.ts';

/** The options of a {@link LocalHub}. */
export interface LocalHubOptions extends HubFaults {
  /** Source of time for the hub and its buses: a ManualClock in tests. Default: the host's. */
  clock?: Clock | undefined;
}

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
    this.#clock = checkedBusOptions({ clock: options?.clock }).clock;
    this.#random = randomFrom(this.#faults.seed);
  }

  /**
   * Makes a bus, which stands for another process. @throws TypeError, RangeError (Node's codes) for
   * a bad option.
   */
  bus(options?: BusOptions): Bus {
    const checked = checkedBusOptions(options, { clock: this.#clock });
    const line = new LocalLine(checked.prefix, (text) => this.#deliver(line, text));
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

  #deliver(from: LocalLine, text: string): void {
    for (const line of [...this.#lines]) {
      if (line.channel !== from.channel || this.#happens(this.#faults.loss)) continue;
      this.#deliverTo(line, text);
      if (this.#happens(this.#faults.duplication)) this.#deliverTo(line, text);
    }
  }

  #deliverTo(line: LocalLine, text: string): void {
    const { delayMs, reordering } = this.#faults;
    const lateMs = this.#happens(reordering) ? this.#random() * REORDERING_MS : 0;
    const waitMs = delayMs + lateMs;
    if (waitMs === 0) line.receive(text);
    else this.#clock.wakeAt(this.#clock.now() + waitMs, () => line.receive(text)).unref?.();
  }

  #happens(probability: number): boolean {
    return probability > 0 && this.#random() < probability;
  }
}

/** The connection of one bus. */
class LocalLine implements Transport {
  readonly engine = 'local';
  readonly channel: string;
  readonly #deliver: (text: string) => void;
  isMuted = false;
  #isCut = false;
  /** The last link that the bus has given. A mended line connects again with it. */
  #link: TransportLink | undefined;
  #isConnected = false;

  constructor(channel: string, deliver: (text: string) => void) {
    this.channel = channel;
    this.#deliver = deliver;
  }

  connect(link: TransportLink): void {
    this.#link = link;
    if (this.#isCut) throw new Error('The bus is cut off its hub');
    this.#isConnected = true;
    link.up();
  }

  publish(text: string): undefined {
    if (!this.#isConnected) throw new Error('The bus is cut off its hub');
    if (!this.isMuted) this.#deliver(text);
  }

  disconnect(): undefined {
    this.#isConnected = false;
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
