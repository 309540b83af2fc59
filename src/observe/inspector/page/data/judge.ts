// Applies the rules: the verdict on the present and the last seconds, and the incidents of the
// history. While nothing comes, the verdict is that. Pure.
import type { Second } from '../../frame.ts';
import { clock, time } from '../words/format.ts';
import { last, type Recording, secondsWithin, sum } from './history.ts';
import { type Level, type Past, RECENT_MS, RULES, type Rule, SILENT_MS } from './rules.ts';

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

export interface Incident extends Warning {
  readonly fromMs: number;
  readonly untilMs: number;
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
  const warnings = RULES.flatMap((rule) => warningsOf(rule, recording));
  warnings.sort((a, b) => LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level));
  const [worst] = warnings;
  if (worst !== undefined) {
    const headline = `${HEADLINES[worst.level]}: ${worst.what}`;
    return { level: worst.level, headline, detail: worst.why, warnings };
  }
  const isQuiet = sum(last(recording.frames).purgatories, ({ parked }) => parked) === 0;
  const well = 'No deadline is overdue, the event loop is free, and no key keeps growing.';
  return {
    level: 'well',
    headline: isQuiet ? 'All is quiet' : 'All is well',
    detail: isQuiet ? 'Nothing is parked.' : well,
    warnings,
  };
}

function warningsOf(rule: Rule, recording: Recording): Warning[] {
  const { name, now, past } = rule;
  const present = now?.(recording) ?? [];
  if (present.length > 0 || past === undefined) {
    return present.map(([what, why]) => ({ rule: name, level: levelOf(rule, []), what, why }));
  }
  const held = secondsWithin(
    recording.seconds.filter(past.holds),
    last(recording.frames).wallMs,
    past.forMs ?? RECENT_MS,
  );
  if (held.length === 0) return [];
  const incident = incidentOf(rule, past, held);
  return [{ ...incident, why: `${clock(incident.fromMs)}–${clock(incident.untilMs)}: ${incident.why}` }];
}

/**
 * The one that ended last, or goes on, first. Seconds of the same rule are one incident, also with
 * a few other seconds between them.
 */
export function incidentsOf(seconds: readonly Second[]): Incident[] {
  const incidents = RULES.flatMap((rule) => {
    const { past } = rule;
    if (past === undefined) return [];
    const spans: Second[][] = [];
    for (const second of seconds.filter(past.holds)) {
      const span = spans.at(-1);
      if (span !== undefined && second.number - last(span).number <= PAUSE + 1) span.push(second);
      else spans.push([second]);
    }
    return spans.map((span) => incidentOf(rule, past, span));
  });
  return incidents.sort((a, b) => b.untilMs - a.untilMs || b.fromMs - a.fromMs);
}

function incidentOf(rule: Rule, { say }: Past, seconds: readonly Second[]): Incident {
  const [what, why] = say(seconds);
  const [fromMs, untilMs] = [seconds[0].wallMs - seconds[0].overMs, last(seconds).wallMs];
  return { rule: rule.name, level: levelOf(rule, seconds), what, why, fromMs, untilMs };
}

function levelOf({ level = 'warn' }: Rule, seconds: readonly Second[]): Level {
  return typeof level === 'string' ? level : level(seconds);
}
