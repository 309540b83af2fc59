// What a seed stands for: the world, and when which process works and what goes wrong.
//
// Ground rules. A plan depends on its seed alone, and each act and each fault draws from a seed of its
// own. So one that is left out changes none of the others, and a failure can be shortened.
import { Random } from '../support/random.ts';
import type { Mode } from './host.ts';

export const FAULTS = [
  'loss',
  'duplication',
  'reordering',
  'halfOpen',
  'partition',
  'split',
  'engine',
  'break',
  'blindness',
  'stall',
  'crash',
  'member',
  'bus',
  'refusal',
  'slow',
  'ackLoss',
  'forgery',
] as const;

export type FaultKind = (typeof FAULTS)[number];

export type Config = ReturnType<typeof drawConfig>;

/** An act or a fault. */
export interface Planned {
  readonly id: number;
  readonly atMs: number;
  readonly seed: number;
}

/** Chaos, then calm, in which what must hold on a sound network is checked. */
export interface Round {
  readonly chaosMs: number;
  readonly calmMs: number;
  /** When the last stop, crash and held link of the chaos is over. */
  readonly settledMs: number;
  readonly endMs: number;
}

export interface Plan {
  readonly seed: number;
  readonly config: Config;
  readonly rounds: readonly Round[];
  readonly acts: readonly Planned[];
  readonly faults: readonly Planned[];
  /** How soon a published event is answered on a sound network whose buses are live. */
  readonly soonMs: number;
  /** How long it takes at most until all are live, and all that is parked was tried. */
  readonly recoveryMs: number;
}

export const LOAD_TIMEOUT_MS = 1_000;
/** The most that a fault of the chaos lasts. */
export const LONGEST_FAULT_MS = 3_000;
const FIRST_MS = 200;

const NETWORK: readonly FaultKind[] = ['break', 'halfOpen', 'partition', 'blindness'];

/** Where a routed hint is lost without a break, nothing makes it good: the contract says so. */
const NOT_ROUTED: readonly FaultKind[] = ['loss', 'partition', 'split', 'blindness'];

function drawConfig(random: Random) {
  const routing = random.pick(['broadcast', 'broadcast', 'broadcast', 'interest', 'mixed'] as const);
  // Those of a network come most often.
  const possible = [...FAULTS, ...NETWORK, ...NETWORK].filter(
    (kind) => routing === 'broadcast' || !NOT_ROUTED.includes(kind),
  );
  return {
    routing,
    // Beside others a fault may go unnoticed: each new gap makes the last one good.
    faults: random.chance(0.4) ? possible : [random.pick(possible)],
    processes: random.pick([2, 3, 3, 4, 5]),
    modes: random.pick([['reads'], ['reads'], ['plain'], ['still'], ['reads', 'plain', 'still']] as Mode[][]),
    /** The most that a way of a frame takes. */
    latencyMs: random.pick([0, 1, 5, 20]),
    echoMs: random.pick([100, 300, 1_000, 5_000]),
    echoTimeoutMs: random.pick([200, 1_000, 5_000]),
    flushMs: random.pick([0, 1, 1, 10]),
    sweepMs: random.pick([0, 50, 1_000]),
    maxPauseMs: random.pick([50, 1_000, 5_000]),
    maxPendingKeys: random.pick([1, 3, 100_000, 100_000, 100_000]),
    lingerMs: random.pick([0, 60, 60_000]),
    /** How late the timers of a host are, at most. */
    jitterMs: random.pick([0, 1.2]),
    keys: random.pick([2, 30, 1_000]),
    /** Between two acts, on average. */
    gapMs: random.pick([2, 6, 20]),
    /** What a try takes. */
    tryMs: random.pick([0, 0, 0.02, 1]),
    maxParked: random.pick([Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 40]),
    maxPending: random.pick([Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 60]),
    tickMs: random.pick([1, 1, 10]),
    wheelSize: random.pick([512, 512, 4]),
    /** Whether the purgatories of a process share a timer. */
    sharesTimer: random.chance(0.3),
    loadBatch: random.pick([1, 5, 500]),
    chaosMs: random.pick([300, 2_000, 5_000]),
    rounds: random.pick([2, 3, 4]),
    faultGapMs: random.pick([50, 300, 1_000, 1_000]),
  };
}

export function planOf(seed: number): Plan {
  const random = new Random(Math.imul(seed, 2_654_435_761));
  const config = drawConfig(random);
  const { echoMs, echoTimeoutMs, latencyMs, sweepMs, tryMs } = config;
  const connectMs = config.faults.some((kind) => kind === 'slow' || kind === 'ackLoss') ? 15_000 : 0;
  const recoveryMs =
    connectMs +
    echoMs * 4 +
    echoTimeoutMs +
    Math.max(1_000, config.maxPauseMs) * 1.25 +
    sweepMs +
    20 * latencyMs +
    LOAD_TIMEOUT_MS +
    // the pauses between two loads that fail, and what is left over
    4_000;
  // With few pending keys, each event may become a sweep.
  const sweptMs = config.maxPendingKeys < 1_000 ? sweepMs + 1_100 : 0;
  const routedMs = config.routing === 'broadcast' ? 0 : 150 + 8 * latencyMs + sweepMs;
  const soonMs =
    config.flushMs +
    6 * latencyMs +
    60 +
    config.jitterMs * 4 +
    sweptMs +
    routedMs +
    tryMs * 300 +
    config.tickMs * 2;
  const rounds: Round[] = [];
  const faults: Planned[] = [];
  const acts: Planned[] = [];
  const draw = (list: Planned[], atMs: number): void => {
    list.push({ id: list.length, atMs, seed: random.below(2 ** 32) });
  };
  let nowMs = FIRST_MS;
  for (let round = 0; round < config.rounds; round++) {
    const chaosMs = nowMs;
    const calmMs = chaosMs + config.chaosMs;
    const settledMs = calmMs + 2 * LONGEST_FAULT_MS + 500;
    const endMs = settledMs + recoveryMs + 500 + 2 * soonMs;
    for (let at = chaosMs; at < calmMs; at += random.range(0, 2 * config.faultGapMs)) draw(faults, at);
    while (nowMs < endMs) {
      const isQuiet = nowMs > calmMs + config.chaosMs && nowMs < settledMs + recoveryMs;
      nowMs += random.range(0, 2 * config.gapMs * (isQuiet ? 40 : 1));
      draw(acts, nowMs);
    }
    rounds.push({ chaosMs, calmMs, settledMs, endMs });
    nowMs = endMs;
  }
  return { seed, config, rounds, acts, faults, soonMs, recoveryMs };
}
