// Plays worlds one after the other, and finds the shortest form of one that fails.
import { hostSetImmediate } from '../../src/base/host.ts';
import { Random } from '../support/random.ts';
import { drawAct } from './acts.ts';
import { type Plan, type Planned, planOf } from './plan.ts';
import { NOTHING, type Violation, type Without, World } from './world.ts';

export interface Played {
  readonly plan: Plan;
  readonly world: World;
  /** The first violation, if any. */
  readonly violation: Violation | undefined;
}

/** What a failure needs: the acts and faults without which it does not happen. */
export interface Shortest {
  readonly acts: readonly number[];
  readonly faults: readonly number[];
}

/** A turn of the host between two worlds, in which it tells of promises that nobody handled. */
function hostTurn(): Promise<void> {
  return new Promise((resolve) => hostSetImmediate(() => hostSetImmediate(resolve)));
}

/** Plays a world, to `untilMs`. It runs microtasks itself, so it must not be run by one. */
export async function play(
  seed: number,
  without: Without = NOTHING,
  traces = false,
  untilMs = Number.POSITIVE_INFINITY,
): Promise<Played> {
  const plan = planOf(seed);
  const unhandled: unknown[] = [];
  const hear = (error: unknown): void => void unhandled.push(error);
  process.on('unhandledRejection', hear);
  try {
    const world = await new Promise<World>((resolve, reject) => {
      hostSetImmediate(() => {
        try {
          resolve(new World(plan, without, traces).run(untilMs));
        } catch (error) {
          reject(error);
        }
      });
    });
    await hostTurn();
    if (unhandled.length > 0)
      world.violate('a rejection that nobody handled', undefined, {
        error: String((unhandled[0] as Error)?.stack),
      });
    return { plan, world, violation: world.violations[0] };
  } finally {
    process.off('unhandledRejection', hear);
  }
}

const ids = (planned: readonly Planned[]): number[] => planned.map(({ id }) => id);

/** What is left out so that only `kept` is played. */
export function withoutAllBut(plan: Plan, kept: Partial<Shortest>): Without {
  const rest = (all: readonly Planned[], some: readonly number[] | undefined): Set<number> => {
    const played = new Set(some);
    return new Set(some === undefined ? [] : ids(all).filter((id) => !played.has(id)));
  };
  return { acts: rest(plan.acts, kept.acts), faults: rest(plan.faults, kept.faults) };
}

/** How acts, or faults, may be told apart: those that are alike are often not needed, all of them. */
type Trait = (planned: Planned) => unknown;

function traitsOf({ config, rounds }: Plan): Record<keyof Shortest, readonly Trait[]> {
  const round: Trait = ({ atMs }) => rounds.findIndex(({ endMs }) => atMs <= endMs);
  const drawn = ({ seed }: Planned) => {
    const random = new Random(seed);
    return { process: random.below(config.processes), ...drawAct(random, config.keys) };
  };
  return {
    acts: [
      round,
      (act) => drawn(act).kind,
      (act) => drawn(act).process,
      (act) => Number(drawn(act).key) % 32,
    ],
    faults: [() => 0, round, ({ seed }) => new Random(seed).pick(config.faults)],
  };
}

/**
 * Leaves out what is alike, then halves of what is left, quarters, and so on, for as long as the same
 * violation comes, and for at most `mostMs` of CPU. What is behind the violation is left out by itself.
 */
export async function shorten({ plan, violation }: Played, mostMs: number): Promise<Shortest> {
  const whole: Shortest = { acts: ids(plan.acts), faults: ids(plan.faults) };
  if (violation === undefined) return whole;
  const began = process.cpuUsage();
  const isOver = (): boolean => process.cpuUsage(began).user > mostMs * 1_000;
  let found = whole;
  let untilMs = Number.POSITIVE_INFINITY;
  const fails = async (kept: Shortest): Promise<boolean> => {
    const { violation: again } = await play(plan.seed, withoutAllBut(plan, kept), false, untilMs);
    if (again?.what !== violation.what) return false;
    const before = (all: readonly Planned[], some: readonly number[]) =>
      some.filter((id) => all[id].atMs <= again.atMs);
    found = { acts: before(plan.acts, kept.acts), faults: before(plan.faults, kept.faults) };
    // One that is found at the end is found at the end only.
    if (again.atMs < plan.rounds[plan.rounds.length - 1].endMs) untilMs = again.atMs + 1;
    return true;
  };
  if (!(await fails(whole))) return whole;
  const traits = traitsOf(plan);
  for (const of of ['faults', 'acts'] as const) {
    for (const trait of traits[of]) {
      const values = new Map(found[of].map((id) => [id, trait(plan[of][id])]));
      for (const value of new Set(values.values())) {
        const rest = found[of].filter((id) => values.get(id) !== value);
        if (rest.length < found[of].length && !isOver()) await fails({ ...found, [of]: rest });
      }
    }
  }
  for (let before = Number.POSITIVE_INFINITY; sizeOf(found) < before && !isOver(); ) {
    before = sizeOf(found);
    for (const of of ['acts', 'faults'] as const) {
      for (
        let size = Math.ceil(found[of].length / 2);
        size >= 1;
        size = size === 1 ? 0 : Math.ceil(size / 2)
      ) {
        for (let at = 0; at < found[of].length && !isOver(); ) {
          if (!(await fails({ ...found, [of]: found[of].toSpliced(at, size) }))) at += size;
        }
      }
    }
  }
  return found;
}

function sizeOf({ acts, faults }: Shortest): number {
  return acts.length + faults.length;
}

/** The command that plays it again. */
export function commandOf(seed: number, { acts, faults }: Shortest): string {
  return `npm run simulate -- --from ${seed} --acts "${acts.join()}" --faults "${faults.join()}" --trace`;
}
