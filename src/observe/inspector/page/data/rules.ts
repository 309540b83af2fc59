// What the page warns of: one table. A new warning is one entry of it.
//
// Ground rules. A rule has a name, a level, and sentences: what is wrong, and why. `now` finds it
// in the frames, the present. `past` finds it in the seconds of the server: `find` says what is
// wrong in a second, and `say` makes a sentence of what was found in some of them. That is an
// incident of the history, and the verdict shows it while it goes on and for a while after. So it is
// told to who opens the page late, too. Pure: both get the chosen purgatories only. A sentence
// begins with our words, never with a user's. `what` has no number that changes with each frame,
// because screen readers read the headline aloud when it changes. `why` has the numbers, and names a
// cause only where there is no other. The bounds are where a person who waits would notice.
import {
  ENDS,
  type End,
  NOTED,
  type PurgatoryView,
  type Second,
  type SecondOfPurgatory,
  type Spent,
} from '../../frame.ts';
import { clock, count, plural, progress, share, time } from '../words/format.ts';
import { quoted } from '../words/visible.ts';
import { countIn, last, latenessIn, most, type Recording, secondsWithin, sum, views } from './history.ts';

export type Level = 'note' | 'warn' | 'bad';

/**
 * What is wrong, as the headline calls it; and why: the numbers, and what to do. Its level, where
 * that is not the rule's.
 */
export type Sentence = readonly [what: string, why: string, level?: Level];

export interface Rule {
  readonly name: string;
  /** Default `warn`. */
  readonly level?: Level;
  readonly now?: (recording: Recording) => readonly Sentence[];
  /** The verdict tells it where `now` finds nothing. */
  readonly past?: Past<unknown>;
}

export interface Past<Found> {
  /** What is wrong in the second with the index `at`. */
  find(second: Second, at: number, seconds: readonly Second[]): readonly Found[];
  /** @param found in seconds that follow each other, or nearly so. Not empty. */
  say(found: readonly Found[]): Sentence;
  /** How long the verdict tells it after it has ended, in ms. */
  readonly forMs: number;
}

export const RECENT_MS = 10_000;
export const MINUTE_MS = 60_000;
/** From this length on, in ms, a block of the event loop counts as a silence of the server. */
export const SILENT_MS = 2000;
const BLOCKED_MS = 100;
const BLOCKED_BAD_MS = 1000;
const LATE_MS = 32;
/** An event that takes so long keeps its last watchers waiting for a time that people notice. */
const LONG_EVENT_MS = 500;
const FULL_SHARE = 0.9;
const CUT_OFF_MS = 1000;
/**
 * What grows by so many, and in each tenth of so many seconds, is no burst: clients that come back
 * after a deploy, or the beginning of a busy day. What may have a deadline is given a minute.
 */
const MANY = 100;
const ENDLESS_S = 20;
const GROWING_S = 60;
/** With fewer ends in a minute, shares mean nothing. */
const FEW_ENDS = 20;
/** The part of a span of time from which on it is named as its cause. */
const MOST = 0.8;

/** Of so many purgatories the last error is told. */
const MAX_ERRORS = 3;

const HELP = 'What helps: fewer watchers a key, notify with atMost, or cheaper answers.';

function tryIn(tryMs: number | null): string {
  return tryMs === null ? '' : ` A try with its answer takes ${time(tryMs)}.`;
}

/** What was found in a purgatory, by its name. */
type Of<T> = T & { readonly name: string };

/** So that `say` gets what `find` finds. */
function past<Found>(
  find: Past<Found>['find'],
  say: (found: readonly Found[]) => Sentence,
  forMs = RECENT_MS,
): Past<unknown> {
  return { find, say, forMs } satisfies Past<Found>;
}

/** The seconds themselves for which it `holds`. */
function whole(
  holds: (second: Second, at: number, seconds: readonly Second[]) => boolean,
): Past<Second>['find'] {
  return (second, at, seconds) => (holds(second, at, seconds) ? [second] : []);
}

/** What is found in each purgatory. */
function each<T extends object>(
  find: (of: Of<SecondOfPurgatory>, at: number, seconds: readonly Second[]) => T | undefined,
): Past<Of<T>>['find'] {
  return (second, at, seconds) =>
    views(second).flatMap((of) => {
      const found = find(of, at, seconds);
      return found === undefined ? [] : [{ ...found, name: of.name }];
    });
}

/** Of the same level, the first one is the headline: it says most of what people notice. */
export const RULES: readonly Rule[] = [
  {
    name: 'hung',
    level: 'bad',
    past: past(
      whole((second) => blockedMs(second) >= SILENT_MS),
      (seconds) => {
        const longest = most(seconds, blockedMs);
        const what = `the server hung for ${time(longest.blocked.overMs)}`;
        return [what, `The event loop stood still, and nothing was answered. ${standstill(longest)}`];
      },
      MINUTE_MS,
    ),
  },
  {
    name: 'overdue',
    level: 'bad',
    past: past(
      each(({ overdueMs = 0 }, at, seconds) => {
        // Behind a block, the timer has to catch up first.
        const stoodMs = sum(seconds.slice(Math.max(0, at - 9), at + 1).filter(isBlocked), blockedMs);
        return overdueMs >= NOTED.overdueMs + stoodMs ? { overdueMs } : undefined;
      }),
      (found) => {
        const { name, overdueMs } = most(found, (one) => one.overdueMs);
        const why = `In ${quoted(name)} an operation was still parked ${time(overdueMs)} after its deadline. Does its timer run? With the reaper off, only advanceClock() runs it.`;
        return ['a deadline has passed unanswered', why];
      },
    ),
  },
  {
    name: 'loads hang',
    past: past(
      each(({ load }) => load),
      (found) => {
        const { name, ageMs, keys, key, waits, keysDue } = last(found);
        const others = keys > 1 ? ` and ${plural(keys - 1, 'other key')}` : '';
        const due = keysDue > 0 ? `, and ${plural(keysDue, 'key waits', 'keys wait')} for a load` : '';
        const why = `In ${quoted(name)} the load of ${quoted(key)}${others} has been under way for ${time(ageMs)}. ${plural(waits, 'wait stands', 'waits stand')} behind it${due}. Is the store up? loadTimeoutMs gives such a load up.`;
        return ['loads of shared state do not end', why];
      },
    ),
  },
  {
    name: 'loads fail',
    past: past(
      each(({ loadsFailed, parked, error }) => (loadsFailed ? { loadsFailed, parked, error } : undefined)),
      (found) => {
        const { name, parked } = last(found);
        const failed = plural(
          sum(found, ({ loadsFailed }) => loadsFailed),
          'load',
        );
        const why = `${failed} of ${quoted(name)} failed, and ${plural(parked, 'wait is', 'waits are')} parked there. Is the store up? ${lastError(found)}`;
        return ['loads of shared state fail', why];
      },
    ),
  },
  {
    name: 'open tries',
    past: past(
      each(({ openTry }) => openTry),
      (found) => {
        const { name, wait, open, openMs } = last(found);
        const why = `In ${quoted(name)} ${plural(open, 'try is', 'tries are')} open: the condition has returned a promise that has not settled. The oldest, of ${quoted(wait)}, has been open for ${time(openMs)}. Until it settles, no event reaches its wait. Give reads a deadline of their own: timeoutSignal(5_000, { signal: context.signal }).`;
        return ['conditions do not settle', why];
      },
    ),
  },
  {
    name: 'held',
    past: past(
      each(({ held }) => held),
      (found) => {
        const { name, key, label, units, ageMs, waiting } = most(found, (one) => one.ageMs);
        const waits = plural(waiting, 'wait is parked', 'waits are parked');
        const why = `Of ${quoted(key)} in ${quoted(name)}, ${quoted(label)} has held ${plural(units, 'unit')} for ${time(ageMs)}, and ${waits} there. Is the permit released on every path?`;
        return ['a permit is held for long while others wait', why];
      },
    ),
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
    past: past(
      whole((second) => refusedIn(second) > 0),
      (seconds) => {
        const refusing = seconds.flatMap(views).filter(({ refused }) => refused !== undefined);
        const names = refusing.map(({ name }) => name);
        const codes = refusing.flatMap(({ refused = {} }) => Object.keys(refused));
        const peak = Math.max(...seconds.map(refusedIn));
        const why = `${listed(names)} refused ${count(sum(seconds, refusedIn))} with ${listed(codes)}, ${count(peak)} a second at most.`;
        return ['operations were refused', why];
      },
    ),
  },
  {
    name: 'rejected',
    past: past(
      whole((second) => countIn([second], 'rejected') > 0),
      (seconds) => {
        const all = plural(countIn(seconds, 'rejected'), 'wait was', 'waits were');
        const why = `${all} rejected, because the condition threw or a load failed. ${lastError(seconds.flatMap(views))}`;
        return ['waits are rejected by errors', why];
      },
    ),
  },
  {
    name: 'threw',
    past: past(
      whole((second) => countIn([second], 'failed') > 0),
      (seconds) => {
        const threw = `${plural(countIn(seconds, 'failed'), 'call')} of tryComplete, onComplete or onExpiration threw.`;
        return ['operations throw', `${threw} ${lastError(seconds.flatMap(views))}`];
      },
    ),
  },
  {
    name: 'cut off',
    now: ({ frames }) =>
      last(frames).buses.flatMap((bus): Sentence[] => {
        const { name, engine, state, nowMs, sinceMs, pendingKeys, lastError } = bus;
        if (state === 'live' || nowMs - sinceMs < CUT_OFF_MS) return [];
        const pending =
          pendingKeys === 0 ? '' : `, and ${plural(pendingKeys, 'key waits', 'keys wait')} to be sent`;
        const since = NOT_LIVE[state];
        const until = state === 'closed' ? 'It does not connect again, and waits' : 'Until it is live, waits';
        const said = lastError === null ? '' : ` It said: ${quoted(lastError.message)}.`;
        const why = `${since} for ${time(nowMs - sinceMs)}: hints of other processes do not arrive${pending}. ${until} have only their deadlines.${said}`;
        return [[`the bus ${quoted(name ?? engine)} is cut off`, why]];
      }),
    past: past(
      whole(({ cutOff }) => cutOff !== undefined),
      (seconds) => {
        const names = listed(seconds.flatMap(({ cutOff = [] }) => cutOff));
        const why = `No hints of other processes came over ${names}, so waits had only their deadlines. After the gap all of them are tried once.`;
        return ['a bus was cut off', why];
      },
    ),
  },
  {
    name: 'endless',
    past: past(
      each(({ name, endless = 0, youngest }, at, seconds) => {
        const more = grown(seconds, at, ENDLESS_S, (second) => {
          const of = second.purgatories[name];
          return of && (of.endless ?? 0);
        });
        return more < MANY ? undefined : { endless, youngest, more };
      }),
      (found) => {
        const { name, endless, more, youngest } = last(found);
        const who = youngest === undefined ? '' : ` The youngest is ${quoted(youngest)}.`;
        const why = `In ${quoted(name)} ${count(endless)} were parked without one, ${count(more)} more than ${ENDLESS_S} s before.${who} Only an event, a signal or a cancel ends them: give them a timeoutMs, or the signal of their client.`;
        return ['waits without a deadline pile up', why];
      },
      MINUTE_MS,
    ),
  },
  {
    name: 'piling up',
    past: past(
      each(({ name, parked }, at, seconds) => {
        const more = grown(seconds, at, GROWING_S, ({ purgatories }) => purgatories[name]?.parked);
        if (more < MANY || more <= leftIn(seconds, at, name) || !keptPace(seconds, at - GROWING_S, name)) {
          return undefined;
        }
        return { parked, more, left: leftIn(seconds, at, name) };
      }),
      (found) => {
        const { name, parked, more, left } = last(found);
        const why = `In ${quoted(name)} ${count(parked)} were parked, ${count(more)} more than a minute before. In that minute ${count(more + left)} came and ${count(left)} left; earlier they kept pace. Do the events still come, and do the conditions hold?`;
        return ['more is parked than leaves', why];
      },
      MINUTE_MS,
    ),
  },
  {
    name: 'growing',
    past: past(
      each(({ name, hottest }, at, seconds) => {
        const more = grown(seconds, at, GROWING_S, ({ purgatories }) => {
          const hot = purgatories[name]?.hottest;
          return hot?.key === hottest?.key ? hot?.watchers : undefined;
        });
        return hottest === undefined || more < MANY ? undefined : { ...hottest, more };
      }),
      (found) => {
        const { name, key, watchers, more } = last(found);
        const why = `${count(watchers)} operations of ${quoted(name)} watched ${quoted(key)}, ${count(more)} more than a minute before. Do its events still come?`;
        return ['a key grows without completion', why];
      },
    ),
  },
  {
    name: 'long event',
    now: (recording) =>
      eachView(
        recording,
        ({ name, events: { pendingKeys, passesUnderWay, oldestMs, oldestPass, tryMs } }) => {
          if (oldestMs <= LONG_EVENT_MS) return undefined;
          const pending =
            pendingKeys === 0 ? '' : ` and ${plural(pendingKeys, 'key waits', 'keys wait')} for theirs`;
          const underWay = `${plural(passesUnderWay, 'event is', 'events are')} under way${pending}, the oldest for ${time(oldestMs)}.`;
          const goesOn = `The event loop goes on meanwhile, but the last watchers wait.${tryIn(tryMs)} ${HELP}`;
          if (oldestPass === null)
            return [`events of purgatory ${quoted(name)} wait long`, `${underWay} ${goesOn}`];
          const key = quoted(oldestPass.key);
          const others = passesUnderWay + pendingKeys > 1 ? ` In all, ${underWay}` : '';
          const done = `${progress(oldestPass)} in ${time(oldestPass.ageMs)}.${others}`;
          return [`the event on ${key} takes long`, `In ${quoted(name)}: ${done} ${goesOn}`];
        },
      ),
    past: past(
      each(({ pass }) => (pass !== undefined && pass.ageMs > LONG_EVENT_MS ? pass : undefined)),
      (found) => {
        const longest = most(found, ({ ageMs }) => ageMs);
        const why = `In ${quoted(longest.name)}: ${progress(longest)} in ${time(longest.ageMs)}.${tryIn(longest.tryMs)} ${HELP}`;
        return [`the event on ${quoted(longest.key)} took long`, why];
      },
    ),
  },
  {
    name: 'blocked',
    past: past(
      whole((second) => isBlocked(second) && blockedMs(second) < SILENT_MS),
      (seconds) => {
        const longest = most(seconds, blockedMs);
        const what =
          causeOf(longest.blocked) === 'starved' ? 'the process got no CPU' : 'the event loop was blocked';
        const stood = `The event loop stood still for ${time(blockedMs(longest))} at the longest.`;
        const level = blockedMs(longest) >= BLOCKED_BAD_MS ? 'bad' : 'warn';
        return [what, `${stood} ${standstill(longest)}`, level];
      },
    ),
  },
  {
    name: 'starved',
    past: past(
      whole((second) => !isBlocked(second) && (second.waitedMs ?? 0) >= second.overMs / 2),
      (seconds) => {
        const longest = most(seconds, ({ waitedMs }) => waitedMs ?? 0);
        return ['the process waits for a CPU', `In ${time(longest.overMs)} ${spent(longest)}`];
      },
    ),
  },
  {
    name: 'late',
    past: past(
      // What was due while the loop was blocked, once or again and again, runs late afterwards.
      whole(
        (second, at, seconds) =>
          lateMs(second) >= LATE_MS &&
          lateMs(second) > sum(seconds.slice(Math.max(0, at - 3), at + 1), blockedMs),
      ),
      (seconds) => {
        const latest = most(seconds, lateMs);
        const by = Number.isFinite(latenessIn(latest)) ? `up to ${time(latenessIn(latest))}` : 'very';
        const why = `One task in a hundred ran ${by} late, and no block explains it. In ${time(latest.overMs)} ${spent(latest, LATE_CAUSES)}`;
        return ['the timer ran late', why];
      },
    ),
  },
  {
    name: 'heavy key',
    past: past(
      each(({ hottest, pass }) =>
        hottest === undefined || hottest.eventMs < NOTED.heavyKeyMs || (pass?.ageMs ?? 0) > LONG_EVENT_MS
          ? undefined
          : hottest,
      ),
      (found) => {
        const { name, key, watchers, eventMs } = most(found, (one) => one.eventMs);
        const why = `It had ${count(watchers)} watchers in ${quoted(name)}. A try with its answer has taken ${time(eventMs / watchers)}, so an event on it takes about ${time(eventMs)}, and longer beside other work. ${HELP}`;
        return [`an event on ${quoted(key)} would take long`, why];
      },
    ),
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
      // Elements of IdleTimeouts are there to expire.
      const asked = last(frames).purgatories.filter(({ tracked }) => tracked === undefined);
      const ended = (end: End): number =>
        sum(minute, ({ purgatories }) => sum(asked, ({ name }) => purgatories[name]?.[end] ?? 0));
      const [completed, expired] = [ended('completed'), ended('expired')];
      if (completed + expired < FEW_ENDS || completed >= expired) return [];
      const why = `Of those that ended in the last minute, an event completed ${share(completed, completed + expired)}. That is normal for quiet long polls. Elsewhere events may be missing, or deadlines too short.`;
      return [['most operations run into their deadline', why]];
    },
  },
];

/**
 * By how much the value has grown within `spanS` seconds up to the one with the index `at`. 0 where
 * it has not grown in each tenth of them, or is not known for so long.
 */
function grown(
  seconds: readonly Second[],
  at: number,
  spanS: number,
  measure: (second: Second) => number | undefined,
): number {
  if (at < spanS) return 0;
  const values = Array.from({ length: 11 }, (_, part) => measure(seconds[at - (spanS * part) / 10]));
  const grows = values.every((value, part) => part === 0 || Number(value) < Number(values[part - 1]));
  return grows ? Number(values[0]) - Number(values[10]) : 0;
}

/** How many have left within a minute up to the second with the index `at`. */
function leftIn(seconds: readonly Second[], at: number, name: string): number {
  return sum(seconds.slice(Math.max(0, at + 1 - GROWING_S), at + 1), ({ purgatories }) => {
    const of = purgatories[name];
    return of === undefined ? 0 : sum(ENDS, (end) => of[end] ?? 0);
  });
}

/** Whether nearly as many left as came in some minute before. It looks at every tenth second. */
function keptPace(seconds: readonly Second[], before: number, name: string): boolean {
  const parked = (at: number): number => seconds[at].purgatories[name]?.parked ?? Number.NaN;
  for (let at = GROWING_S; at <= before; at += 10) {
    const left = leftIn(seconds, at, name);
    if (left >= MANY && parked(at) - parked(at - GROWING_S) <= left / 10) return true;
  }
  return false;
}

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
/** What a bus has been or done since it is not live. */
const NOT_LIVE = {
  connecting: 'It has tried to connect',
  gap: 'It has been in a gap',
  closed: 'It has been closed',
} as const;

function lateMs(second: Second): number {
  return latenessIn(second) / 2;
}

function refusedIn(second: Second): number {
  return sum(views(second), ({ refused = {} }) => sum(Object.values(refused), Number));
}

function lastError(found: readonly Of<Pick<SecondOfPurgatory, 'error'>>[]): string {
  const errors = new Map(found.flatMap(({ name, error }) => (error ? [[name, error]] : [])));
  if (errors.size === 0) return 'The errors went to onError.';
  const texts = Array.from(errors, ([name, { operation, key, message }]) => {
    const on = key === null ? '' : ` on ${quoted(key)}`;
    return `${quoted(message)} (${quoted(operation)}${on} in ${quoted(name)})`;
  });
  return `The last error: ${texts.slice(-MAX_ERRORS).join('; ')}.`;
}

/** Each once. */
function listed(names: readonly string[]): string {
  return [...new Set(names)].map(quoted).join(', ');
}
