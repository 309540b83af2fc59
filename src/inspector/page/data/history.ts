// The figures of the last minute's frames: sums over the chosen purgatories, and rates from the
// differences of totals.
//
// Ground rules. Pure: frames in, numbers out. Rates come from totals, so a lost frame makes none of
// them wrong. A purgatory that is new between two frames counts from zero. One that has gone counts
// no more. Frames are in order of time, and all of one run.
import type { EndTotals, Frame, PurgatoryView, TimerView } from '../../frame.ts';

/** Frames kept: a minute of four a second. */
export const MAX_FRAMES = 241;
/** The time over which a rate is taken, in ms. */
const RATE_MS = 2000;

const NO_ENDS: EndTotals = { completed: 0, expired: 0, cancelled: 0, failed: 0 };

/** The purgatories that `chosen` names. All for undefined. */
export function chosenOf(frame: Frame, chosen: string | undefined): readonly PurgatoryView[] {
  return chosen === undefined ? frame.purgatories : frame.purgatories.filter(({ name }) => name === chosen);
}

/** The timer that `chosen` names, else the first. */
export function timerOf(frame: Frame, chosen: string | undefined): TimerView | undefined {
  return frame.timers.find(({ name }) => name === chosen) ?? frame.timers[0];
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
  const ended = { ...NO_ENDS };
  for (const { name, totals } of chosenOf(to, chosen)) {
    const since = before.get(name) ?? NO_ENDS;
    ended.completed += totals.completed - since.completed;
    ended.expired += totals.expired - since.expired;
    ended.cancelled += totals.cancelled - since.cancelled;
    ended.failed += totals.failed - since.failed;
  }
  return ended;
}

/** How many ended in the last `ms`. */
export function endedWithin(frames: readonly Frame[], chosen: string | undefined, ms: number): EndTotals {
  return endedBetween(...spanOf(frames, ms), chosen);
}

export interface Rates {
  /** Seconds before the latest: 0 or less. */
  readonly atS: readonly number[];
  readonly completed: readonly number[];
  readonly expired: readonly number[];
  readonly cancelled: readonly number[];
}

/** Ends per second, at each frame. O(frames x purgatories). */
export function ratesOf(frames: readonly Frame[], chosen: string | undefined): Rates {
  const nowMs = frames.at(-1)?.atMs ?? 0;
  let from = 0;
  const ended = frames.map((frame) => {
    while (frame.atMs - frames[from].atMs > RATE_MS) from++;
    return { ...endedBetween(frames[from], frame, chosen), seconds: (frame.atMs - frames[from].atMs) / 1000 };
  });
  const perSecond = (of: (totals: EndTotals) => number): number[] =>
    ended.map((each) => (each.seconds === 0 ? 0 : of(each) / each.seconds));
  return {
    atS: frames.map(({ atMs }) => (atMs - nowMs) / 1000),
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

/**
 * The bound in ms within which `share` of the tasks ran: Infinity past the last bin, undefined when
 * there were no tasks.
 */
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
