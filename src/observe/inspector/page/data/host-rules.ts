// The rules of the host: the event loop, the CPU, the lateness of timers, the connection of the page.
import type { SlowTrySnapshot } from '../../../../purgatory/telemetry/purgatory-snapshot.ts';
import type { Second, Spent } from '../../frame.ts';
import { clock, progress, time } from '../words/format.ts';
import { quoted } from '../words/visible.ts';
import { last, latenessIn, most, secondsWithin, sum, views } from './history.ts';
import { each, MINUTE_MS, past, type Rule, whole } from './rule.ts';

/** From this length on, in ms, a block of the event loop counts as a silence of the server. */
export const SILENT_MS = 2000;
const BLOCKED_MS = 100;
const BLOCKED_BAD_MS = 1000;
const LATE_MS = 32;
const SLOW_TRY_MS = 50;
/** The part of a span of time from which on it is named as its cause. */
const MOST = 0.8;

export const HUNG: Rule = {
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
};

export const SLOW_CONDITION: Rule = {
  name: 'slow condition',
  past: past(
    each(({ slowTry }) => (slowTry !== undefined && slowTry.tryMs >= SLOW_TRY_MS ? slowTry : undefined)),
    (found) => {
      const slowest = most(found, ({ tryMs }) => tryMs);
      return [
        `the condition on ${quoted(slowest.key)} is slow`,
        `${slowTryIn(slowest)} The event loop stands still meanwhile: let it look at what is there, and return a promise where it has to read.`,
      ];
    },
  ),
};

export const BLOCKED: Rule = {
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
};

export const STARVED: Rule = {
  name: 'starved',
  past: past(
    whole((second) => !isBlocked(second) && (second.waitedMs ?? 0) >= second.overMs / 2),
    (seconds) => {
      const longest = most(seconds, ({ waitedMs }) => waitedMs ?? 0);
      return ['the process waits for a CPU', `In ${time(longest.overMs)} ${spent(longest)}`];
    },
  ),
};

export const LATE: Rule = {
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
};

export const INTERRUPTED: Rule = {
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
};

export const blockedMs = ({ blocked }: Second): number => blocked.overMs;

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
  const slow = views(second).flatMap(({ name, slowTry }) =>
    slowTry === undefined ? [] : [slowTryIn({ ...slowTry, name })],
  );
  const why = [`In that time ${spent(second.blocked)}`, ...slow].join(' ');
  const held = passes([second]).filter(({ ageMs }) => ageMs >= blockedMs(second));
  if (held.length === 0) return why;
  const oldest = most(held, ({ ageMs }) => ageMs);
  return `${why} The event on ${quoted(oldest.key)} in ${quoted(oldest.name)} could not go on meanwhile (${progress(oldest)}).`;
}

/** What one try cost, of whom, for which key. */
function slowTryIn({ name, key, type, label, tryMs }: SlowTrySnapshot & { readonly name: string }): string {
  const who = label ?? type;
  return `In ${quoted(name)} a try${who === null ? '' : ` of ${quoted(who)}`} for ${quoted(key)} took ${time(tryMs)}.`;
}

function passes(seconds: readonly Second[]) {
  return seconds.flatMap(views).flatMap(({ name, pass }) => (pass === undefined ? [] : [{ ...pass, name }]));
}

/** The lower edge of the bin of the histogram: the task was later than that. */
function lateMs(second: Second): number {
  return latenessIn(second) / 2;
}
