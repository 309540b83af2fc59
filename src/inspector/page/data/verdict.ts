// The verdict: whether all is well, in words, and if not, why.
//
// Ground rules. Pure: what the server sent goes in, sentences come out. A sentence begins with our
// words, never with a user's. The headline has no number that changes with each frame, because
// screen readers read it aloud when it changes. The bounds are where a person who waits would
// notice. They are named below.
import type { Frame } from '../../frame.ts';
import { clock, count, plural, share, time } from '../words/format.ts';
import { quoted } from '../words/visible.ts';
import { CAUSES, causeOf } from './cause.ts';
import { chosenOf, endedWithin, latenessWithin, quantile, spanOf, sum } from './history.ts';
import type { Hang } from './silence.ts';

export type Tone = 'well' | 'note' | 'warn' | 'bad';

export interface Warning {
  readonly tone: Tone;
  /** The name of the warning. Unique, and used in the headline. */
  readonly what: string;
  /** The numbers, and what to do. */
  readonly why: string;
}

export interface Verdict {
  readonly tone: Tone;
  readonly headline: string;
  readonly detail: string;
  readonly warnings: readonly Warning[];
}

/** The span of time that warnings look back on, in ms. */
const RECENT_MS = 10_000;
/** How long the page shows a silence that has ended, in ms. */
const HANG_TOLD_MS = 60_000;
const BLOCKED_WARN_MS = 100;
const BLOCKED_BAD_MS = 1000;
const LATE_WARN_MS = 50;
const OVERDUE_MS = 1000;
const CUT_OFF_MS = 1000;
const FULL_SHARE = 0.9;
const GROWN_BY = 20;
/** With fewer ends in a minute, shares mean nothing. */
const FEW_ENDS = 20;

const HEADLINES: Record<Tone, string> = {
  well: 'All is well',
  note: 'All is well, with a remark',
  warn: 'Have a look',
  bad: 'Something is wrong',
};
const SEVERITY: readonly Tone[] = ['bad', 'warn', 'note'];

/** `frames` is not empty. */
export function judge(frames: readonly Frame[], chosen: string | undefined, hang?: Hang): Verdict {
  const recent = frames.slice(frames.indexOf(spanOf(frames, RECENT_MS)[0]));
  const hung = hanging(recent, hang);
  const warnings = [
    ...hung,
    ...(hung.length > 0 ? [] : waiting(frames, recent)),
    ...cutOff(recent),
    ...overdue(recent, chosen),
    ...full(recent, chosen),
    ...failing(frames, chosen),
    ...growing(recent, chosen),
    ...expiring(frames, chosen),
  ];
  warnings.sort((a, b) => SEVERITY.indexOf(a.tone) - SEVERITY.indexOf(b.tone));
  const [worst] = warnings;
  if (worst === undefined) {
    const isQuiet = sum(chosenOf(recent[recent.length - 1], chosen), ({ parked }) => parked) === 0;
    return {
      tone: 'well',
      headline: isQuiet ? 'All is quiet' : HEADLINES.well,
      detail: isQuiet
        ? 'Nothing is parked.'
        : 'Nobody waits past a deadline, the event loop is free, no key grows without an answer.',
      warnings,
    };
  }
  return {
    tone: worst.tone,
    headline: `${HEADLINES[worst.tone]}: ${worst.what}`,
    detail: worst.why,
    warnings,
  };
}

function hanging(recent: readonly Frame[], hang: Hang | undefined): Warning[] {
  if (hang === undefined || recent[recent.length - 1].atMs - hang.atMs > HANG_TOLD_MS) return [];
  const { forMs, wallMs, host } = hang;
  const until = `Nothing came for ${time(forMs)}, until ${clock(wallMs)}:`;
  if (host === undefined) {
    const why = `${until} the server went on meanwhile, its news did not arrive.`;
    return [{ tone: 'note', what: 'the connection was interrupted', why }];
  }
  const why = `${until} the process stood still, and nothing was answered. ${CAUSES[causeOf(host)]}`;
  return [{ tone: 'bad', what: `the server hung for ${time(forMs)}`, why }];
}

/**
 * Warnings of a blocked event loop and of late timers. The blocked loop is the cause of the
 * lateness, unless the block was too short.
 */
function waiting(frames: readonly Frame[], recent: readonly Frame[]): Warning[] {
  const { host } = recent.reduce((a, b) => (b.host.blockedMs > a.host.blockedMs ? b : a));
  const late = latestTimer(frames);
  const isBlocked = host.blockedMs >= BLOCKED_WARN_MS;
  const isAlone = late !== undefined && late.atLeastMs > host.blockedMs;
  const warnings: Warning[] = [];
  if (isBlocked || (late !== undefined && !isAlone)) {
    const cause = causeOf(host);
    const tone = host.blockedMs >= BLOCKED_BAD_MS ? 'bad' : 'warn';
    const what = cause === 'machine' ? 'the machine is busy' : 'the event loop was blocked';
    const stood = `The event loop stood still for ${time(host.blockedMs)} within the last 10 s, and nothing was answered.`;
    const ran = late === undefined || isAlone ? '' : ` For that, ${late.inWords}.`;
    warnings.push({ tone, what, why: `${stood}${ran} ${CAUSES[cause]}` });
  }
  if (isAlone) {
    const why = `Within the last 10 s, ${late.inWords}, though the event loop was never more than ${time(host.blockedMs)} late. Either a burst of deadlines is spread over turns (yields), or the timer is advanced by hand and too seldom.`;
    warnings.push({ tone: 'warn', what: 'the timer runs late', why });
  }
  return warnings;
}

interface LateTimer {
  /** One task in a hundred was later than this. */
  readonly atLeastMs: number;
  readonly inWords: string;
}

/** The timer with the highest lateness in the recent time. Undefined when none ran late. */
function latestTimer(frames: readonly Frame[]): LateTimer | undefined {
  let latest: LateTimer | undefined;
  for (const { name, lateness, tickMs } of frames[frames.length - 1].timers) {
    const { leMs } = lateness;
    const bound = quantile(leMs, latenessWithin(frames, name, RECENT_MS), 0.99);
    if (bound === undefined || bound < LATE_WARN_MS + tickMs) continue;
    const isKnown = Number.isFinite(bound);
    const atLeastMs = isKnown ? (leMs[leMs.indexOf(bound) - 1] ?? 0) : leMs[leMs.length - 1];
    if (latest !== undefined && latest.atLeastMs >= atLeastMs) continue;
    const by = isKnown ? `up to ${time(bound)}` : `more than ${time(atLeastMs)}`;
    latest = { atLeastMs, inWords: `one task in a hundred ran ${by} after its deadline` };
  }
  return latest;
}

function cutOff(recent: readonly Frame[]): Warning[] {
  return recent[recent.length - 1].buses.flatMap(({ engine, state, forMs, pendingKeys, lastError }) => {
    if (state === 'live' || state === 'closed' || forMs < CUT_OFF_MS) return [];
    const since = state === 'gap' ? 'It has been in a gap' : 'It has tried to connect';
    const said = lastError === null ? '' : ` It said: ${quoted(lastError.message)}.`;
    const why = `${since} for ${time(forMs)}: hints of other processes do not arrive, and ${plural(pendingKeys, 'key')} wait to be sent. Waits fall back on their deadlines.${said}`;
    return [{ tone: 'warn' as const, what: `the bus of ${quoted(engine)} is cut off`, why }];
  });
}

function overdue(recent: readonly Frame[], chosen: string | undefined): Warning[] {
  return chosenOf(recent[recent.length - 1], chosen).flatMap(({ name, oldest }) => {
    const past = Math.max(...oldest.map(({ leftMs }) => -(leftMs ?? 0)), 0);
    if (past < OVERDUE_MS) return [];
    const why = `An operation of ${quoted(name)} is still parked ${time(past)} after it. Does its timer still run (advanceClock, where the reaper is off)?`;
    return [{ tone: 'bad' as const, what: 'a deadline has passed unanswered', why }];
  });
}

function full(recent: readonly Frame[], chosen: string | undefined): Warning[] {
  return chosenOf(recent[recent.length - 1], chosen).flatMap(({ name, parked, maxParked }) => {
    if (maxParked === null || parked < FULL_SHARE * maxParked) return [];
    const why = `It holds ${count(parked)} of ${count(maxParked)} operations. When it is full, parking throws ERR_PURGATORY_FULL.`;
    return [{ tone: 'warn' as const, what: `purgatory ${quoted(name)} is nearly full`, why }];
  });
}

function failing(frames: readonly Frame[], chosen: string | undefined): Warning[] {
  const { failed } = endedWithin(frames, chosen, RECENT_MS);
  if (failed === 0) return [];
  const why = `${plural(failed, 'call')} of tryComplete, onComplete or onExpiration threw in the last 10 s. The errors went to onError.`;
  return [{ tone: 'warn', what: 'operations throw', why }];
}

/** Keys that gained many watchers in the recent time and never lost any. */
function growing(recent: readonly Frame[], chosen: string | undefined): Warning[] {
  const [first] = recent;
  const last = recent[recent.length - 1];
  if (last.atMs - first.atMs < RECENT_MS * 0.9) return [];
  return chosenOf(last, chosen).flatMap(({ name, hottestKeys }) => {
    const grown = hottestKeys.find(({ key, watchers }) => {
      let before = Number.NEGATIVE_INFINITY;
      for (const frame of recent) {
        const view = frame.purgatories.find((each) => each.name === name);
        const now = view?.hottestKeys.find((each) => each.key === key)?.watchers;
        if (now === undefined || now < before) return false;
        before = now;
      }
      const atFirst = first.purgatories.find((each) => each.name === name);
      return watchers - (atFirst?.hottestKeys.find((each) => each.key === key)?.watchers ?? 0) >= GROWN_BY;
    });
    if (grown === undefined) return [];
    const why = `More and more operations of ${quoted(name)} watch ${quoted(grown.key)} (${count(grown.watchers)} now), and none has left it for 10 s. Do its events still come?`;
    return [{ tone: 'warn' as const, what: 'a key grows without completion', why }];
  });
}

function expiring(frames: readonly Frame[], chosen: string | undefined): Warning[] {
  const { completed, expired } = endedWithin(frames, chosen, 60_000);
  if (completed + expired < FEW_ENDS || completed >= expired) return [];
  const why = `Only ${share(completed, completed + expired)} completed early in the last minute. Normal for quiet long polls; elsewhere events may be missing, or deadlines too short.`;
  return [{ tone: 'note', what: 'most operations run into their deadline', why }];
}
