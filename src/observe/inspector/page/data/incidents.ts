// The incidents of the last ten minutes, from the seconds that the server kept. Pure.
//
// Seconds with the same problem are one incident, also with a few good seconds between them.
import type { Second } from '../../frame.ts';
import type { PassUnderWay } from '../../view-types.ts';
import { count, plural, progress, time } from '../words/format.ts';
import { quoted } from '../words/visible.ts';
import { chosenIn, sum } from './history.ts';
import { LONG_EVENT_MS } from './purgatory-warnings.ts';
import { SILENT_MS } from './silence.ts';
import { heldUpAt, standstillInWords } from './standstill.ts';

export interface Incident {
  readonly what: 'stood still' | 'blocked' | 'late' | 'long event' | 'threw' | 'refused';
  readonly fromMs: number;
  readonly untilMs: number;
  readonly inWords: string;
}

const BLOCKED_MS = 100;
const LATE_MS = 50;
/** The most good seconds within one incident. */
const PAUSE = 3;

interface Span {
  readonly what: Incident['what'];
  readonly seconds: Second[];
}

/** The one that ended last, or goes on, first. O(seconds x timers and purgatories). */
export function incidentsOf(seconds: readonly Second[], chosen: string | undefined): Incident[] {
  const spans: Span[] = [];
  const open = new Map<Incident['what'], Span>();
  for (const second of seconds) {
    for (const what of wrongIn(second, chosen)) {
      const span = open.get(what);
      if (span !== undefined && second.number - lastOf(span).number <= PAUSE + 1) {
        span.seconds.push(second);
      } else {
        const begun = { what, seconds: [second] };
        open.set(what, begun);
        spans.push(begun);
      }
    }
  }
  const latestFirst = spans.reverse().sort((a, b) => lastOf(b).number - lastOf(a).number);
  return latestFirst.map(({ what, seconds: all }) => ({
    what,
    fromMs: all[0].wallMs - all[0].overMs,
    untilMs: all[all.length - 1].wallMs,
    inWords: inWords(what, all, chosen),
  }));
}

function lastOf({ seconds }: Span): Second {
  return seconds[seconds.length - 1];
}

function wrongIn(second: Second, chosen: string | undefined): Incident['what'][] {
  const { blockedMs } = second.host;
  const wrong: Incident['what'][] = [];
  if (blockedMs >= SILENT_MS) wrong.push('stood still');
  else if (blockedMs >= BLOCKED_MS) wrong.push('blocked');
  else if (latenessOf(second) > Math.max(LATE_MS, 2 * blockedMs)) wrong.push('late');
  if (longestPassIn(second, chosen) !== undefined) wrong.push('long event');
  if (failedIn(second, chosen) > 0) wrong.push('threw');
  if (refusedIn(second, chosen) > 0) wrong.push('refused');
  return wrong;
}

/** Whether the process could serve nobody in this second. */
export function isBlockedIn({ host }: Second): boolean {
  return host.blockedMs >= BLOCKED_MS;
}

function inWords(what: Incident['what'], seconds: readonly Second[], chosen: string | undefined): string {
  const worst = seconds.reduce((a, b) => (b.host.blockedMs > a.host.blockedMs ? b : a));
  const { blockedMs } = worst.host;
  const because = standstillInWords(worst.host, heldUpAt(worst), chosen);
  if (what === 'stood still') return `The process stood still for ${time(blockedMs)}. ${because}`;
  if (what === 'blocked') {
    return `The event loop was blocked, for ${time(blockedMs)} at the longest. ${because}`;
  }
  if (what === 'late') {
    const most = Math.max(...seconds.map(latenessOf));
    return `Tasks ran late, one in a hundred by ${Number.isFinite(most) ? `up to ${time(most)}` : 'very much'}.`;
  }
  if (what === 'long event') {
    const longest = seconds
      .map((second) => longestPassIn(second, chosen) as PassUnderWay)
      .reduce((a, b) => (b.ageMs > a.ageMs ? b : a));
    return `An event took long: on ${quoted(longest.key)}, ${progress(longest)} after ${time(longest.ageMs)}.`;
  }
  if (what === 'refused') {
    const refused = seconds.map((second) => refusedIn(second, chosen));
    const all = plural(sum(refused, Number), 'operation was', 'operations were');
    return `${all} refused, ${count(Math.max(...refused))} a second at most.`;
  }
  const failed = sum(seconds, (second) => failedIn(second, chosen));
  return `${plural(failed, 'call')} of tryComplete, onComplete or onExpiration threw.`;
}

function latenessOf({ timers }: Second): number {
  return Math.max(
    0,
    ...Object.values(timers).map(([, latenessMs]) => latenessMs ?? Number.POSITIVE_INFINITY),
  );
}

/** The event that had been under way longest, if that is long. */
function longestPassIn(second: Second, chosen: string | undefined): PassUnderWay | undefined {
  const passes = chosenIn(second, chosen).flatMap(([, , , , , rare]) => rare?.pass ?? []);
  const [longest] = passes.sort((a, b) => b.ageMs - a.ageMs);
  return longest !== undefined && longest.ageMs > LONG_EVENT_MS ? longest : undefined;
}

function failedIn(second: Second, chosen: string | undefined): number {
  return sum(chosenIn(second, chosen), ([, , , , failed]) => failed);
}

function refusedIn(second: Second, chosen: string | undefined): number {
  return sum(chosenIn(second, chosen), ([, , , , , rare]) => sum(Object.values(rare?.refused ?? {}), Number));
}
