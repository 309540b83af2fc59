// Plays worlds one after the other, and finds the shortest form of one that fails.
import { Random } from '../support/random.ts';
import { drawAct } from './acts.ts';
import { inTurn } from './host.ts';
import { type Plan, type Planned, planOf } from './plan.ts';
import { type Kept, type Violation, World } from './world.ts';

export interface Played {
  readonly plan: Plan;
  readonly world: World;
  /** The first violation, if any. */
  readonly violation: Violation | undefined;
}

/** What a failure needs: the acts and faults without which it does not happen. */
export type Shortest = Required<Kept>;

/** Plays a world, to `untilMs`. It runs microtasks itself, so it must not be run by one. */
export async function play(
  seed: number,
  kept: Kept = {},
  traces = false,
  untilMs = Number.POSITIVE_INFINITY,
): Promise<Played> {
  const plan = planOf(seed);
  const unhandled: unknown[] = [];
  const hear = (error: unknown): void => void unhandled.push(error);
  process.on('unhandledRejection', hear);
  try {
    const world = await inTurn(() => new World(plan, kept, traces).run(untilMs));
    // Then the host tells of promises that nobody handled.
    await inTurn(() => {});
    await inTurn(() => {});
    if (unhandled.length > 0) world.violate('a rejection that nobody handled', { error: unhandled[0] });
    return { plan, world, violation: world.violations[0] };
  } finally {
    process.off('unhandledRejection', hear);
  }
}

const ids = (planned: readonly Planned[]): number[] => planned.map(({ id }) => id);

/** How acts, or faults, may be told apart: those that are alike are often not needed, all of them. */
type Trait = (planned: Planned) => unknown;

function traitsOf({ config, rounds }: Plan): Record<keyof Shortest, readonly Trait[]> {
  const round: Trait = ({ atMs }) => rounds.findIndex(({ endMs }) => atMs <= endMs);
  const drawn = ({ seed }: Planned) => {
    const random = new Random(seed);
    return { process: random.below(config.processes), ...drawAct(random, config.keys) };
  };
  const kind: Trait = (act) => drawn(act).kind;
  return {
    faults: [() => 0, ({ seed }) => new Random(seed).pick(config.faults), ({ id }) => id],
    acts: [round, kind, (act) => drawn(act).process, (act) => Number(drawn(act).key) % 32, ({ id }) => id],
  };
}

/**
 * Leaves out halves of what there is, quarters, and so on, by kind, by key, at last one by one, for as
 * long as the same violation comes, and for `mostMs` of CPU. What is behind the violation goes by itself.
 */
export async function shorten({ plan, violation }: Played, mostMs: number): Promise<Shortest> {
  let found: Shortest = { acts: ids(plan.acts), faults: ids(plan.faults) };
  if (violation === undefined) return found;
  const began = process.cpuUsage();
  const isOver = (): boolean => process.cpuUsage(began).user > mostMs * 1_000;
  // What is found at the end is found at the end only.
  const endMs = plan.rounds[plan.rounds.length - 1].endMs;
  let untilMs = violation.atMs < endMs ? violation.atMs + 1 : Number.POSITIVE_INFINITY;
  const fails = async (kept: Shortest): Promise<boolean> => {
    const { violation: again } = await play(plan.seed, kept, false, untilMs);
    if (again?.what !== violation.what) return false;
    const before = (all: readonly Planned[], some: readonly number[]) =>
      some.filter((id) => all[id].atMs <= again.atMs);
    found = { acts: before(plan.acts, kept.acts), faults: before(plan.faults, kept.faults) };
    if (again.atMs < endMs) untilMs = again.atMs + 1;
    return true;
  };
  const leaveOut = async (of: keyof Shortest, trait: Trait): Promise<void> => {
    const groups = [...new Set(found[of].map((id) => trait(plan[of][id])))];
    for (let size = Math.ceil(groups.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
      for (let at = 0; at < groups.length && !isOver(); ) {
        const out = new Set(groups.slice(at, at + size));
        const rest = found[of].filter((id) => !out.has(trait(plan[of][id])));
        const isLess = rest.length < found[of].length;
        if (!isLess || (await fails({ ...found, [of]: rest }))) groups.splice(at, size);
        else at += size;
      }
    }
  };
  if (!(await fails(found))) return found;
  const traits = traitsOf(plan);
  for (let before = Number.POSITIVE_INFINITY; sizeOf(found) < before && !isOver(); ) {
    before = sizeOf(found);
    for (const of of ['faults', 'acts'] as const) for (const trait of traits[of]) await leaveOut(of, trait);
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
