// The network of a LocalHub: what frames and answers meet on their way.
//
// Ground rules. Without faults all is handed over in the call that sends it. A way keeps its order,
// whatever it delays, but for what `reordering` takes out of it. With a seed, what is drawn depends
// on the way, the time, and how many were drawn for that way at that time. So a frame that is not
// sent leaves the faults of the others as they were.
import { type Checked, numberOr, type Rule, type Rules, readOptions } from '../../base/options.ts';
import { noise } from '../../base/random.ts';
import type { Clock } from '../../clock/clock.ts';

/** What goes wrong on a LocalHub. A probability is from 0 to 1. Default: nothing goes wrong. */
export interface HubFaults {
  /** The probability that a frame does not reach a bus. */
  loss?: number | undefined;
  /** The probability that a frame reaches a bus twice. */
  duplication?: number | undefined;
  /** The probability that a frame comes up to 20 ms late, behind others that were sent later. */
  reordering?: number | undefined;
  /** The probability that the engine refuses a frame. */
  refusal?: number | undefined;
  /** The probability that an answer of the engine never comes. */
  ackLoss?: number | undefined;
  /** How long each way takes, in ms: to the engine, and from there. */
  delayMs?: number | undefined;
  /** By how much longer a way may take, in ms: at random, up to this. */
  jitterMs?: number | undefined;
  /** By how much longer an answer of the engine takes than a frame, in ms. */
  ackDelayMs?: number | undefined;
}

const probability: Rule<number> = numberOr(0, { min: 0, max: 1 });
const delayMs: Rule<number> = numberOr(0, { min: 0, max: 3_600_000 });
const FAULTS: Rules<Checked<HubFaults>> = {
  loss: probability,
  duplication: probability,
  reordering: probability,
  refusal: probability,
  ackLoss: probability,
  delayMs,
  jitterMs: delayMs,
  ackDelayMs: delayMs,
};
/** By how much a frame that is out of order is late, in ms. */
const REORDERING_MS = 20;

export class LocalNetwork {
  readonly clock: Clock;
  readonly seed: number | undefined;
  faults!: Checked<HubFaults>;

  constructor(clock: Clock, seed: number | undefined) {
    this.clock = clock;
    this.seed = seed;
    this.disturb({});
  }

  /** @throws TypeError, RangeError (Node's codes) for a bad value; then nothing has changed. */
  disturb(faults: HubFaults): void {
    this.faults = readOptions('the faults of a LocalHub', faults, FAULTS);
  }

  after(ms: number, go: () => void): void {
    if (ms === 0) go();
    else this.clock.wakeAt(this.clock.now() + ms, () => go()).unref?.();
  }
}

/** One direction of a connection. */
export class Way {
  readonly #network: LocalNetwork;
  /** When the last of what was delayed arrives. */
  #lastMs: number = Number.NEGATIVE_INFINITY;
  #held: (() => void)[] | undefined;
  readonly #number: number;
  /** When it drew last, and how many it has drawn at that time. */
  #drawnMs = Number.NaN;
  #drawn = 0;

  constructor(network: LocalNetwork, number: number) {
    this.#network = network;
    this.#number = number;
  }

  happens(fault: keyof HubFaults): boolean {
    const { faults } = this.#network;
    return faults[fault] > 0 && this.#random() < faults[fault];
  }

  /** `arrive` is called at the other end, behind all that was sent before. */
  send(arrive: () => void, longerMs = 0): void {
    const { clock, faults } = this.#network;
    if (this.#held !== undefined) {
      this.#held.push(arrive);
      return;
    }
    const nowMs = clock.now();
    const ms = faults.delayMs + longerMs + (faults.jitterMs > 0 ? this.#random() * faults.jitterMs : 0);
    if (ms > 0) this.#lastMs = Math.max(this.#lastMs, nowMs + ms);
    this.#network.after(Math.max(0, this.#lastMs - nowMs), arrive);
  }

  /** As `send`, for a frame, which may be lost, come twice, or out of its order. */
  sendFrame(arrive: () => void): void {
    if (this.happens('loss')) return;
    for (let copies = this.happens('duplication') ? 2 : 1; copies > 0; copies--) {
      if (!this.happens('reordering')) this.send(arrive);
      else this.#network.after(this.#random() * REORDERING_MS, () => this.send(arrive));
    }
  }

  /** Keeps what is sent, until `release`. */
  hold(): void {
    this.#held ??= [];
  }

  release(): void {
    const held = this.#held;
    this.#held = undefined;
    for (const arrive of held ?? []) this.send(arrive);
  }

  #random(): number {
    const { clock, seed } = this.#network;
    if (seed === undefined) return Math.random();
    const nowMs = clock.now();
    if (nowMs !== this.#drawnMs) this.#drawn = 0;
    this.#drawnMs = nowMs;
    return noise(seed, this.#number, nowMs, this.#drawn++);
  }
}
