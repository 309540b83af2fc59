// The rules of what waits: operations, conditions, loads, events, buses.
import { ENDS, type End, NOTED, type Second } from '../../frame.ts';
import { clock, count, plural, progress, share, time } from '../words/format.ts';
import { quoted } from '../words/visible.ts';
import { countIn, last, most, secondsWithin, sum, views } from './history.ts';
import { blockedMs, isBlocked } from './host-rules.ts';
import {
  each,
  eachGrowing,
  eachView,
  grown,
  lastError,
  listed,
  MANY,
  MINUTE_MS,
  past,
  RECENT_MS,
  type Rule,
  type Sentence,
  whole,
} from './rule.ts';

/** An event that takes so long keeps its last watchers waiting for a time that people notice. */
const LONG_EVENT_MS = 500;
const FULL_SHARE = 0.9;
const CUT_OFF_MS = 1000;
const ENDLESS_S = 20;
/** What may have a deadline is given a minute. */
const GROWING_S = 60;
/** With fewer ends in a minute, shares mean nothing. */
const FEW_ENDS = 20;

const HELP = 'What helps: fewer watchers a key, notify with atMost, or cheaper answers.';

function tryIn(tryMs: number | null): string {
  return tryMs === null ? '' : ` A try with its answer takes ${time(tryMs)}.`;
}

const endlessOf =
  (name: string) =>
  ({ purgatories }: Second): number | undefined =>
    purgatories[name] && (purgatories[name].endless ?? 0);

/** What a bus has been or done since it is not live. */
const NOT_LIVE = {
  connecting: 'It has tried to connect',
  gap: 'It has been in a gap',
  closed: 'It has been closed',
} as const;

export const OVERDUE: Rule = {
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
};

export const LOADS_HANG: Rule = {
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
};

export const LOADS_FAIL: Rule = {
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
};

export const OPEN_TRIES: Rule = {
  name: 'open tries',
  past: past(
    each(({ openTry }) => openTry),
    (found) => {
      const { name, wait, open, openMs } = last(found);
      const why = `In ${quoted(name)} ${plural(open, 'try is', 'tries are')} open: the condition has returned a promise that has not settled. The oldest, of ${quoted(wait)}, has been open for ${time(openMs)}. Until it settles, no event reaches its wait. Give reads a deadline of their own: timeoutSignal(5_000, { signal: context.signal }).`;
      return ['conditions do not settle', why];
    },
  ),
};

export const REFUSED: Rule = {
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
      const holds = maxParked === null ? '' : `It holds ${count(parked)} of ${count(maxParked)} operations. `;
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
};

export const REJECTED: Rule = {
  name: 'rejected',
  past: past(
    whole((second) => countIn([second], 'rejected') > 0),
    (seconds) => {
      const all = plural(countIn(seconds, 'rejected'), 'wait was', 'waits were');
      const why = `${all} rejected, because the condition threw or a load failed. ${lastError(seconds.flatMap(views))}`;
      return ['waits are rejected by errors', why];
    },
  ),
};

export const THREW: Rule = {
  name: 'threw',
  past: past(
    whole((second) => countIn([second], 'failed') > 0),
    (seconds) => {
      const threw = `${plural(countIn(seconds, 'failed'), 'call')} of tryComplete, onComplete or onExpiration threw.`;
      return ['operations throw', `${threw} ${lastError(seconds.flatMap(views))}`];
    },
  ),
};

export const CUT_OFF: Rule = {
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
};

export const IN_DOUBT: Rule = {
  name: 'in doubt',
  now: ({ frames }) =>
    last(frames).buses.flatMap(({ name, engine, nowMs, doubt }): Sentence[] => {
      if (doubt === null) return [];
      const silent = plural(doubt.silent, 'other process has', 'other processes have');
      const why = `${time(nowMs - doubt.beganMs)} ago ${silent} fallen silent at once, without a goodbye; ${count(doubt.heard)} still heard. Were they killed, or is the engine split? Until one is heard, all that is parked is tried every three echoes.`;
      return [[`the bus ${quoted(name ?? engine)} may hear only a part of the others`, why]];
    }),
  past: past(
    whole(({ inDoubt }) => inDoubt !== undefined),
    (seconds) => {
      const names = listed(seconds.flatMap(({ inDoubt = [] }) => inDoubt));
      return [
        'a bus may have heard only a part of the others',
        `Most processes on ${names} fell silent at once.`,
      ];
    },
  ),
};

export const ENDLESS: Rule = {
  name: 'endless',
  watch: eachGrowing(endlessOf, (name, endless, more) => {
    return `${plural(endless, 'wait')} without a deadline in ${quoted(name)}, ${more}`;
  }),
  past: past(
    each(({ name, endless = 0, endlessOne }, at, seconds) => {
      const more = grown(seconds, at, ENDLESS_S, endlessOf(name));
      return more < MANY ? undefined : { endless, endlessOne, more };
    }),
    (found) => {
      const { name, endless, more, endlessOne } = last(found);
      const who = endlessOne === undefined ? '' : ` One of them is ${quoted(endlessOne)}.`;
      const why = `In ${quoted(name)} ${count(endless)} were parked without one, ${count(more)} more than ${ENDLESS_S} s before.${who} Only an event, a signal or a cancel ends them: give them a timeoutMs, or the signal of their client.`;
      return ['waits without a deadline pile up', why];
    },
    MINUTE_MS,
  ),
};

export const PILING_UP: Rule = {
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
};

export const GROWING: Rule = {
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
};

export const LONG_EVENT: Rule = {
  name: 'long event',
  now: (recording) =>
    eachView(recording, ({ name, events: { pendingKeys, oldestMs, oldestPass, tryMs } }) => {
      if (oldestMs <= LONG_EVENT_MS) return undefined;
      const goesOn = `The event loop goes on meanwhile, but the last watchers wait.${tryIn(tryMs)} ${HELP}`;
      const waits = plural(pendingKeys, 'key waits', 'keys wait');
      if (oldestPass === null) {
        const why = `${waits} for their event, the oldest for ${time(oldestMs)}. ${goesOn}`;
        return [`events of purgatory ${quoted(name)} wait long`, why];
      }
      const pending = pendingKeys === 0 ? '' : ` ${waits} for their event.`;
      const done = `${progress(oldestPass)} in ${time(oldestPass.ageMs)}.${pending}`;
      return [`the event on ${quoted(oldestPass.key)} takes long`, `In ${quoted(name)}: ${done} ${goesOn}`];
    }),
  past: past(
    each(({ pass }) => (pass !== undefined && pass.ageMs > LONG_EVENT_MS ? pass : undefined)),
    (found) => {
      const longest = most(found, ({ ageMs }) => ageMs);
      const why = `In ${quoted(longest.name)}: ${progress(longest)} in ${time(longest.ageMs)}.${tryIn(longest.tryMs)} ${HELP}`;
      return [`the event on ${quoted(longest.key)} took long`, why];
    },
  ),
};

export const HEAVY_KEY: Rule = {
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
};

export const EXPIRING: Rule = {
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
};

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

function refusedIn(second: Second): number {
  return sum(views(second), ({ refused = {} }) => sum(Object.values(refused), Number));
}
