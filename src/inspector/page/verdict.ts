// Whether all is well, in words, and why not.
//
// Ground rules. Pure: the frames of the last minute in, sentences out. The headline carries no number that changes with each frame, as
// screen readers read it out when it changes. Bounds are where a person who waits would notice, and named below.
import type { Frame } from '../frame.ts';
import { count, plural, share, time } from './format.ts';
import { chosenOf, endedWithin, latenessWithin, quantile, spanOf, sum } from './history.ts';

export type Tone = 'well' | 'note' | 'warn' | 'bad';

export interface Warning {
  readonly tone: Tone;
  /** Tells warnings apart, and names them in the headline. */
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

/** The time that warnings look back on, in ms. */
const RECENT_MS = 10_000;
const BLOCKED_WARN_MS = 100;
const BLOCKED_BAD_MS = 1000;
const LATE_WARN_MS = 50;
const OVERDUE_MS = 1000;
const FULL_SHARE = 0.9;
const GROWN_BY = 20;
/** Ends in a minute below which shares say nothing. */
const FEW_ENDS = 20;

const HEADLINES: Record<Tone, string> = {
  well: 'All is well',
  note: 'All is well, with a remark',
  warn: 'Have a look',
  bad: 'Something is wrong',
};
const SEVERITY: readonly Tone[] = ['bad', 'warn', 'note'];

/** `frames` is not empty. */
export function judge(frames: readonly Frame[], chosen: string | undefined): Verdict {
  const recent = frames.slice(frames.indexOf(spanOf(frames, RECENT_MS)[0]));
  const warnings = [
    ...blocked(recent),
    ...late(frames),
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
    detail:
      warnings.length > 1 ? `${worst.why} ${plural(warnings.length - 1, 'more warning')} below.` : worst.why,
    warnings,
  };
}

function blocked(recent: readonly Frame[]): Warning[] {
  const longest = Math.max(...recent.map(({ blockedMs }) => blockedMs));
  if (longest < BLOCKED_WARN_MS) return [];
  const tone = longest >= BLOCKED_BAD_MS ? 'bad' : 'warn';
  const why = `It stood still for ${time(longest)} within the last 10 s, and nothing was answered: a callback takes long, or the process gets no CPU.`;
  return [{ tone, what: 'the event loop was blocked', why }];
}

function late(frames: readonly Frame[]): Warning[] {
  const { timers } = frames[frames.length - 1];
  return timers.flatMap(({ lateness, tickMs }, timer) => {
    const bound = quantile(lateness.leMs, latenessWithin(frames, timer, RECENT_MS), 0.99);
    if (bound === undefined || bound < LATE_WARN_MS + tickMs) return [];
    const known = Number.isFinite(bound)
      ? `up to ${time(bound)}`
      : `more than ${time(lateness.leMs[lateness.leMs.length - 1])}`;
    const why = `One task in a hundred of the last 10 s ran ${known} after its deadline: the process is short of CPU, or callbacks take long.`;
    return [{ tone: 'warn' as const, what: 'the timer runs late', why }];
  });
}

function overdue(recent: readonly Frame[], chosen: string | undefined): Warning[] {
  return chosenOf(recent[recent.length - 1], chosen).flatMap(({ name, oldest }) => {
    const past = Math.max(...oldest.map(({ leftMs }) => -(leftMs ?? 0)), 0);
    if (past < OVERDUE_MS) return [];
    const why = `An operation of ${name} is still parked ${time(past)} after it. Does its timer still run (advanceClock, where the reaper is off)?`;
    return [{ tone: 'bad' as const, what: 'a deadline has passed unanswered', why }];
  });
}

function full(recent: readonly Frame[], chosen: string | undefined): Warning[] {
  return chosenOf(recent[recent.length - 1], chosen).flatMap(({ name, parked, maxParked }) => {
    if (maxParked === null || parked < FULL_SHARE * maxParked) return [];
    const why = `${name} holds ${count(parked)} of ${count(maxParked)} operations. When it is full, parking throws ERR_PURGATORY_FULL.`;
    return [{ tone: 'warn' as const, what: `${name} is nearly full`, why }];
  });
}

function failing(frames: readonly Frame[], chosen: string | undefined): Warning[] {
  const { failed } = endedWithin(frames, chosen, RECENT_MS);
  if (failed === 0) return [];
  const why = `${plural(failed, 'call')} of tryComplete, onComplete or onExpiration threw in the last 10 s. The errors went to onError.`;
  return [{ tone: 'warn', what: 'operations throw', why }];
}

/** A key whose watchers never got fewer over all of the recent time, and many more. */
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
    const why = `More and more operations of ${name} watch ${grown.key} (${count(grown.watchers)} now), and none has left it for 10 s. Do its events still come?`;
    return [{ tone: 'warn' as const, what: 'a key grows without completion', why }];
  });
}

function expiring(frames: readonly Frame[], chosen: string | undefined): Warning[] {
  const { completed, expired } = endedWithin(frames, chosen, 60_000);
  if (completed + expired < FEW_ENDS || completed >= expired) return [];
  const why = `Only ${share(completed, completed + expired)} completed early in the last minute. Normal for quiet long polls; elsewhere events may be missing, or deadlines too short.`;
  return [{ tone: 'note', what: 'most operations run into their deadline', why }];
}
