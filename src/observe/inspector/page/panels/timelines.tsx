// The life of one operation: a line from its parking to its answer, and the same as a list.
import type { JSX } from 'preact';
import type { Timeline, TimelineEvent } from '../../frame.ts';
import { endOf } from '../data/follow.ts';
import { followLife } from '../data/store.ts';
import { Section } from '../words/explained.tsx';
import { plural, time } from '../words/format.ts';
import { Bold, Key, Keys, Name } from '../words/names.tsx';
import { tone } from '../words/tone.ts';

interface Props {
  readonly timelines: readonly Timeline[];
  readonly shown: Timeline | undefined;
  /** Whether the server still sends the operation that is shown. */
  readonly isTold: boolean;
}

const WORDS: Record<TimelineEvent['what'], string> = {
  parked: 'parked',
  tried: 'tried',
  completed: 'completed by an event',
  expired: 'expired at its deadline',
  cancelled: 'cancelled, unanswered',
  rejected: 'rejected: its condition threw',
};

export function Timelines({ timelines, shown, isTold }: Props): JSX.Element {
  return (
    <Section of="timeline" title="One operation's life" class="wide">
      {shown === undefined ? (
        <p class="none">No operation has been parked since this page was opened.</p>
      ) : (
        <div class="life">
          <ul class="choices">
            {timelines.map((each) => (
              <li key={each.id}>
                <button
                  type="button"
                  aria-pressed={each.id === shown.id}
                  onClick={() => followLife({ timeline: each, isChosen: true, untilMs: 0 })}
                >
                  <span>
                    <Name of={each.type} />{' '}
                    <span class="key">
                      <Name of={each.keys[0]} />
                    </span>
                  </span>
                  <small>{endOf(each) ?? 'parked'}</small>
                </button>
              </li>
            ))}
          </ul>
          <Life timeline={shown} isTold={isTold} />
        </div>
      )}
    </Section>
  );
}

function Life({ timeline, isTold }: { timeline: Timeline; isTold: boolean }): JSX.Element {
  const { ageMs, events, keys, purgatory, type, untold } = timeline;
  const end = endOf(timeline);
  const at = (afterMs: number): number => 8 + (984 * afterMs) / Math.max(ageMs, 1);
  return (
    <div class="told" data-test="timeline">
      <p>
        <Bold of={type} /> in <Name of={purgatory} />, on <Keys of={keys} />
      </p>
      <svg viewBox="0 0 1000 40" preserveAspectRatio="none" aria-hidden="true">
        <line x1="8" x2="992" y1="20" y2="20" />
        {events.map(({ afterMs, what }, index) => (
          <line key={index} class="mark" {...tone(what)} x1={at(afterMs)} x2={at(afterMs)} y1="6" y2="34" />
        ))}
      </svg>
      <ol>
        {events.map(({ afterMs, what, key }, index) => (
          <li key={index} data-what={what} {...tone(what)}>
            <span class="when">{time(afterMs)}</span> {WORDS[what]}
            {key !== undefined && (
              <>
                {' '}
                <Key of={key} />
              </>
            )}
          </li>
        ))}
        {end === undefined && (
          <li>
            <span class="when">{time(ageMs)}</span> {isTold ? 'waits' : 'waited; others are followed now'}
          </li>
        )}
      </ol>
      {untold > 0 && <p class="none">{plural(untold, 'more try', 'more tries')} not listed.</p>}
    </div>
  );
}
