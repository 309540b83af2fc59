// The faults that a LocalHub makes in the frames of its buses: none, or those of real networks.
//
// Ground rules. All random choices come from one seed, so a run can be repeated.
import { checkedNumber, checkedOptions } from '../../base/checks.ts';

/** The faults of a {@link LocalHub}; a probability is from 0 to 1. All default to 0. */
export interface HubFaults {
  /** The probability that a frame does not reach a bus. */
  loss?: number | undefined;
  /** The probability that it reaches a bus twice. */
  duplication?: number | undefined;
  /** The probability that it arrives after frames that were published later. */
  reordering?: number | undefined;
  /** How long a frame takes, in ms. */
  delayMs?: number | undefined;
  /** How long an acknowledgement of interest routing takes, in ms, once the hub has subscribed. */
  ackDelayMs?: number | undefined;
  /**
   * How long after the call the hub subscribes, in ms: what is published meanwhile does not come.
   */
  subscribeDelayMs?: number | undefined;
  /** The probability that an acknowledgement of interest routing never comes. */
  ackLoss?: number | undefined;
  /**
   * The seed of the random choices. The same seed and the same calls give the same faults. Default
   * 1.
   */
  seed?: number | undefined;
}

const PROBABILITY = { min: 0, max: 1 } as const;
const DELAY = { min: 0, max: 3_600_000 } as const;
const SEED = { min: 0, max: 0xffff_ffff, integer: true } as const;

/** @throws TypeError, RangeError (Node's codes) for a bad fault. */
export function checkedFaults(options: HubFaults | undefined): Required<HubFaults> {
  const given = checkedOptions(options);
  const { loss, duplication, reordering, delayMs, seed } = given;
  return {
    loss: checkedNumber('options.loss', loss, 0, PROBABILITY),
    duplication: checkedNumber('options.duplication', duplication, 0, PROBABILITY),
    reordering: checkedNumber('options.reordering', reordering, 0, PROBABILITY),
    delayMs: checkedNumber('options.delayMs', delayMs, 0, DELAY),
    ackDelayMs: checkedNumber('options.ackDelayMs', given.ackDelayMs, 0, DELAY),
    subscribeDelayMs: checkedNumber('options.subscribeDelayMs', given.subscribeDelayMs, 0, DELAY),
    ackLoss: checkedNumber('options.ackLoss', given.ackLoss, 0, PROBABILITY),
    seed: checkedNumber('options.seed', seed, 1, SEED),
  };
}

/** A stream of numbers from 0 to 1 (mulberry32 by Tommy Ettinger). */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let x = Math.imul(state ^ (state >>> 15), 1 | state);
    x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x;
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
  };
}
