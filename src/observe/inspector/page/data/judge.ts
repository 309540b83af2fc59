// Applies the rules: the verdict on the present and the last seconds, and the incidents of the
// history. While nothing comes, the verdict is that. Pure.
import type { PurgatoryView, Second } from '../../frame.ts';
import { clock, time } from '../words/format.ts';
import { last, type Recording, secondsWithin } from './history.ts';
import { SILENT_MS } from './host-rules.ts';
import type { Level, Past, Rule } from './rule.ts';
import { RULES } from './rules.ts';

export interface Warning {
  readonly rule: string;
  readonly level: Level;
  readonly what: string;
  readonly why: string;
}

export interface Verdict {
  /** `lost`: there is no news to judge. */
  readonly level: Level | 'well' | 'lost';
  readonly headline: string;
  readonly detail: string;
  /** The worst first. It is in the headline. */
  readonly warnings: readonly Warning[];
}

/** What a rule has found in the history. */
export interface Incident extends Warning {
  readonly fromMs: number;
  readonly untilMs: number;
  /** How often: with pauses of more than a few seconds. */
  readonly times: number;
}

/** The most good seconds within one incident. */
const PAUSE = 3;
const LEVELS: readonly Level[] = ['bad', 'warn', 'note'];
const HEADLINES: Readonly<Record<Level, string>> = {
  bad: 'Something is wrong',
  warn: 'Have a look',
  note: 'All is well, with a remark',
};

/** When the page heard of the server, by the page's clock. */
export interface Heard {
  /** When the last frame arrived, and since when this page listens. */
  readonly heardMs: number | undefined;
  readonly openedMs: number;
  readonly nowMs: number;
}

/** How long no frame arrived while the page listened. One comes every quarter of a second. */
export function silenceOf({ heardMs, openedMs, nowMs }: Heard): number {
  return nowMs - Math.max(heardMs ?? openedMs, openedMs);
}

export function isSilent(heard: Heard): boolean {
  return silenceOf(heard) >= SILENT_MS;
}

/** In place of a verdict, while there is nothing new to judge. Meanwhile the headline stays. */
export function absence(heard: Heard, isLost: boolean): Verdict | undefined {
  if (!isLost && !isSilent(heard)) return undefined;
  const age = `What is shown is ${time(Math.max(0, heard.nowMs - (heard.heardMs ?? heard.nowMs)))} old.`;
  const why = isLost
    ? 'The process has ended, is starting anew, or answers with an error, which its owner gets. This page goes on by itself when news comes.'
    : 'The connection is still there, and nothing comes over it: the process hangs, is stopped, or gets no CPU.';
  const headline = isLost ? 'The server does not answer' : 'The server is silent';
  return { level: 'lost', headline, detail: `${age} ${why}`, warnings: [] };
}

/** `frames` are not empty. */
export function judge(recording: Recording): Verdict {
  const warnings = worstFirst(RULES.flatMap((rule) => warningsOf(rule, recording)));
  const watched = RULES.flatMap(({ watch }) => watch?.(recording) ?? []);
  const watching = watched.length === 0 ? '' : `Watching: ${watched.join('; ')}.`;
  const [worst] = warnings;
  if (worst !== undefined) {
    const { level, what, why } = worst;
    const detail = level === 'note' ? `${why} ${watching}`.trim() : why;
    return { level, headline: `${HEADLINES[level]}: ${what}`, detail, warnings };
  }
  if (watching !== '') return { level: 'note', headline: 'All is well so far', detail: watching, warnings };
  const isQuiet = last(recording.frames).purgatories.every(isIdle);
  const well =
    'No deadline is overdue, conditions and loads answer, the event loop is free, and nothing piles up.';
  return {
    level: 'well',
    headline: isQuiet ? 'All is quiet' : 'All is well',
    detail: isQuiet ? 'Nothing is parked.' : well,
    warnings,
  };
}

/** Nothing waits, and nothing is kept or held. */
function isIdle({ parked, items, units }: PurgatoryView): boolean {
  const { size = 0, delayed = 0, leased = 0 } = items ?? {};
  return parked + size + delayed + leased + (units?.held ?? 0) === 0;
}

function warningsOf(rule: Rule, recording: Recording): Warning[] {
  const { name, level = 'warn', now, past } = rule;
  const present = now?.(recording) ?? [];
  if (present.length > 0 || past === undefined) {
    return present.map(([what, why, own = level]) => ({ rule: name, level: own, what, why }));
  }
  const recentOf = (span: readonly Finding[]): readonly Finding[] =>
    secondsWithin(span, last(recording.frames).wallMs, past.forMs);
  const spans = spansOf(past, recording.seconds).filter((span) => recentOf(span).length > 0);
  if (spans.length === 0) return [];
  const { fromMs, untilMs } = incidentOf(rule, past, spans); // since when it goes on
  const incident = incidentOf(rule, past, spans.map(recentOf));
  return [{ ...incident, why: `${clock(fromMs)}–${clock(untilMs)}: ${incident.why}` }];
}

/**
 * One of each rule, however often it was broken: the worst first, and of the same level in the order
 * of the rules.
 */
export function incidentsOf(seconds: readonly Second[]): Incident[] {
  const incidents = RULES.flatMap((rule) => {
    const spans = rule.past === undefined ? [] : spansOf(rule.past, seconds);
    return rule.past === undefined || spans.length === 0 ? [] : [incidentOf(rule, rule.past, spans)];
  });
  return worstFirst(incidents);
}

/** A second in which something was found. */
type Finding = Second & { readonly found: readonly unknown[] };
type Spans = readonly (readonly Finding[])[];

/** A page draws the same seconds several times. */
const known = new WeakMap<readonly Second[], Map<Past<unknown>, Spans>>();

/** When the rule was broken: seconds with a few others between them are one time. */
function spansOf(past: Past<unknown>, seconds: readonly Second[]): Spans {
  const all = known.get(seconds) ?? new Map<Past<unknown>, Spans>();
  known.set(seconds, all);
  const before = all.get(past);
  if (before !== undefined) return before;
  const spans: Finding[][] = [];
  for (const [at, second] of seconds.entries()) {
    const found = past.find(second, at, seconds);
    if (found.length === 0) continue;
    const span = spans.at(-1);
    const finding = { ...second, found };
    if (span !== undefined && second.number - last(span).number <= PAUSE + 1) span.push(finding);
    else spans.push([finding]);
  }
  all.set(past, spans);
  return spans;
}

/** `spans` are not empty. */
function incidentOf({ name, level = 'warn' }: Rule, past: Past<unknown>, spans: Spans): Incident {
  const [what, why, own = level] = past.say(spans.flat().flatMap(({ found }) => found));
  const [first] = spans[0];
  const [fromMs, untilMs] = [first.wallMs - first.overMs, last(last(spans)).wallMs];
  return { rule: name, level: own, what, why, fromMs, untilMs, times: spans.length };
}

function worstFirst<T extends Warning>(warnings: readonly T[]): T[] {
  return warnings.toSorted((a, b) => LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level));
}
