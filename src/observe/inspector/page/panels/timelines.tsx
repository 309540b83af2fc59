// The lives of a few operations: each a line from its parking to its answer, and the same as a list.
import type { JSX } from 'preact';
import type { Timeline, TimelineEvent } from '../../frame.ts';
import { last } from '../data/history.ts';
import { Section } from '../words/explained.tsx';
import { plural, time } from '../words/format.ts';
import { Bold, Key, Keys, Name } from '../words/names.tsx';
import { tone } from '../words/tone.ts';
import { Table } from './tables.tsx';

const WORDS: Record<TimelineEvent['what'], string> = {
  parked: 'parked',
  tried: 'tried',
  completed: 'completed by an event',
  expired: 'expired',
  cancelled: 'cancelled, unanswered',
  rejected: 'rejected: its condition threw',
};

export function Timelines({ timelines }: { timelines: readonly Timeline[] }): JSX.Element {
  const operation = ({ type, purgatory, keys }: Timeline): JSX.Element => (
    <>
      <Bold of={type} /> in <Name of={purgatory} /> on <Keys of={keys} />
    </>
  );
  return (
    <Section of="timeline" title="Lives of operations" class="wide">
      <Table
        test="timeline"
        none="No operation has been parked since this page was opened."
        rows={timelines}
        keyOf={({ id }) => id}
        columns={[
          ['Operation', operation, 'who'],
          ['From its parking to its end', (timeline) => <Life {...timeline} />],
        ]}
      />
    </Section>
  );
}

/** A click unfolds the events one by one. */
function Life({ ageMs, events, untold }: Timeline): JSX.Element {
  const at = (afterMs: number): number => 4 + (992 * afterMs) / (ageMs || 1);
  const tries = untold + events.filter(({ what }) => what === 'tried').length;
  const { what: end } = last(events);
  const hasEnded = end !== 'parked' && end !== 'tried';
  return (
    <>
      <svg class="life" viewBox="0 0 1000 14" preserveAspectRatio="none" aria-hidden="true">
        <path d="M4 7H996" />
        {events.map(({ afterMs, what }, index) => (
          <path key={index} class="event" {...tone(what)} d={`M${at(afterMs)} 0V14`} />
        ))}
      </svg>
      <details class="events">
        <summary {...tone(end)}>
          {hasEnded ? `${WORDS[end]} after` : 'has waited'} {time(ageMs)}, {plural(tries, 'try', 'tries')}{' '}
          since parking
        </summary>
        <ol>
          {events.map(({ afterMs, what, key }, index) => (
            <li key={index} data-what={what} {...tone(what)}>
              <span class="when">{time(afterMs)}</span> {WORDS[what]} {key !== undefined && <Key of={key} />}
            </li>
          ))}
          {untold > 0 && <li class="none">{plural(untold, 'more try', 'more tries')} not listed</li>}
        </ol>
      </details>
    </>
  );
}
