// What the frames of the last minute say: sums over the chosen purgatories, and rates from the differences of totals.
//
// Ground rules. Pure: frames in, numbers out. Rates come from totals, so a frame that got lost falsifies none. Frames are in order
// of time, and all of one run.
import type { EndTotals, Frame, PurgatoryView } from '../frame.ts';

/** Frames kept: a minute of four a second. */
export const MAX_FRAMES = 241;
/** Over which a rate is taken, in ms. */
const RATE_MS = 2000;

/** The purgatories that `chosen` names; all of them for undefined. */
export function chosenOf(frame: Frame, chosen: string | undefined): readonly PurgatoryView[] {
  return chosen === undefined ? frame.purgatories : frame.purgatories.filter(({ name }) => name === chosen);
}

export function sum<T>(all: readonly T[], of: (one: T) => number): number {
  return all.reduce((total, one) => total + of(one), 0);
}

export function endTotals(frame: Frame, chosen: string | undefined): EndTotals {
  const views = chosenOf(frame, chosen);
  return {
    completed: sum(views, ({ totals }) => totals.completed),
    expired: sum(views, ({ totals }) => totals.expired),
    cancelled: sum(views, ({ totals }) => totals.cancelled),
    failed: sum(views, ({ totals }) => totals.failed),
  };
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

/** How many ended in the last `ms`. */
export function endedWithin(frames: readonly Frame[], chosen: string | undefined, ms: number): EndTotals {
  const [from, to] = spanOf(frames, ms);
  const before = endTotals(from, chosen);
  const after = endTotals(to, chosen);
  return {
    completed: after.completed - before.completed,
    expired: after.expired - before.expired,
    cancelled: after.cancelled - before.cancelled,
    failed: after.failed - before.failed,
  };
}

export interface Rates {
  /** Seconds before the latest frame: 0 or less. */
  readonly atS: readonly number[];
  readonly completed: readonly number[];
  readonly expired: readonly number[];
  readonly cancelled: readonly number[];
}

/** Ends per second, at each frame. O(frames). */
export function ratesOf(frames: readonly Frame[], chosen: string | undefined): Rates {
  const totals = frames.map((frame) => endTotals(frame, chosen));
  const nowMs = frames.at(-1)?.atMs ?? 0;
  const perSecond = (of: (totals: EndTotals) => number): number[] => {
    let from = 0;
    return frames.map(({ atMs }, to) => {
      while (atMs - frames[from].atMs > RATE_MS) from++;
      const seconds = (atMs - frames[from].atMs) / 1000;
      return seconds === 0 ? 0 : (of(totals[to]) - of(totals[from])) / seconds;
    });
  };
  return {
    atS: frames.map(({ atMs }) => (atMs - nowMs) / 1000),
    completed: perSecond(({ completed }) => completed),
    expired: perSecond(({ expired }) => expired),
    cancelled: perSecond(({ cancelled }) => cancelled),
  };
}

/** A histogram of what one timer ran in the last `ms`: its bins are those of the timer. */
export function latenessWithin(frames: readonly Frame[], timer: number, ms: number): readonly number[] {
  const [from, to] = spanOf(frames, ms);
  const before = from.timers[timer]?.lateness.counts;
  return (to.timers[timer]?.lateness.counts ?? []).map((n, bin) => n - (before?.[bin] ?? 0));
}

/** The bound in ms that `share` of the tasks kept to: Infinity past the last bin, undefined when there were none. */
export function quantile(
  leMs: readonly number[],
  counts: readonly number[],
  share: number,
): number | undefined {
  const all = sum(counts, (n) => n);
  if (all === 0) return undefined;
  let seen = 0;
  for (const [bin, n] of counts.entries()) {
    seen += n;
    if (seen >= share * all) return leMs[bin] ?? Number.POSITIVE_INFINITY;
  }
  return Number.POSITIVE_INFINITY;
}
