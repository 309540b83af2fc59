// An engine in memory, for tests. Its buses get each other's hints as processes would.
//
// Ground rules. Everything happens at once, inside the call that publishes or advances the clock, but
// for what the faults delay. So a test on a ManualClock needs no waiting. A bus that is cut knows it
// at once, and is live again as soon as it is mended. A bus that is muted must find out by its echo.
// What comes for a bus whose clock has turns of its own (`Clock.nextTurn`) comes in such a turn.

import { invalidArgValue } from '../../base/node-errors.ts';
import { type Checked, clockOr, numberOf, optional, type Rules, readOptions } from '../../base/options.ts';
import { noise, seeded } from '../../base/random.ts';
import type { Clock } from '../../clock/clock.ts';
import { systemClock } from '../../clock/system-clock.ts';
import { HintBus } from '../bus.ts';
import { type Bus, type BusOptions, checkedBusOptions } from '../bus-options.ts';
import type { Transport, TransportLink } from '../transport.ts';
import { type HubFaults, LocalNetwork, Way } from './local-network.ts';

/** The options of a {@link LocalHub}. */
export interface LocalHubOptions {
  /**
   * Source of time for the network, and for buses that have none of their own: a ManualClock in
   * tests. Default: the host's.
   */
  clock?: Clock | undefined;
  /**
   * An integer. All faults, and all that the buses choose at random, come from it: a run that does
   * the same is the same, and what is not sent leaves the faults of the rest as they were. Default:
   * Math.random.
   */
  seed?: number | undefined;
}

const HUB_OPTIONS: Rules<Checked<LocalHubOptions, 'seed'>> = {
  clock: clockOr(systemClock),
  seed: optional(numberOf({ min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER, integer: true })),
};

/** Stands for an engine and its network. Each `bus()` is the bus of one process. */
export class LocalHub {
  readonly #network: LocalNetwork;
  readonly #lines = new Set<LocalLine>();
  #made = 0;

  /** @throws TypeError, RangeError (Node's codes) for a bad option. */
  constructor(options?: LocalHubOptions) {
    const { clock, seed } = readOptions('a LocalHub', options, HUB_OPTIONS);
    this.#network = new LocalNetwork(clock, seed);
  }

  /**
   * Makes a bus, which stands for another process. @throws TypeError, RangeError (Node's codes) for
   * a bad option.
   */
  bus(options?: BusOptions): Bus {
    const { clock, seed } = this.#network;
    const number = this.#made++;
    const random = seed === undefined ? undefined : seeded(noise(seed, number) * 2 ** 32);
    const checked = checkedBusOptions(options, { clock, random });
    const line = new LocalLine(number, checked.prefix, checked.clock, this.#network, this.#lines);
    this.#lines.add(line);
    line.bus = new HintBus(line, checked);
    return line.bus;
  }

  /**
   * Changes the faults of the network, for what is sent from now on. They take the place of those
   * before: `disturb({})` ends them. @throws TypeError, RangeError (Node's codes) for a bad value.
   */
  disturb(faults: HubFaults): void {
    this.#network.disturb(faults);
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
   * Leaves the connection of `bus`, or of all, half open: what it sends ('out'), should receive
   * ('in'), or both, is held until `mend`, as by a router that is away. Another connection, which
   * the bus makes when its echo is missing, is sound. @throws as `cut`.
   */
  hold(bus?: Bus, way: 'in' | 'out' | 'both' = 'both'): void {
    for (const line of this.#linesOf(bus)) line.hold(way);
  }

  /**
   * Ends all connections, with their subscriptions, and what is on its way to the engine. Buses
   * notice at once, and connect again after their pause. `silent`: only the missing echo shows it.
   */
  restart({ silent = false }: { silent?: boolean | undefined } = {}): void {
    for (const line of this.#lines) line.break(silent ? undefined : 'The engine was restarted');
  }

  /**
   * Splits the engine: what `buses` send reaches them alone, and what the others send the others.
   * Nobody is told. @throws as `cut`.
   */
  split(buses: readonly Bus[]): void {
    const side = new Set(buses.flatMap((bus) => this.#linesOf(bus)));
    for (const line of this.#lines) line.isApart = side.has(line);
  }

  /**
   * Ends `cut`, `mute`, `hold` and `split`. A bus that was cut connects at once. One that was muted
   * finds out by its next echo. What was held arrives. @throws as `cut`.
   */
  mend(bus?: Bus): void {
    for (const line of this.#linesOf(bus)) line.mend();
  }

  /** A stranger publishes a text on the prefix. @internal */
  $publish(text: string, prefix = 'purgatory'): void {
    for (const line of this.#lines) line.deliver(prefix, false, undefined, text);
  }

  #linesOf(bus: Bus | undefined): LocalLine[] {
    const lines = [...this.#lines].filter((line) => bus === undefined || line.bus === bus);
    if (bus !== undefined && lines.length === 0 && !bus.isClosed)
      throw invalidArgValue('bus', 'must be a bus of this hub', bus);
    return lines;
  }
}

/** What a line makes anew each time it connects: real clients get answers by another socket. */
interface LocalConnection {
  readonly channels: Set<string>;
  readonly out: Way;
  readonly frames: Way;
  readonly answers: Way;
  /** The engine has lost it. */
  isLost: boolean;
}

/** The connection of one bus. */
class LocalLine implements Transport {
  readonly engine = 'local';
  readonly #number: number;
  readonly #prefix: string;
  readonly #clock: Clock;
  readonly #network: LocalNetwork;
  /** Those of the hub, until their buses close. */
  readonly #lines: Set<LocalLine>;
  bus: Bus | undefined;
  isMuted = false;
  /** It is on the other side of a split. */
  isApart = false;
  #isCut = false;
  /** The last link that the bus has given. A mended line connects again with it. */
  #link: TransportLink | undefined;
  #connection: LocalConnection | undefined;
  #held: Way[] = [];

  constructor(number: number, prefix: string, clock: Clock, network: LocalNetwork, lines: Set<LocalLine>) {
    this.#number = number;
    this.#prefix = prefix;
    this.#clock = clock;
    this.#network = network;
    this.#lines = lines;
  }

  connect(link: TransportLink): void {
    this.#link = link;
    if (this.#isCut) throw new Error('The bus is cut off its hub');
    const [out, frames, answers] = [0, 1, 2].map((way) => new Way(this.#network, 3 * this.#number + way));
    this.#connection = { channels: new Set(), out, frames, answers, isLost: false };
    out.send(() => answers.send(() => this.#arrive(() => link.up())));
  }

  publish(text: string): Promise<unknown> | undefined {
    return this.publishTo(undefined, text);
  }

  /** @param channel undefined: that of all. */
  publishTo(channel: string | undefined, text: string): Promise<unknown> | undefined {
    const connection = this.#connection;
    return this.#ask(() => {
      if (connection?.out.happens('refusal')) return new Error('The engine refuses');
      for (const line of this.#lines) line.deliver(this.#prefix, this.isApart, channel, text);
      return undefined;
    });
  }

  subscribe(channels: readonly string[]): Promise<unknown> | undefined {
    return this.#command(channels, 'add');
  }

  unsubscribe(channels: readonly string[]): Promise<unknown> | undefined {
    return this.#command(channels, 'delete');
  }

  disconnect(isToConnect?: boolean): undefined {
    this.#connection = undefined;
    if (isToConnect !== true) this.#lines.delete(this);
  }

  deliver(prefix: string, isApart: boolean, channel: string | undefined, text: string): void {
    const connection = this.#connection;
    if (connection === undefined || connection.isLost) return;
    const listens = channel === undefined || connection.channels.has(channel);
    if (!listens || prefix !== this.#prefix || isApart !== this.isApart) return;
    const link = this.#link;
    connection.frames.sendFrame(() => {
      if (!this.isMuted && connection === this.#connection) this.#arrive(() => link?.received(text));
    });
  }

  cut(): void {
    this.#isCut = true;
    this.break('The bus was cut off its hub');
  }

  /** @param why undefined: the bus is not told. */
  break(why: string | undefined): void {
    const link = this.#link;
    if (this.#connection !== undefined) this.#connection.isLost = true;
    if (why !== undefined) this.#arrive(() => link?.down(new Error(why)));
  }

  hold(way: 'in' | 'out' | 'both'): void {
    const connection = this.#connection;
    if (connection === undefined) return;
    const { out, frames, answers } = connection;
    const ways = { in: [frames, answers], out: [out], both: [out, frames, answers] }[way];
    for (const each of ways) each.hold();
    this.#held.push(...ways);
  }

  mend(): void {
    this.isMuted = false;
    this.isApart = false;
    this.#isCut = false;
    const held = this.#held;
    this.#held = [];
    for (const way of held) way.release();
    const link = this.#link;
    this.#arrive(() => link?.retry());
  }

  #command(channels: readonly string[], change: 'add' | 'delete'): Promise<unknown> | undefined {
    const all = this.#connection?.channels;
    return this.#ask(() => {
      for (const channel of channels) all?.[change](channel);
      return undefined;
    });
  }

  /** Asks the engine for `work`. Returns undefined when it has answered in the call. */
  #ask(work: () => Error | undefined): Promise<unknown> | undefined {
    const connection = this.#connection;
    if (connection === undefined) return undefined;
    const network = this.#network;
    let isTaken = false;
    let settle = (refusal: Error | undefined): void => {
      if (refusal !== undefined) throw refusal;
      isTaken = true;
    };
    connection.out.send(() => {
      if (connection.isLost || this.isMuted) return;
      const refusal = work();
      if (connection.answers.happens('ackLoss')) return;
      connection.answers.send(() => this.#arrive(() => settle(refusal)), network.faults.ackDelayMs);
    });
    if (isTaken) return undefined;
    return new Promise((resolve, reject) => {
      settle = (refusal) => (refusal === undefined ? resolve(undefined) : reject(refusal));
    });
  }

  #arrive(go: () => void): void {
    if (this.#clock.nextTurn === undefined) go();
    else this.#clock.nextTurn(go);
  }
}
