// What the server told: the frames of the last ten seconds, which are the present, and the seconds
// of the last ten minutes. And sums over them. Pure.
import type { PurgatoryTotals } from '../../../../purgatory/telemetry/purgatory-meter.ts';
import type { Frame, Second, SecondOfPurgatory } from '../../frame.ts';

export interface Recording {
  /** In order of time, and all of one run. */
  readonly frames: readonly Frame[];
  readonly seconds: readonly Second[];
  /** The last time that nothing came for long, by the server's clock. */
  readonly silence: { readonly forMs: number; readonly untilMs: number } | undefined;
}

/** What the server sent of the purgatory `chosen` and of its timer. Undefined: of all. */
export function recordingOf({ frames, seconds, silence }: Recording, chosen: string | undefined): Recording {
  if (chosen === undefined) return { frames, seconds, silence };
  const timers = frames.at(-1)?.timers.filter(({ of }) => of.includes(chosen)) ?? [];
  const names = timers.map(({ name }) => name);
  const only = <T>(of: Readonly<Record<string, T>>, kept: readonly string[]): Record<string, T> =>
    Object.fromEntries(Object.entries(of).filter(([name]) => kept.includes(name)));
  return {
    frames: frames.map((frame) => ({
      ...frame,
      purgatories: frame.purgatories.filter(({ name }) => name === chosen),
      timers: frame.timers.filter(({ name }) => names.includes(name)),
    })),
    seconds: seconds.map((second) => ({
      ...second,
      purgatories: only(second.purgatories, [chosen]),
      timers: only(second.timers, names),
    })),
    silence,
  };
}

/** Those that ended within `ms` before `wallMs`. */
export function secondsWithin<S extends Second>(
  seconds: readonly S[],
  wallMs: number,
  ms: number,
): readonly S[] {
  return seconds.filter((second) => second.wallMs > wallMs - ms);
}

/** Of each purgatory, by its name. */
export function views({ purgatories }: Second): (SecondOfPurgatory & { readonly name: string })[] {
  return Object.entries(purgatories).map(([name, of]) => ({ name, ...of }));
}

type Count = Exclude<keyof PurgatoryTotals, 'parked'> | 'loadsFailed';

/** How many there were of `kind`, in all purgatories. */
export function countIn(seconds: readonly Second[], kind: Count): number {
  return sum(seconds, (second) => sum(views(second), (of) => of[kind] ?? 0));
}

/**
 * The bound of the lateness of 99 of 100 tasks, of the latest timer. 0: none ran. Infinity: past
 * the last bin.
 */
export function latenessIn({ timers }: Second): number {
  const bounds = Object.values(timers).map(({ latenessMs }) => latenessMs ?? Number.POSITIVE_INFINITY);
  return Math.max(0, ...bounds);
}

export function sum<T>(all: readonly T[], of: (one: T) => number): number {
  return all.reduce((total, one) => total + of(one), 0);
}

/** The first of those of which `of` is the highest. `all` is not empty. */
export function most<T>(all: readonly T[], of: (one: T) => number): T {
  return all.reduce((a, b) => (of(b) > of(a) ? b : a));
}

/** `all` is not empty. */
export function last<T>(all: readonly T[]): T {
  return all[all.length - 1];
}
