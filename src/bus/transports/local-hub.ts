// An engine in memory, for tests. Its buses get each other's hints as processes would.
//
// Ground rules. Everything happens at once, inside the call that publishes or
// advances the clock. So a test on a ManualClock needs no waiting. A bus that is cut knows it at
// once, and is live again as soon as it is mended. A bus that is muted must find out by its echo.

import { invalidArgValue } from '../../base/node-errors.ts';
import { knownOptions, type OptionNames } from '../../base/unread-options.ts';
import type { Clock } from '../../clock/clock.ts';
import { HintBus } from '../bus.ts';
import { type Bus, type BusOptions, type CheckedBusOptions, checkedBusOptions } from '../bus-options.ts';
import type { Transport, TransportLink } from '../transport.ts';

/** The options of a {@link LocalHub}. */
export interface LocalHubOptions {
  /** Source of time for the buses of the hub: a ManualClock in tests. Default: the host's. */
  clock?: Clock | undefined;
}

const HUB_OPTIONS: OptionNames<LocalHubOptions> = { clock: true };

/** Stands for an engine and its network. Each `bus()` is the bus of one process. */
export class LocalHub {
  readonly #clock: Clock;
  readonly #lines = new Set<LocalLine>();

  /** @throws TypeError, RangeError (Node's codes) for a bad option. */
  constructor(options?: LocalHubOptions) {
    const { clock } = knownOptions('a LocalHub', options, HUB_OPTIONS);
    this.#clock = checkedBusOptions({ clock }).clock;
  }

  /**
   * Makes a bus, which stands for another process. @throws TypeError, RangeError (Node's codes) for
   * a bad option.
   */
  bus(options?: BusOptions): Bus {
    const checked = checkedBusOptions(options, { clock: this.#clock });
    const line = new LocalLine(checked.prefix, this.#lines);
    this.#lines.add(line);
    line.bus = this.$busOver(line, checked);
    return line.bus;
  }

  /** A test puts faults between the two. @internal */
  $busOver(line: Transport, options: CheckedBusOptions): Bus {
    return new HintBus(line, options, Math.random);
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

  #linesOf(bus: Bus | undefined): LocalLine[] {
    const lines = [...this.#lines].filter((line) => bus === undefined || line.bus === bus);
    if (bus !== undefined && lines.length === 0)
      throw invalidArgValue('bus', 'must be a bus of this hub', bus);
    return lines;
  }
}

/** The connection of one bus. */
class LocalLine implements Transport {
  readonly engine = 'local';
  readonly #prefix: string;
  /** Those of the hub. */
  readonly #lines: Iterable<LocalLine>;
  readonly #channels = new Set<string>();
  bus: Bus | undefined;
  isMuted = false;
  #isCut = false;
  /** The last link that the bus has given. A mended line connects again with it. */
  #link: TransportLink | undefined;
  #isConnected = false;

  constructor(prefix: string, lines: Iterable<LocalLine>) {
    this.#prefix = prefix;
    this.#lines = lines;
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

  /** @param channel undefined: that of all. */
  publishTo(channel: string | undefined, text: string): undefined {
    if (this.isMuted) return;
    for (const line of [...this.#lines]) {
      const listens = channel === undefined || line.#channels.has(channel);
      if (listens && line.#prefix === this.#prefix) line.#receive(text);
    }
  }

  subscribe(channels: readonly string[]): undefined {
    for (const channel of channels) this.#channels.add(channel);
  }

  unsubscribe(channels: readonly string[]): undefined {
    for (const channel of channels) this.#channels.delete(channel);
  }

  disconnect(): undefined {
    this.#isConnected = false;
    this.#channels.clear();
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

  #receive(text: string): void {
    if (this.#isConnected && !this.isMuted) this.#link?.received(text);
  }
}
