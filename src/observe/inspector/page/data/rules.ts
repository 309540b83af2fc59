// What the page warns of: one table. A new warning is one entry of it.
//
// Ground rules. A rule has a name, a level, and sentences: what is wrong, and why. `now` finds it
// in the frames, the present. `past` finds it in the seconds of the server: `holds` picks seconds,
// and `say` makes a sentence of some of them. That is an incident of the history, and the verdict
// shows it for a while. Pure: both get the chosen purgatories only. A sentence begins with our
// words, never with a user's. `what` has no number that changes with each frame, because screen
// readers read the headline aloud when it changes. `why` has the numbers, and names a cause only
// where there is no other. The bounds are where a person who waits would notice.
import type { Frame, PurgatoryView, Second, Spent } from '../../frame.ts';
import { clock, count, plural, progress, share, time } from '../words/format.ts';
import { quoted } from '../words/visible.ts';
import { countIn, last, latenessIn, most, type Recording, secondsWithin, sum, views } from './history.ts';

export type Level = 'note' | 'warn' | 'bad';

/** What is wrong, as the headline calls it; and why: the numbers, and what to do. */
export type Sentence = readonly [what: string, why: string];

export interface Rule {
  readonly name: string;
  /** Default `warn`. */
  readonly level?: Level | ((seconds: readonly Second[]) => Level);
  readonly now?: (recording: Recording) => readonly Sentence[];
  /** The verdict tells it where `now` finds nothing. */
  readonly past?: Past;
}

export interface Past {
  /** As the predicate of a filter. */
  readonly holds: (second: Second, at: number, seconds: readonly Second[]) => boolean;
  readonly say: (seconds: readonly Second[]) => Sentence;
  /** How long the verdict tells it, in ms. Default RECENT_MS. */
  readonly forMs?: number;
}

export const RECENT_MS = 10_000;
export const MINUTE_MS = 60_000;
/** From this length on, in ms, a block of the event loop counts as a silence of the server. */
export const SILENT_MS = 2000;
const BLOCKED_MS = 100;
const BLOCKED_BAD_MS = 1000;
const LATE_MS = 32;
const OVERDUE_MS = 1000;
/** An event that takes so long keeps its last watchers waiting for a time that people notice. */
const LONG_EVENT_MS = 500;
const HEAVY_KEY_MS = 1000;
const FULL_SHARE = 0.9;
const GROWN_BY = 20;
const CUT_OFF_MS = 1000;
/** A permit that is held for so long while others wait was probably never released. */
const HELD_MS = MINUTE_MS;
/** With fewer ends in a minute, shares mean nothing. */
const FEW_ENDS = 20;
/** The part of a span of time from which on it is named as its cause. */
const MOST = 0.8;

const HELP = 'What helps: fewer watchers a key, notify with atMost, or cheaper answers.';

/** Of the same level, the first one is the headline: it says most of what people notice. */
export const RULES: readonly Rule[] = [
  {
    name: 'hung',
    level: 'bad',
    past: {
      forMs: MINUTE_MS,
      holds: (second) => blockedMs(second) >= SILENT_MS,
      say: (seconds) => {
        const longest = most(seconds, blockedMs);
        const what = `the server hung for ${time(longest.blocked.overMs)}`;
        return [what, `The event loop stood still, and nothing was answered. ${standstill(longest)}`];
      },
    },
  },
  {
    name: 'overdue',
    level: 'bad',
    now: (recording) => {
      const recent = secondsWithin(recording.seconds, last(recording.frames).wallMs, RECENT_MS);
      const stoodMs = sum(recent.filter(isBlocked), blockedMs);
      return eachView(recording, ({ name, oldest }) => {
        const pastMs = Math.max(...oldest.map(({ leftMs }) => -(leftMs ?? 0)), 0);
        // Behind a block, the timer has to catch up first.
        if (pastMs < OVERDUE_MS + stoodMs) return undefined;
        const why = `In ${quoted(name)} an operation is still parked ${time(pastMs)} after its deadline. Does its timer run? With the reaper off, only advanceClock() runs it.`;
        return ['a deadline has passed unanswered', why];
      });
    },
  },
  {
    name: 'refused',
    now: (recording) =>
      eachView(recording, ({ name, parked, maxParked, refused = {} }) => {
        const refusing = recording.seconds.filter(
          ({ purgatories }) => purgatories[name]?.refused !== undefined,
        );
        const isRefusing = secondsWithin(refusing, last(recording.frames).wallMs, RECENT_MS).length > 0;
        const fullness = parked / (maxParked ?? Number.POSITIVE_INFINITY);
        if (fullness < FULL_SHARE && !isRefusing) return undefined;
        const refuses = fullness < FULL_SHARE ? 'has refused operations' : 'refuses operations';
        const state = fullness >= 1 ? 'is full' : isRefusing ? refuses : 'is nearly full';
        const holds =
          maxParked === null ? '' : `It holds ${count(parked)} of ${count(maxParked)} operations. `;
        const codes = Object.entries(refused).filter(([, n]) => n > 0);
        const all = codes.map(([code, n]) => `${count(n)} with ${quoted(code)}`).join(', ') || 'none';
        const when =
          refusing.length > 0
            ? `, the last at ${clock(last(refusing).wallMs)}`
            : codes.length > 0
              ? ', none in the time that the history has'
              : '';
        return [`purgatory ${quoted(name)} ${state}`, `${holds}It has refused ${all} so far${when}.`];
      }),
    past: {
      holds: (second) => refusedIn(second) > 0,
      say: (seconds) => {
        const refusing = seconds.flatMap(views).filter(({ refused }) => refused !== undefined);
        const names = refusing.map(({ name }) => name);
        const codes = refusing.flatMap(({ refused = {} }) => Object.keys(refused));
        const peak = Math.max(...seconds.map(refusedIn));
        const why = `${listed(names)} refused ${count(sum(seconds, refusedIn))} with ${listed(codes)}, ${count(peak)} a second at most.`;
        return ['operations were refused', why];
      },
    },
  },
  {
    name: 'rejected',
    past: {
      holds: (second) => countIn([second], 'rejected') > 0,
      say: (seconds) => {
        const all = plural(countIn(seconds, 'rejected'), 'wait was', 'waits were');
        const why = `${all} rejected, because the condition threw or a load failed. ${lastError(seconds)}`;
        return ['waits are rejected by errors', why];
      },
    },
  },
  {
    name: 'threw',
    past: {
      holds: (second) => countIn([second], 'failed') > 0,
      say: (seconds) => {
        const threw = `${plural(countIn(seconds, 'failed'), 'call')} of tryComplete, onComplete or onExpiration threw.`;
        return ['operations throw', `${threw} ${lastError(seconds)}`];
      },
    },
  },
  {
    name: 'cut off',
    now: ({ frames }) =>
      last(frames).buses.flatMap((bus): Sentence[] => {
        const { name, engine, state, nowMs, sinceMs, pendingKeys, lastError } = bus;
        if (state === 'live' || state === 'closed' || nowMs - sinceMs < CUT_OFF_MS) return [];
        const pending =
          pendingKeys === 0 ? '' : `, and ${plural(pendingKeys, 'key waits', 'keys wait')} to be sent`;
        const since = state === 'gap' ? 'It has been in a gap' : 'It has tried to connect';
        const said = lastError === null ? '' : ` It said: ${quoted(lastError.message)}.`;
        const why = `${since} for ${time(nowMs - sinceMs)}: hints of other processes do not arrive${pending}. Until it is live, waits have only their deadlines.${said}`;
        return [[`the bus ${quoted(name ?? engine)} is cut off`, why]];
      }),
    past: {
      holds: ({ cutOff }) => cutOff !== undefined,
      say: (seconds) => {
        const names = listed(seconds.flatMap(({ cutOff = [] }) => cutOff));
        const why = `No hints of other processes came over ${names}, so waits had only their deadlines. After the gap all of them are tried once.`;
        return ['a bus was cut off', why];
      },
    },
  },
  {
    name: 'long event',
    now: (recording) =>
      eachView(recording, ({ name, events: { pendingKeys, passesUnderWay, oldestMs, oldestPass } }) => {
        if (oldestMs <= LONG_EVENT_MS) return undefined;
        const pending =
          pendingKeys === 0 ? '' : ` and ${plural(pendingKeys, 'key waits', 'keys wait')} for theirs`;
        const underWay = `${plural(passesUnderWay, 'event is', 'events are')} under way${pending}, the oldest for ${time(oldestMs)}.`;
        const goesOn = `The event loop goes on meanwhile, but the last watchers wait. ${HELP}`;
        if (oldestPass === null)
          return [`events of purgatory ${quoted(name)} wait long`, `${underWay} ${goesOn}`];
        const key = quoted(oldestPass.key);
        const others = passesUnderWay + pendingKeys > 1 ? ` In all, ${underWay}` : '';
        const done = `${progress(oldestPass)} in ${time(oldestPass.ageMs)}.${others}`;
        return [`the event on ${key} takes long`, `In ${quoted(name)}: ${done} ${goesOn}`];
      }),
    past: {
      holds: (second) => passes([second]).some(({ ageMs }) => ageMs > LONG_EVENT_MS),
      say: (seconds) => {
        const longest = most(passes(seconds), ({ ageMs }) => ageMs);
        const why = `In ${quoted(longest.name)}: ${progress(longest)} in ${time(longest.ageMs)}. ${HELP}`;
        return [`the event on ${quoted(longest.key)} took long`, why];
      },
    },
  },
  {
    name: 'blocked',
    level: (seconds) => (seconds.some((each) => blockedMs(each) >= BLOCKED_BAD_MS) ? 'bad' : 'warn'),
    past: {
      holds: (second) => isBlocked(second) && blockedMs(second) < SILENT_MS,
      say: (seconds) => {
        const longest = most(seconds, blockedMs);
        const what =
          causeOf(longest.blocked) === 'starved' ? 'the process got no CPU' : 'the event loop was blocked';
        const stood = `The event loop stood still for ${time(blockedMs(longest))} at the longest.`;
        return [what, `${stood} ${standstill(longest)}`];
      },
    },
  },
  {
    name: 'starved',
    past: {
      holds: (second) => !isBlocked(second) && (second.waitedMs ?? 0) >= second.overMs / 2,
      say: (seconds) => {
        const longest = most(seconds, ({ waitedMs }) => waitedMs ?? 0);
        return ['the process waits for a CPU', `In ${time(longest.overMs)} ${spent(longest)}`];
      },
    },
  },
  {
    name: 'late',
    past: {
      // What was due while the loop was blocked, once or again and again, runs late afterwards.
      holds: (second, at, seconds) =>
        lateMs(second) >= LATE_MS &&
        lateMs(second) > sum(seconds.slice(Math.max(0, at - 3), at + 1), blockedMs),
      say: (seconds) => {
        const latest = most(seconds, lateMs);
        const by = Number.isFinite(latenessIn(latest)) ? `up to ${time(latenessIn(latest))}` : 'very';
        const why = `One task in a hundred ran ${by} late, and no block explains it. In ${time(latest.overMs)} ${spent(latest, LATE_CAUSES)}`;
        return ['the timer ran late', why];
      },
    },
  },
  {
    name: 'heavy key',
    now: (recording) =>
      eachView(recording, ({ name, hottestKeys: [hottest], events }) => {
        const tookMs = (hottest?.watchers ?? 0) * (events.tryMs ?? 0);
        if (tookMs < HEAVY_KEY_MS || events.oldestMs > LONG_EVENT_MS) return undefined;
        const why = `It has ${count(hottest.watchers)} watchers in ${quoted(name)}. By what a try with its answer has taken, an event on it takes about ${time(tookMs)}, and longer beside other work. ${HELP}`;
        return [`an event on ${quoted(hottest.key)} would take long`, why];
      }),
  },
  {
    name: 'growing',
    now: (recording) =>
      eachView(recording, ({ name, hottestKeys }) => {
        const { frames } = recording;
        if (last(frames).atMs - frames[0].atMs < 0.9 * RECENT_MS) return undefined;
        const grown = hottestKeys.find(({ key, watchers }) => {
          const counts = frames.map((frame) => watchersIn(frame, name, key));
          const hasLostNone = counts.every((n, index) => n >= (counts[index - 1] ?? 0));
          return hasLostNone && watchers - counts[0] >= GROWN_BY;
        });
        if (grown === undefined) return undefined;
        const why = `More and more operations of ${quoted(name)} watch ${quoted(grown.key)} (${count(grown.watchers)} now), and none has left it for 10 s. Do its events still come?`;
        return ['a key grows without completion', why];
      }),
  },
  {
    name: 'held',
    now: (recording) =>
      eachView(recording, ({ name, units, hottestKeys }) => {
        const held = units?.heldLongest;
        if (held == null || held.ageMs < HELD_MS) return undefined;
        const waiting = hottestKeys.find(({ key }) => key === held.key)?.watchers ?? 0;
        if (waiting === 0) return undefined;
        const what = plural(held.units, 'unit', 'units');
        const waits = plural(waiting, 'wait is parked', 'waits are parked');
        const why = `Of ${quoted(held.key)} in ${quoted(name)}, ${quoted(held.label)} has held ${what} for ${time(held.ageMs)}, and ${waits} there. Is the permit released on every path?`;
        return ['a permit is held for long while others wait', why];
      }),
  },
  {
    name: 'interrupted',
    level: 'note',
    now: ({ silence, frames, seconds }) => {
      const { wallMs } = last(frames);
      if (silence === undefined || wallMs - silence.untilMs > MINUTE_MS) return [];
      // A server that stood still says so itself.
      const stood = secondsWithin(seconds, wallMs, MINUTE_MS + silence.forMs).some(
        (each) => blockedMs(each) >= SILENT_MS,
      );
      const why = `Nothing came for ${time(silence.forMs)}, until ${clock(silence.untilMs)}: the server went on meanwhile, but its news did not arrive.`;
      return stood ? [] : [['the connection was interrupted', why]];
    },
  },
  {
    name: 'expiring',
    level: 'note',
    now: ({ frames, seconds }) => {
      const minute = secondsWithin(seconds, last(frames).wallMs, MINUTE_MS);
      const [completed, expired] = [countIn(minute, 'completed'), countIn(minute, 'expired')];
      if (completed + expired < FEW_ENDS || completed >= expired) return [];
      const why = `Of those that ended in the last minute, an event completed ${share(completed, completed + expired)}. That is normal for quiet long polls. Elsewhere events may be missing, or deadlines too short.`;
      return [['most operations run into their deadline', why]];
    },
  },
];

/** What `say` finds wrong with each purgatory. */
function eachView({ frames }: Recording, say: (view: PurgatoryView) => Sentence | undefined): Sentence[] {
  return last(frames).purgatories.flatMap((view) => {
    const sentence = say(view);
    return sentence === undefined ? [] : [sentence];
  });
}

const blockedMs = ({ blocked }: Second): number => blocked.overMs;

/** Whether the event loop was blocked in this second. */
export function isBlocked(second: Second): boolean {
  return blockedMs(second) >= BLOCKED_MS;
}

/** What the span went to, if nearly all of it went there. */
function causeOf({ overMs, ranMs, waitedMs }: Spent): 'ran' | 'starved' | 'stood' | undefined {
  if (ranMs >= MOST * overMs) return 'ran';
  if (waitedMs === null) return undefined;
  if (waitedMs >= MOST * overMs) return 'starved';
  return overMs - ranMs - waitedMs >= MOST * overMs ? 'stood' : undefined;
}

const CAUSES = {
  ran: ': a callback took long, the garbage collector worked, or code spun on microtasks',
  starved: ': other processes of this machine, or a CPU limit, took it',
  stood:
    ': it or the machine was stopped or suspended, or it waited in a synchronous call (a file, a child process)',
};
const LATE_CAUSES: typeof CAUSES = {
  ran: ': many deadlines or events came at once, and were served in slices',
  starved: CAUSES.starved,
  stood: ': the timer may be advanced by hand, and too seldom',
};

/** On a CPU and without one; and why, where nearly all of the time went to one thing. */
function spent(span: Spent, causes = CAUSES): string {
  const { ranMs, waitedMs } = span;
  const cause = causeOf(span);
  const waited =
    waitedMs === null
      ? '; how long it waited for a CPU, this system does not say'
      : ` and waited ${time(waitedMs)} for a CPU`;
  return `the process ran for ${time(ranMs)}${waited}${cause === undefined ? '' : causes[cause]}.`;
}

/** Why the loop stood still, and which event of a purgatory could not go on with it. */
function standstill(second: Second): string {
  const why = `In that time ${spent(second.blocked)}`;
  const held = passes([second]).filter(({ ageMs }) => ageMs >= blockedMs(second));
  if (held.length === 0) return why;
  const oldest = most(held, ({ ageMs }) => ageMs);
  const others = sum(held, ({ passes }) => passes) - 1;
  const and = others > 0 ? `, nor could ${plural(others, 'other')}` : '';
  return `${why} The event on ${quoted(oldest.key)} in ${quoted(oldest.name)} could not go on meanwhile (${progress(oldest)})${and}.`;
}

function passes(seconds: readonly Second[]) {
  return seconds.flatMap(views).flatMap(({ name, pass }) => (pass === undefined ? [] : [{ ...pass, name }]));
}

/** The lower edge of the bin of the histogram: the task was later than that. */
function lateMs(second: Second): number {
  return latenessIn(second) / 2;
}

function refusedIn(second: Second): number {
  return sum(views(second), ({ refused = {} }) => sum(Object.values(refused), Number));
}

/** NaN where the frame does not say. */
function watchersIn({ purgatories }: Frame, purgatory: string, key: string): number {
  const view = purgatories.find(({ name }) => name === purgatory);
  return view?.hottestKeys.find((each) => each.key === key)?.watchers ?? Number.NaN;
}

function lastError(seconds: readonly Second[]): string {
  const errors = seconds.flatMap(views).flatMap(({ name, error }) => (error ? [{ ...error, name }] : []));
  if (errors.length === 0) return 'The errors went to onError.';
  const { name, operation, key, message } = last(errors);
  const on = key === null ? '' : ` on ${quoted(key)}`;
  return `The last error: ${quoted(message)} (${quoted(operation)}${on} in ${quoted(name)}).`;
}

/** Each once. */
function listed(names: readonly string[]): string {
  return [...new Set(names)].map(quoted).join(', ');
}
