// The warnings of the verdict that are about purgatories: deadlines, events, limits, throws, keys.
//
// Ground rules. Those of verdict.ts.
import type { Frame, Second } from '../../frame.ts';
import type { PurgatoryView } from '../../view-types.ts';
import { count, plural, progress, share, time } from '../words/format.ts';
import { quoted } from '../words/visible.ts';
import { endedWithin, errorsOf, refusedWithin } from './history.ts';

export type Tone = 'well' | 'note' | 'warn' | 'bad';

export interface Warning {
  readonly tone: Tone;
  /** The name of the warning. Unique, and used in the headline. */
  readonly what: string;
  /** The numbers, and what to do. */
  readonly why: string;
}

/** What the warnings are about. */
export interface Looked {
  readonly frames: readonly Frame[];
  /** Those of the last RECENT_MS. Not empty. */
  readonly recent: readonly Frame[];
  readonly seconds: readonly Second[];
  readonly chosen: string | undefined;
  /** The chosen purgatories in the last frame. */
  readonly views: readonly PurgatoryView[];
}

/** The span of time that warnings look back on, in ms. */
export const RECENT_MS = 10_000;
const OVERDUE_MS = 1000;
/** An event that takes so long keeps its last watchers waiting for a time that people notice. */
export const LONG_EVENT_MS = 500;
const HEAVY_KEY_MS = 1000;
const FULL_SHARE = 0.9;
const GROWN_BY = 20;
/** With fewer ends in a minute, shares mean nothing. */
const FEW_ENDS = 20;

export function purgatoryWarnings(looked: Looked): Warning[] {
  const checks = [overdue, serving, heavy, full, failing, growing, expiring];
  return checks.flatMap((check) => check(looked));
}

function overdue({ views }: Looked): Warning[] {
  return views.flatMap(({ name, oldest }) => {
    const past = Math.max(...oldest.map(({ leftMs }) => -(leftMs ?? 0)), 0);
    if (past < OVERDUE_MS) return [];
    const why = `An operation of ${quoted(name)} is still parked ${time(past)} after it. Does its timer still run (advanceClock, where the reaper is off)?`;
    return [{ tone: 'bad' as const, what: 'a deadline has passed unanswered', why }];
  });
}

const HELP = 'Fewer watchers a key, notify with atMost, or cheaper answers help.';

/** Events of `notify` that began long ago, or should have. */
function serving({ views }: Looked): Warning[] {
  return views.flatMap(({ name, events }) => {
    const { pendingKeys, passesUnderWay, oldestMs, oldestPass } = events;
    if (oldestMs <= LONG_EVENT_MS) return [];
    const pending =
      pendingKeys === 0 ? '' : ` and ${plural(pendingKeys, 'key waits', 'keys wait')} for theirs`;
    const underWay = `${plural(passesUnderWay, 'event is', 'events are')} under way${pending}, the oldest for ${time(oldestMs)}.`;
    const goesOn = `The loop goes on meanwhile, and the last watchers wait. ${HELP}`;
    if (oldestPass === null) {
      const what = `events of purgatory ${quoted(name)} wait long`;
      return [{ tone: 'warn' as const, what, why: `${underWay} ${goesOn}` }];
    }
    const { key, ageMs } = oldestPass;
    const told = `In ${quoted(name)}, ${quoted(key)}: ${progress(oldestPass)}, ${time(ageMs)}.`;
    const others = passesUnderWay + pendingKeys > 1 ? ` In all, ${underWay}` : '';
    const what = `the event on ${quoted(key)} takes long`;
    return [{ tone: 'warn' as const, what, why: `${told}${others} ${goesOn}` }];
  });
}

/** The hottest key, if an event on it would take long, as far as tries were timed. */
function heavy({ views }: Looked): Warning[] {
  return views.flatMap(({ name, hottestKeys: [hottest], events }) => {
    const { tryMs, oldestMs } = events;
    if (hottest === undefined || tryMs === null || oldestMs > LONG_EVENT_MS) return [];
    const tookMs = hottest.watchers * tryMs;
    if (tookMs < HEAVY_KEY_MS) return [];
    const has = `In ${quoted(name)} it has ${count(hottest.watchers)} watchers`;
    const why = `${has}: at what a try has taken with its answer, an event on it takes about ${time(tookMs)}, and longer beside other work. ${HELP}`;
    return [{ tone: 'warn' as const, what: `an event on ${quoted(hottest.key)} would take long`, why }];
  });
}

function full({ views, recent, seconds }: Looked): Warning[] {
  return views.flatMap(({ name, parked, maxParked }) => {
    const isFull = maxParked !== null && parked >= FULL_SHARE * maxParked;
    const holds = isFull ? ` It holds ${count(parked)} of ${count(maxParked)} operations.` : '';
    const refused = Object.entries(refusedWithin(recent, seconds, name, RECENT_MS));
    if (refused.length > 0) {
      const told = refused.map(([code, n]) => `${count(n)} with ${quoted(code)}`).join(', ');
      const why = `Within the last 10 s it has refused ${told}.${holds}`;
      return [{ tone: 'warn' as const, what: `purgatory ${quoted(name)} refuses operations`, why }];
    }
    if (!isFull) return [];
    const why = `${holds.trim()} When it is full, parking throws ERR_PURGATORY_FULL.`;
    return [{ tone: 'warn' as const, what: `purgatory ${quoted(name)} is nearly full`, why }];
  });
}

function failing({ views, frames, seconds, chosen }: Looked): Warning[] {
  const { failed } = endedWithin(frames, chosen, RECENT_MS, seconds);
  if (failed === 0) return [];
  const why = `${plural(failed, 'call')} of tryComplete, onComplete or onExpiration threw in the last 10 s. ${lastError(views) ?? 'The errors went to onError.'}`;
  return [{ tone: 'warn', what: 'operations throw', why }];
}

function lastError(views: readonly PurgatoryView[]): string | undefined {
  const [last] = errorsOf(views);
  if (last === undefined) return undefined;
  const { name, operation, message, agoMs } = last;
  return `The last error came ${time(agoMs)} ago, of ${quoted(operation)} in ${quoted(name)}: ${quoted(message)}.`;
}

/** Keys that gained many watchers in the recent time and never lost any. */
function growing({ views, recent }: Looked): Warning[] {
  if (recent[recent.length - 1].atMs - recent[0].atMs < RECENT_MS * 0.9) return [];
  return views.flatMap(({ name, hottestKeys }) => {
    const grown = hottestKeys.find(({ key, watchers }) => {
      const counts = recent.map((frame) => watchersIn(frame, name, key));
      const hasLostNone = counts.every((n, index) => n >= (counts[index - 1] ?? 0));
      return hasLostNone && watchers - counts[0] >= GROWN_BY;
    });
    if (grown === undefined) return [];
    const why = `More and more operations of ${quoted(name)} watch ${quoted(grown.key)} (${count(grown.watchers)} now), and none has left it for 10 s. Do its events still come?`;
    return [{ tone: 'warn' as const, what: 'a key grows without completion', why }];
  });
}

/** NaN where the frame does not say. */
function watchersIn({ purgatories }: Frame, purgatory: string, key: string): number {
  const view = purgatories.find(({ name }) => name === purgatory);
  return view?.hottestKeys.find((each) => each.key === key)?.watchers ?? Number.NaN;
}

function expiring({ frames, seconds, chosen }: Looked): Warning[] {
  const { completed, expired } = endedWithin(frames, chosen, 60_000, seconds);
  if (completed + expired < FEW_ENDS || completed >= expired) return [];
  const why = `Only ${share(completed, completed + expired)} completed early in the last minute. Normal for quiet long polls; elsewhere events may be missing, or deadlines too short.`;
  return [{ tone: 'note', what: 'most operations run into their deadline', why }];
}
