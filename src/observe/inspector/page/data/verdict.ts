// The verdict: whether all is well, in words, and if not, why. While the server is silent: that it
// is.
//
// Ground rules. Pure: what the server sent goes in, sentences come out. A page that was opened a
// moment ago has few frames: the seconds that the server kept before them count as well. A
// sentence begins with our words, never with a user's. The headline has no number that changes
// with each frame, because screen readers read it aloud when it changes. The bounds are where a
// person who waits would notice. They are named below, and in purgatory-warnings.ts.
import { quantile } from '../../../../base/duration-histogram.ts';
import type { Frame, Second } from '../../frame.ts';
import { clock, plural, time } from '../words/format.ts';
import { quoted } from '../words/visible.ts';
import { chosenOf, latenessWithin, secondsBefore, spanOf, sum } from './history.ts';
import { purgatoryWarnings, RECENT_MS, type Tone, type Warning } from './purgatory-warnings.ts';
import { type Hang, type Heard, isSilent, latestHang, silenceOf, type Told } from './silence.ts';
import { causeOf, heldUpAt, standstillInWords } from './standstill.ts';

export interface Verdict {
  /** `lost`: there is no news to judge. */
  readonly tone: Tone | 'lost';
  readonly headline: string;
  readonly detail: string;
  readonly warnings: readonly Warning[];
}

/** How long the page shows a silence that has ended, in ms. */
const HANG_TOLD_MS = 60_000;
const BLOCKED_WARN_MS = 100;
const BLOCKED_BAD_MS = 1000;
const LATE_WARN_MS = 50;
const CUT_OFF_MS = 1000;

const HEADLINES: Record<Tone, string> = {
  well: 'All is well',
  note: 'All is well, with a remark',
  warn: 'Have a look',
  bad: 'Something is wrong',
};
const SEVERITY: readonly Tone[] = ['bad', 'warn', 'note'];

/**
 * What the page says in place of the verdict while the server is silent. The headline stays the
 * same meanwhile.
 */
export function absence(heard: Heard, isLost: boolean): Verdict | undefined {
  const { heardMs, nowMs } = heard;
  const age = `What is shown is ${time(Math.max(0, nowMs - (heardMs ?? nowMs)))} old.`;
  if (isLost) {
    return {
      tone: 'lost',
      headline: 'The server does not answer',
      detail: `${age} It has stopped, or is starting anew: this page goes on by itself when it is back.`,
      warnings: [],
    };
  }
  if (!isSilent(heard)) return undefined;
  return {
    tone: 'lost',
    headline: 'The server is silent',
    detail: `${age} For ${time(silenceOf(heard))} nothing has come over a connection that is still there: the process hangs, is stopped, or gets no CPU.`,
    warnings: [],
  };
}

/** The verdict on what the server told. `frames` is not empty. */
export function judge(told: Told, chosen: string | undefined): Verdict {
  const { frames, seconds } = told;
  const recent = frames.slice(frames.indexOf(spanOf(frames, RECENT_MS)[0]));
  const views = chosenOf(recent[recent.length - 1], chosen);
  const before = secondsBefore(frames, seconds, RECENT_MS);
  const hung = hanging(recent, latestHang(told), chosen);
  const warnings = [
    ...hung,
    ...(hung.length > 0 ? [] : waiting([...recent, ...before], latestTimer(frames, before), chosen)),
    ...cutOff(recent[recent.length - 1]),
    ...purgatoryWarnings({ frames, recent, seconds, chosen, views }),
  ];
  warnings.sort((a, b) => SEVERITY.indexOf(a.tone) - SEVERITY.indexOf(b.tone));
  const [worst] = warnings;
  if (worst === undefined) {
    const isQuiet = sum(views, ({ parked }) => parked) === 0;
    return {
      tone: 'well',
      headline: isQuiet ? 'All is quiet' : HEADLINES.well,
      detail: isQuiet
        ? 'Nothing is parked.'
        : 'Nobody waits past a deadline, the event loop is free, no key grows without an answer.',
      warnings,
    };
  }
  const { tone, what, why } = worst;
  return { tone, headline: `${HEADLINES[tone]}: ${what}`, detail: why, warnings };
}

function hanging(recent: readonly Frame[], hang: Hang | undefined, chosen: string | undefined): Warning[] {
  if (hang === undefined || recent[recent.length - 1].atMs - hang.atMs > HANG_TOLD_MS) return [];
  const { forMs, wallMs, host, heldUp, isRecorded } = hang;
  const until = `${isRecorded ? 'It lasted' : 'Nothing came for'} ${time(forMs)}, until ${clock(wallMs)}:`;
  if (host === undefined) {
    const why = `${until} the server went on meanwhile, its news did not arrive.`;
    return [{ tone: 'note', what: 'the connection was interrupted', why }];
  }
  const stood = `${until} the process stood still, and nothing was answered.`;
  const why = `${stood} ${standstillInWords(host, heldUp, chosen)}`;
  return [{ tone: 'bad', what: `the server hung for ${time(forMs)}`, why }];
}

/**
 * Warnings of a blocked event loop and of late timers. The blocked loop is the cause of the
 * lateness, unless the block was too short.
 */
function waiting(
  recent: readonly (Frame | Second)[],
  late: LateTimer | undefined,
  chosen: string | undefined,
): Warning[] {
  const worst = recent.reduce((a, b) => (b.host.blockedMs > a.host.blockedMs ? b : a));
  const { host } = worst;
  const isBlocked = host.blockedMs >= BLOCKED_WARN_MS;
  const isAlone = late !== undefined && late.atLeastMs > host.blockedMs;
  const warnings: Warning[] = [];
  if (isBlocked || (late !== undefined && !isAlone)) {
    const tone = host.blockedMs >= BLOCKED_BAD_MS ? 'bad' : 'warn';
    const what = causeOf(host) === 'machine' ? 'the machine is busy' : 'the event loop was blocked';
    const stood = `The event loop stood still for ${time(host.blockedMs)} within the last 10 s, and nothing was answered.`;
    const ran = late === undefined || isAlone ? '' : ` For that, ${late.inWords}.`;
    const why = `${stood}${ran} ${standstillInWords(host, heldUpAt(worst), chosen)}`;
    warnings.push({ tone, what, why });
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
function latestTimer(frames: readonly Frame[], before: readonly Second[]): LateTimer | undefined {
  let latest: LateTimer | undefined;
  for (const { name, lateness, tickMs } of frames[frames.length - 1].timers) {
    const { leMs } = lateness;
    const bound = Math.max(
      quantile(leMs, latenessWithin(frames, name, RECENT_MS), 0.99) ?? 0,
      ...before.map(({ timers }) => timers[name]).map((of) => (of === undefined ? 0 : (of[1] ?? Infinity))),
    );
    if (bound < LATE_WARN_MS + tickMs) continue;
    const isKnown = Number.isFinite(bound);
    const atLeastMs = isKnown ? (leMs[leMs.indexOf(bound) - 1] ?? 0) : leMs[leMs.length - 1];
    if (latest !== undefined && latest.atLeastMs >= atLeastMs) continue;
    const by = isKnown ? `up to ${time(bound)}` : `more than ${time(atLeastMs)}`;
    latest = { atLeastMs, inWords: `one task in a hundred ran ${by} after its deadline` };
  }
  return latest;
}

function cutOff({ buses }: Frame): Warning[] {
  return buses.flatMap(({ name, engine, state, forMs, pendingKeys, lastError }) => {
    if (state === 'live' || state === 'closed' || forMs < CUT_OFF_MS) return [];
    const pending =
      pendingKeys === 0 ? '' : `, and ${plural(pendingKeys, 'key waits', 'keys wait')} to be sent`;
    const since = state === 'gap' ? 'It has been in a gap' : 'It has tried to connect';
    const said = lastError === null ? '' : ` It said: ${quoted(lastError.message)}.`;
    const why = `${since} for ${time(forMs)}: hints of other processes do not arrive${pending}. Waits fall back on their deadlines.${said}`;
    const what = `the bus ${name === null ? `of ${quoted(engine)}` : quoted(name)} is cut off`;
    return [{ tone: 'warn' as const, what, why }];
  });
}
