// Whose life is shown: the reader's choice for as long as the page lives; without one, one life after another, each seen to its
// end and for a while after. Pure.
import type { Timeline, TimelineEvent } from '../frame.ts';

/** How long a life stays after its end, and at most how long one that does not end, in ms. */
const STAY_MS = 6000;
const MOST_MS = 30_000;

export interface Followed {
  readonly timeline: Timeline;
  readonly isChosen: boolean;
  /** When to move on, by the frames' time. */
  readonly untilMs: number;
}

export function endOf({ events }: Timeline): TimelineEvent['what'] | undefined {
  const { what } = events[events.length - 1];
  return what === 'parked' || what === 'tried' ? undefined : what;
}

/** Whom to show with the frame of `atMs`, which told `timelines`; `followed` was shown before. */
export function follow(
  followed: Followed | undefined,
  timelines: readonly Timeline[],
  atMs: number,
): Followed | undefined {
  const told = followed && timelines.find(({ id }) => id === followed.timeline.id);
  const isWhole = told !== undefined || (followed !== undefined && endOf(followed.timeline) !== undefined);
  if (followed !== undefined && (followed.isChosen || (isWhole && atMs < followed.untilMs))) {
    if (told === undefined) return followed;
    const hasEnded = endOf(told) !== undefined && endOf(followed.timeline) === undefined;
    return { ...followed, timeline: told, untilMs: hasEnded ? atMs + STAY_MS : followed.untilMs };
  }
  const next = timelines.findLast((each) => endOf(each) !== undefined) ?? timelines[0];
  if (next === undefined || next.id === followed?.timeline.id) return followed;
  return { timeline: next, isChosen: false, untilMs: atMs + (endOf(next) === undefined ? MOST_MS : STAY_MS) };
}
