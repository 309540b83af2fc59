// The first thing to read: whether all is well, and the six numbers behind it.
import type { JSX } from 'preact';
import { Figure } from './explained.tsx';
import { count, plural, rate, share, shortCount, time } from './format.ts';
import { chosenOf, endedWithin, latenessWithin, quantile, ratesOf, sum } from './history.ts';
import type { State } from './store.ts';
import { choose } from './store.ts';
import type { Verdict } from './verdict.ts';

const LATENESS_MS = 10_000;

export function VerdictStrip({ state, verdict }: { state: State; verdict: Verdict }): JSX.Element {
  const { frames, chosen, connection } = state;
  const frame = frames[frames.length - 1];
  const isLost = connection === 'lost';
  return (
    <section class="verdict" aria-label="Verdict" data-tone={isLost ? 'lost' : verdict.tone}>
      <div class="words">
        <p role="status" class="headline">
          {isLost ? 'The server does not answer' : verdict.headline}
        </p>
        <p class="detail">
          {isLost
            ? 'It has stopped, or is starting anew: this page goes on by itself when it is back. What is below was told last.'
            : verdict.detail}
        </p>
        {frame.purgatories.length > 1 && (
          <Purgatories names={frame.purgatories.map(({ name }) => name)} chosen={chosen} />
        )}
      </div>
      <Numbers state={state} />
    </section>
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
        onChange={({ currentTarget }) => choose({ chosen: currentTarget.value || undefined })}
      >
        <option value="">all {names.length}</option>
        {names.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

function Numbers({ state: { frames, chosen, timer } }: { state: State }): JSX.Element {
  const frame = frames[frames.length - 1];
  const views = chosenOf(frame, chosen);
  const rates = ratesOf(frames, chosen);
  const { completed, expired } = endedWithin(frames, chosen, 60_000);
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

function latenessInWords(frames: State['frames'], timer: number): string {
  const leMs = frames[frames.length - 1].timers[timer]?.lateness.leMs ?? [];
  const bound = quantile(leMs, latenessWithin(frames, timer, LATENESS_MS), 0.99);
  if (bound === undefined) return '–';
  return Number.isFinite(bound) ? `≤ ${time(bound)}` : `> ${time(leMs[leMs.length - 1])}`;
}
