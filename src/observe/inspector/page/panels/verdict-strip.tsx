// The first thing to read: whether all is well, why not, and the numbers behind it.
import type { JSX } from 'preact';
import type { End, PurgatoryView } from '../../frame.ts';
import { countIn, last, latenessIn, type Recording, secondsWithin, sum } from '../data/history.ts';
import type { Verdict } from '../data/judge.ts';
import { MINUTE_MS, RECENT_MS } from '../data/rule.ts';
import { choose, type State, shown } from '../data/store.ts';
import { Figure } from '../words/explained.tsx';
import { capitalised, count, plural, rate, share, shortCount, time } from '../words/format.ts';
import { Bold, Choose } from '../words/names.tsx';
import { tone } from '../words/tone.ts';
import { quoted } from '../words/visible.ts';

interface Props {
  readonly state: State;
  readonly recording: Recording;
  readonly verdict: Verdict;
}

export function VerdictStrip({ state, recording, verdict }: Props): JSX.Element {
  const { purgatories } = last(shown(state).frames);
  const { level, headline, detail, warnings } = verdict;
  return (
    <section class="verdict" aria-label="Verdict" {...tone(level)}>
      <div class="words">
        <p role="status" class="headline">
          {headline}
        </p>
        <p class="detail">{detail}</p>
        {purgatories.length === 1 && (
          <p>
            Purgatory <Bold of={purgatories[0].name} />
          </p>
        )}
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
      <Numbers recording={recording} />
      {warnings.length > 1 && (
        <ul class="warnings" aria-label="More warnings">
          {warnings.slice(1).map(({ level, what, why }) => (
            <li key={what + why} {...tone(level)}>
              <strong>{capitalised(what)}</strong> {why}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Numbers({ recording: { frames, seconds } }: { recording: Recording }): JSX.Element {
  const { purgatories: views, timers, wallMs } = last(frames);
  const total = (of: (view: PurgatoryView) => number): string => count(sum(views, of));
  const keys = sum(views, ({ watchedKeys }) => watchedKeys);
  const most = views.length === 1 ? views[0].maxParked : null;
  const endless = sum(views, (view) => view.endless.parked);
  const queues = views.flatMap(({ items }) => items ?? []);
  const limit = most !== null && `of ${shortCount(most)} at most`;
  const notes = [limit, endless > 0 && `${shortCount(endless)} without a deadline`];
  const recent = seconds.slice(-2);
  const minute = secondsWithin(seconds, wallMs, MINUTE_MS);
  const [completed, expired] = [countIn(minute, 'completed'), countIn(minute, 'expired')];
  const overMs = sum(recent, (second) => second.overMs) || 1;
  const perSecond = (end: End): string => rate((1000 * countIn(recent, end)) / overMs);
  const late = Math.max(0, ...secondsWithin(seconds, wallMs, RECENT_MS).map(latenessIn));
  return (
    <div class="figures">
      <Figure
        of="parked"
        value={total(({ parked }) => parked)}
        note={notes.filter(Boolean).join(', ') || undefined}
      />
      <Figure
        of="watched"
        name="watches"
        value={total(({ watched }) => watched)}
        note={`on ${plural(keys, 'key')}`}
      />
      {queues.length > 0 && (
        <Figure of="items" value={count(sum(queues, ({ size }) => size))} note="kept in queues" />
      )}
      <Figure of="completed" value={perSecond('completed')} note="a second" tone="completed" />
      <Figure of="expired" value={perSecond('expired')} note="a second" tone="expired" />
      <Figure of="early" value={share(completed, completed + expired)} note="of these two" />
      <Figure
        of="lateness"
        value={late === 0 ? '–' : Number.isFinite(late) ? `≤ ${time(late)}` : 'past all bins'}
        note={timers.length < 2 ? '99 of 100 tasks' : `worst of ${timers.length} timers`}
      />
    </div>
  );
}
