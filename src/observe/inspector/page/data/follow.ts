// The operation whose life is shown. The reader's choice stays for as long as the page is open.
// Without a choice, one life after another is shown, each until some time after its end. Pure.
import type { End, Timeline } from '../../frame.ts';

/** How long a life stays after its end, in ms. One that does not end stays at most as long. */
const STAY_MS = 6000;
const MOST_MS = 30_000;

export interface Followed {
  readonly timeline: Timeline;
  readonly isChosen: boolean;
  /** When to move on, by the frames' time. */
  readonly untilMs: number;
}

export function endOf({ events }: Timeline): End | undefined {
  const { what } = events[events.length - 1];
  return what === 'parked' || what === 'tried' ? undefined : what;
}

/**
 * The operation to show with the frame of `atMs`, which has `timelines`. `followed` was shown
 * before.
 */
export function follow(
  followed: Followed | undefined,
  timelines: readonly Timeline[],
  atMs: number,
): Followed | undefined {
  const newer = followed && timelines.find(({ id }) => id === followed.timeline.id);
  const isWhole = newer !== undefined || (followed !== undefined && endOf(followed.timeline) !== undefined);
  if (followed !== undefined && (followed.isChosen || (isWhole && atMs < followed.untilMs))) {
    if (newer === undefined) return followed;
    const hasEnded = endOf(newer) !== undefined && endOf(followed.timeline) === undefined;
    return { ...followed, timeline: newer, untilMs: hasEnded ? atMs + STAY_MS : followed.untilMs };
  }
  const next = timelines.findLast((each) => endOf(each) !== undefined) ?? timelines[0];
  if (next === undefined || next.id === followed?.timeline.id) return followed;
  return { timeline: next, isChosen: false, untilMs: atMs + (endOf(next) === undefined ? MOST_MS : STAY_MS) };
}
