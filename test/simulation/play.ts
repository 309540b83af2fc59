// Plays worlds one after the other, and finds the shortest form of one that fails.
import { hostSetImmediate } from '../../src/base/host.ts';
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

/** Plays a world. It runs microtasks itself, so it must not be run by one. */
export async function play(seed: number, without: Without = NOTHING, traces = false): Promise<Played> {
  const plan = planOf(seed);
  const unhandled: unknown[] = [];
  const hear = (error: unknown): void => void unhandled.push(error);
  process.on('unhandledRejection', hear);
  try {
    const world = await new Promise<World>((resolve, reject) => {
      hostSetImmediate(() => {
        try {
          resolve(new World(plan, without, traces).run());
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
  const rest = (all: readonly Planned[], some: readonly number[] | undefined): Set<number> =>
    new Set(some === undefined ? [] : ids(all).filter((id) => !some.includes(id)));
  return { acts: rest(plan.acts, kept.acts), faults: rest(plan.faults, kept.faults) };
}

/** Leaves out faults, then work, for as long as the same violation comes, for at most `mostMs`. */
export async function shorten({ plan, violation }: Played, mostMs: number): Promise<Shortest> {
  const endMs = performance.now() + mostMs;
  const before = ({ atMs }: Planned): boolean => atMs <= (violation?.atMs ?? 0);
  let found: Shortest = { acts: ids(plan.acts.filter(before)), faults: ids(plan.faults.filter(before)) };
  const fails = async (kept: Shortest): Promise<boolean> => {
    const again = await play(plan.seed, withoutAllBut(plan, kept));
    return again.violation?.what === violation?.what;
  };
  if (!(await fails(found))) return { acts: ids(plan.acts), faults: ids(plan.faults) };
  for (const of of ['faults', 'acts', 'faults'] as const) {
    for (let size = Math.ceil(found[of].length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
      for (let at = 0; at < found[of].length && performance.now() < endMs; ) {
        const fewer = { ...found, [of]: found[of].toSpliced(at, size) };
        if (await fails(fewer)) found = fewer;
        else at += size;
      }
    }
  }
  return found;
}

/** The command that plays it again. */
export function commandOf(seed: number, { acts, faults }: Shortest): string {
  return `npm run simulate -- --from ${seed} --acts "${acts.join()}" --faults "${faults.join()}" --trace`;
}
