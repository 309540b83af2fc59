// A member's end of a bus: its membership, and the sweeps that the bus asks for.
//
// Ground rules. It belongs to one purgatory, or to SharedWaits, and knows of it only what it is
// given here. It joins the bus in the constructor of its owner, as the last step, and leaves it
// when that closes. Without a bus there is none.
import { debug } from '../../base/debug.ts';
import { numberOf, optional, type Rules } from '../../base/options.ts';
import type { Timer } from '../../timer/timer.ts';
import {
  type BusMember,
  checkedBus,
  checkHintKey,
  type HintValue,
  type JoinableBus,
  type KeyInterest,
  type Membership,
} from './bus-member.ts';
import type { SweepOptions } from './sweep.ts';

/** The options of a purgatory that have to do with other processes. */
export interface BusLinkOptions {
  /**
   * Carries events between processes: `notify`, and the `advance` of a ThresholdPurgatory, reach
   * the purgatories of the same name in all processes on it. Keys are then strings of at most 1,024
   * bytes. docs/many-processes.md
   */
  bus?: JoinableBus | undefined;
  /**
   * How long it takes, in ms, to try all that is parked when the bus has become live: 0 to
   * 3,600,000. Default 1,000.
   */
  sweepMs?: number | undefined;
}

/** The checked bus options of a purgatory, and what its sweep needs besides. */
export interface CheckedBusLink extends SweepOptions {
  readonly bus: JoinableBus;
}

export const BUS_LINK_OPTIONS: Rules<BusLinkOptions> = {
  bus: optional(checkedBus),
  sweepMs: optional(numberOf({ min: 0, max: 3_600_000 })),
};

/** What is to join the bus, with the defaults. Undefined without one. */
export function busLinkOf({ bus, sweepMs }: BusLinkOptions, { clock }: Timer): CheckedBusLink | undefined {
  if (bus !== undefined) return { bus, sweepMs: sweepMs ?? 1_000, clock, random: bus.random ?? Math.random };
  if (sweepMs !== undefined) debug('sweepMs is given without a bus: nothing reads it');
  return undefined;
}

/**
 * The sweep of a member. It calls `ended` at its end, with the number of operations that it tried.
 */
export interface Sweeper {
  begin(ended: (tried: number) => void): void;
  stop(): void;
}

export class BusLink {
  readonly bus: JoinableBus;
  readonly #membership: Membership;
  readonly #sweep: Sweeper | undefined;

  /**
   * Joins the bus of `options`. Undefined without one.
   *
   * @param member what its owner does with a hint from another process.
   * @param lists those of its owner. They get whom to tell of the watched keys: nobody, unless the
   * bus has interest routing.
   * @param sweepOf makes the sweep. Undefined where there is nothing to try.
   * @throws what `join` throws.
   */
  static join<O extends { readonly bus: JoinableBus }>(
    options: O | undefined,
    member: Omit<BusMember, 'sweep'>,
    lists: { interest: KeyInterest | undefined },
    sweepOf: (options: O) => Sweeper | undefined,
  ): BusLink | undefined {
    if (options === undefined) return undefined;
    const link = new BusLink(options.bus, member, sweepOf(options));
    lists.interest = link.#membership.interest;
    return link;
  }

  private constructor(bus: JoinableBus, member: Omit<BusMember, 'sweep'>, sweep: Sweeper | undefined) {
    this.bus = bus;
    this.#sweep = sweep;
    const begin: BusMember['sweep'] = (ended) => (sweep === undefined ? ended(0) : sweep.begin(ended));
    this.#membership = bus.join({ ...member, sweep: begin });
  }

  /** @throws TypeError for a key that a bus does not take; then nothing is published. O(1). */
  publish(key: unknown, value?: HintValue): void {
    checkHintKey(key);
    this.#membership.publish(key, value);
  }

  /** Tries the hints on `keys` that wait to be tried: before a deadline. O(keys) besides. */
  serveHints(keys: readonly unknown[]): void {
    for (const key of keys) this.#membership.serveHint?.(key as string);
  }

  leave(): void {
    this.#membership.leave();
    this.#sweep?.stop();
  }
}
