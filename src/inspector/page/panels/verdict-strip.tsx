// The first thing to read: whether all is well, why not, and the six numbers behind it.
import type { JSX } from 'preact';
import { chosenOf, endedWithin, latenessWithin, quantile, ratesOf, sum, timerOf } from '../data/history.ts';
import { isSilent, silenceOf } from '../data/silence.ts';
import { choose, type State, shown } from '../data/store.ts';
import type { Verdict, Warning } from '../data/verdict.ts';
import { Figure } from '../words/explained.tsx';
import { capitalised, count, plural, rate, share, shortCount, time } from '../words/format.ts';
import { quoted } from '../words/visible.ts';

const LATENESS_MS = 10_000;

export function VerdictStrip({ state, verdict }: { state: State; verdict: Verdict }): JSX.Element {
  const { frames } = shown(state);
  const { purgatories } = frames[frames.length - 1];
  const { tone, headline, detail, warnings } = absence(state) ?? verdict;
  return (
    <section class="verdict" aria-label="Verdict" data-tone={tone}>
      <div class="words">
        <p role="status" class="headline">
          {headline}
        </p>
        <p class="detail">{detail}</p>
        {warnings.length > 1 && <Warnings warnings={warnings.slice(1)} />}
        {purgatories.length > 1 && (
          <Purgatories names={purgatories.map(({ name }) => name)} chosen={state.choice.purgatory} />
        )}
      </div>
      <Numbers state={state} />
    </section>
  );
}

/**
 * What the page says in place of the verdict while the server is silent. The headline stays the
 * same meanwhile, because screen readers read it aloud.
 */
function absence(state: State): (Omit<Verdict, 'tone'> & { tone: 'lost' }) | undefined {
  const { connection, heardMs, nowMs } = state;
  const age = `What is shown is ${time(Math.max(0, nowMs - (heardMs ?? nowMs)))} old.`;
  if (connection === 'lost') {
    return {
      tone: 'lost',
      headline: 'The server does not answer',
      detail: `${age} It has stopped, or is starting anew: this page goes on by itself when it is back.`,
      warnings: [],
    };
  }
  if (!isSilent(state)) return undefined;
  return {
    tone: 'lost',
    headline: 'The server is silent',
    detail: `${age} For ${time(silenceOf(state))} nothing has come over a connection that is still there: the process hangs, is stopped, or gets no CPU.`,
    warnings: [],
  };
}

/** All but the first, which is in the headline. */
function Warnings({ warnings }: { warnings: readonly Warning[] }): JSX.Element {
  return (
    <ul class="warnings" aria-label="More warnings">
      {warnings.map(({ tone, what, why }) => (
        <li key={what + why} data-tone={tone}>
          <strong>{capitalised(what)}</strong> {why}
        </li>
      ))}
    </ul>
  );
}

function Purgatories({
  names,
  chosen,
}: {
  names: readonly string[];
  chosen: string | undefined;
}): JSX.Element {
  return (
    <label class="choose">
      Purgatory{' '}
      <select
        value={chosen ?? ''}
        onChange={({ currentTarget }) => choose({ purgatory: currentTarget.value || undefined })}
      >
        <option value="">all {names.length}</option>
        {names.map((name) => (
          <option key={name} value={name}>
            {quoted(name)}
          </option>
        ))}
      </select>
    </label>
  );
}

function Numbers({ state }: { state: State }): JSX.Element {
  const { frames } = shown(state);
  const { purgatory, timer } = state.choice;
  const frame = frames[frames.length - 1];
  const views = chosenOf(frame, purgatory);
  const rates = ratesOf(frames, purgatory);
  const { completed, expired } = endedWithin(frames, purgatory, 60_000);
  const most = views.length === 1 ? views[0].maxParked : null;
  return (
    <div class="figures">
      <Figure of="parked" name="parked" note={most === null ? undefined : `of ${shortCount(most)} at most`}>
        {count(sum(views, ({ parked }) => parked))}
      </Figure>
      <Figure
        of="watched"
        name="watches"
        note={`on ${plural(
          sum(views, ({ watchedKeys }) => watchedKeys),
          'key',
        )}`}
      >
        {count(sum(views, ({ watched }) => watched))}
      </Figure>
      <Figure of="completed" name="completed" note="a second" tone="completed">
        {rate(rates.completed.at(-1) ?? 0)}
      </Figure>
      <Figure of="expired" name="expired" note="a second" tone="expired">
        {rate(rates.expired.at(-1) ?? 0)}
      </Figure>
      <Figure of="early" name="early" note="of those ended">
        {share(completed, completed + expired)}
      </Figure>
      <Figure of="lateness" name="lateness" note="99 of 100 tasks">
        {latenessInWords(frames, timer)}
      </Figure>
    </div>
  );
}

function latenessInWords(frames: State['frames'], chosen: string | undefined): string {
  const timer = timerOf(frames[frames.length - 1], chosen);
  const leMs = timer?.lateness.leMs ?? [];
  const bound = quantile(leMs, latenessWithin(frames, timer?.name, LATENESS_MS), 0.99);
  if (bound === undefined) return '–';
  return Number.isFinite(bound) ? `≤ ${time(bound)}` : `> ${time(leMs[leMs.length - 1])}`;
}
