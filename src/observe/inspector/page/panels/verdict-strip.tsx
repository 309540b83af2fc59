// The first thing to read: whether all is well, why not, and the six numbers behind it.
import type { JSX } from 'preact';
import { quantile } from '../../../../base/duration-histogram.ts';
import type { TimerView } from '../../view-types.ts';
import { chosenOf, endedWithin, latenessWithin, ratesOf, sum, timersOf } from '../data/history.ts';
import type { Warning } from '../data/purgatory-warnings.ts';
import { choose, type State, shown } from '../data/store.ts';
import type { Verdict } from '../data/verdict.ts';
import { Figure } from '../words/explained.tsx';
import { capitalised, count, plural, rate, share, shortCount, time } from '../words/format.ts';
import { Choose } from '../words/names.tsx';
import { quoted } from '../words/visible.ts';

const LATENESS_MS = 10_000;

export function VerdictStrip({ state, verdict }: { state: State; verdict: Verdict }): JSX.Element {
  const { frames } = shown(state);
  const { purgatories } = frames[frames.length - 1];
  const { tone, headline, detail, warnings } = verdict;
  return (
    <section class="verdict" aria-label="Verdict" data-tone={tone}>
      <div class="words">
        <p role="status" class="headline">
          {headline}
        </p>
        <p class="detail">{detail}</p>
        {warnings.length > 1 && <Warnings warnings={warnings.slice(1)} />}
        {purgatories.length > 1 && (
          <Choose
            what="Purgatory"
            chosen={state.choice.purgatory ?? ''}
            options={[
              ['', `all ${purgatories.length}`],
              ...purgatories.map(({ name }) => [name, quoted(name)] as const),
            ]}
            onChoose={(name) => choose({ purgatory: name || undefined })}
          />
        )}
      </div>
      <Numbers state={state} />
    </section>
  );
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

function Numbers({ state }: { state: State }): JSX.Element {
  const { frames, seconds } = shown(state);
  const { purgatory } = state.choice;
  const frame = frames[frames.length - 1];
  const views = chosenOf(frame, purgatory);
  const rates = ratesOf(frames, purgatory, seconds);
  const { completed, expired } = endedWithin(frames, purgatory, 60_000, seconds);
  const timers = timersOf(frame, purgatory);
  const keys = sum(views, ({ watchedKeys }) => watchedKeys);
  const most = views.length === 1 ? views[0].maxParked : null;
  return (
    <div class="figures">
      <Figure of="parked" name="parked" note={most === null ? undefined : `of ${shortCount(most)} at most`}>
        {count(sum(views, ({ parked }) => parked))}
      </Figure>
      <Figure of="watched" name="watches" note={`on ${plural(keys, 'key')}`}>
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
      <Figure
        of="lateness"
        name="lateness"
        note={timers.length < 2 ? '99 of 100 tasks' : `worst of ${timers.length} timers`}
      >
        {latenessInWords(frames, timers)}
      </Figure>
    </div>
  );
}

/** Of the timer that is latest. */
function latenessInWords(frames: State['frames'], timers: readonly TimerView[]): string {
  const bounds = timers.map(({ name, lateness: { leMs } }) => ({
    leMs,
    bound: quantile(leMs, latenessWithin(frames, name, LATENESS_MS), 0.99) ?? 0,
  }));
  const { bound, leMs } = bounds.reduce((a, b) => (b.bound > a.bound ? b : a), { bound: 0, leMs: [0] });
  if (bound === 0) return '–';
  return Number.isFinite(bound) ? `≤ ${time(bound)}` : `> ${time(leMs[leMs.length - 1])}`;
}
