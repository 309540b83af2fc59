// The figures of the last minute: sums over the chosen purgatories, and rates from the differences
// of totals. The frames have them from the moment on at which the page was opened. What was before
// comes from the seconds that the server kept.
//
// Ground rules. Pure: frames in, numbers out. Rates come from totals, so a lost frame makes none of
// them wrong. A purgatory that is new between two frames counts from zero. One that has gone counts
// no more. Frames are in order of time, and all of one run.
import type { Frame, Second, SecondOfPurgatory } from '../../frame.ts';
import type { EndTotals, LastError, PurgatoryView, TimerView } from '../../view-types.ts';

/** Frames kept: a minute of four a second. */
export const MAX_FRAMES = 241;
const MINUTE_MS = 60_000;
/** The time over which a rate is taken, in ms. */
const RATE_MS = 2000;

/** Where a second has the ends of each kind. */
const PLACES = { completed: 1, expired: 2, cancelled: 3, failed: 4 } as const;

function endsOf(of: (kind: keyof EndTotals) => number): EndTotals {
  return {
    completed: of('completed'),
    expired: of('expired'),
    cancelled: of('cancelled'),
    failed: of('failed'),
  };
}

/** The purgatories that `chosen` names. All for undefined. */
export function chosenOf(frame: Frame, chosen: string | undefined): readonly PurgatoryView[] {
  return chosen === undefined ? frame.purgatories : frame.purgatories.filter(({ name }) => name === chosen);
}

/** As {@link chosenOf}, of what a second says. */
export function chosenIn({ purgatories }: Second, chosen: string | undefined): SecondOfPurgatory[] {
  return Object.entries(purgatories)
    .filter(([name]) => chosen === undefined || name === chosen)
    .map(([, said]) => said);
}

/** The timer that `chosen` names, else the first. */
export function timerOf(frame: Frame, chosen: string | undefined): TimerView | undefined {
  return frame.timers.find(({ name }) => name === chosen) ?? frame.timers[0];
}

/** The timers of what `chosen` names. All for undefined, those without a purgatory too. */
export function timersOf(frame: Frame, chosen: string | undefined): readonly TimerView[] {
  return chosen === undefined ? frame.timers : frame.timers.filter(({ of }) => of.includes(chosen));
}

export function sum<T>(all: readonly T[], of: (one: T) => number): number {
  return all.reduce((total, one) => total + of(one), 0);
}

/** The latest frame, and the first of the `ms` before it. */
export function spanOf(
  frames: readonly Frame[],
  ms: number,
  end = frames.length - 1,
): readonly [Frame, Frame] {
  const last = frames[end];
  let start = end;
  while (start > 0 && last.atMs - frames[start - 1].atMs <= ms) start--;
  return [frames[start], last];
}

function endedBetween(from: Frame, to: Frame, chosen: string | undefined): EndTotals {
  const before = new Map(from.purgatories.map(({ name, totals }) => [name, totals]));
  const views = chosenOf(to, chosen);
  return endsOf((kind) => sum(views, ({ name, totals }) => totals[kind] - (before.get(name)?.[kind] ?? 0)));
}

/** The seconds of the last `ms` that were over before the first frame. `frames` is not empty. */
export function secondsBefore(frames: readonly Frame[], seconds: readonly Second[], ms: number): Second[] {
  const [first] = frames;
  const fromMs = frames[frames.length - 1].wallMs - ms;
  return seconds.filter(({ wallMs }) => wallMs <= first.wallMs && wallMs > fromMs);
}

function endedIn(second: Second, chosen: string | undefined): EndTotals {
  const said = chosenIn(second, chosen);
  return endsOf((kind) => sum(said, (each) => each[PLACES[kind]]));
}

/** The last error of each purgatory, the latest first, with the name of the purgatory. */
export function errorsOf(views: readonly PurgatoryView[]): (LastError & { readonly name: string })[] {
  return views
    .flatMap(({ name, lastError }) => (lastError === null ? [] : [{ name, ...lastError }]))
    .sort((a, b) => a.agoMs - b.agoMs);
}

/** How many operations one purgatory refused in the last `ms`, by the code of the error. */
export function refusedWithin(
  frames: readonly Frame[],
  seconds: readonly Second[],
  purgatory: string,
  ms: number,
): Readonly<Record<string, number>> {
  const refusedAt = ({ purgatories }: Frame): Readonly<Record<string, number>> =>
    purgatories.find(({ name }) => name === purgatory)?.refused ?? {};
  const [from, to] = spanOf(frames, ms);
  const before = refusedAt(from);
  const refused: Record<string, number> = {};
  const add = (code: string, n: number): void => {
    if (n > 0) refused[code] = (refused[code] ?? 0) + n;
  };
  for (const [code, n] of Object.entries(refusedAt(to))) add(code, n - (before[code] ?? 0));
  for (const second of secondsBefore(frames, seconds, ms)) {
    for (const [code, n] of Object.entries(second.purgatories[purgatory]?.[5]?.refused ?? {})) add(code, n);
  }
  return refused;
}

/** How many ended in the last `ms`. */
export function endedWithin(
  frames: readonly Frame[],
  chosen: string | undefined,
  ms: number,
  seconds: readonly Second[] = [],
): EndTotals {
  const all = secondsBefore(frames, seconds, ms).map((second) => endedIn(second, chosen));
  all.push(endedBetween(...spanOf(frames, ms), chosen));
  return endsOf((kind) => sum(all, (each) => each[kind]));
}

export interface Rates {
  /** Seconds before the latest: 0 or less. */
  readonly atS: readonly number[];
  readonly completed: readonly number[];
  readonly expired: readonly number[];
  readonly cancelled: readonly number[];
}

/**
 * Ends per second, at each frame, and at each second of the last minute before them.
 * O(frames x purgatories).
 */
export function ratesOf(
  frames: readonly Frame[],
  chosen: string | undefined,
  seconds: readonly Second[] = [],
): Rates {
  const nowMs = frames.at(-1)?.atMs ?? 0;
  let from = 0;
  const ofFrames = frames.map((frame) => {
    while (frame.atMs - frames[from].atMs > RATE_MS) from++;
    return { ...endedBetween(frames[from], frame, chosen), seconds: (frame.atMs - frames[from].atMs) / 1000 };
  });
  const earlier = frames.length === 0 ? [] : secondsBefore(frames, seconds, MINUTE_MS);
  const wallNowMs = frames.at(-1)?.wallMs ?? 0;
  const ofSeconds = earlier.map((each) => ({ ...endedIn(each, chosen), seconds: each.overMs / 1000 }));
  // The first frame has none before it to compare with: the last second before it says more.
  const skipped = earlier.length > 0 ? 1 : 0;
  const ended = [...ofSeconds, ...ofFrames.slice(skipped)];
  const perSecond = (of: (totals: EndTotals) => number): number[] =>
    ended.map((each) => (each.seconds === 0 ? 0 : of(each) / each.seconds));
  return {
    atS: [
      ...earlier.map(({ wallMs }) => (wallMs - wallNowMs) / 1000),
      ...frames.slice(skipped).map(({ atMs }) => (atMs - nowMs) / 1000),
    ],
    completed: perSecond(({ completed }) => completed),
    expired: perSecond(({ expired }) => expired),
    cancelled: perSecond(({ cancelled }) => cancelled),
  };
}

/** A histogram of what one timer ran in the last `ms`: its bins are those of the timer. */
export function latenessWithin(
  frames: readonly Frame[],
  timer: string | undefined,
  ms: number,
): readonly number[] {
  const [from, to] = spanOf(frames, ms);
  const before = from.timers.find(({ name }) => name === timer)?.lateness.counts;
  const now = to.timers.find(({ name }) => name === timer)?.lateness.counts ?? [];
  return now.map((n, bin) => n - (before?.[bin] ?? 0));
}
