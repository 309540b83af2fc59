// The timers, a line each: what waits in it, when it looks next, and what it has done.
import type { JSX } from 'preact';
import type { TimerView } from '../../frame.ts';
import { Section } from '../words/explained.tsx';
import { count, time } from '../words/format.ts';
import { Name } from '../words/names.tsx';
import { tone } from '../words/tone.ts';
import { Table } from './tables.tsx';

export function Timers({ timers }: { timers: readonly TimerView[] }): JSX.Element {
  const ran = ({ totals }: TimerView): JSX.Element => (
    <>
      {count(totals.ran)}{' '}
      {totals.failed > 0 && <strong {...tone('warn')}>{count(totals.failed)} threw</strong>}
    </>
  );
  return (
    <Section of="timers" title="Timers">
      <Table
        test="timers"
        none="There is no timer."
        rows={timers}
        columns={[
          ['Timer', named],
          ['Pending', ({ pending }) => count(pending), 'short'],
          ['Next in', nextIn, 'short'],
          ['Ran', ran, 'short'],
        ]}
      />
    </Section>
  );
}

function named({ name, of }: TimerView): JSX.Element {
  if (of.length === 0) return <Name of={name} />;
  return (
    <>
      of{' '}
      {of.map((each, index) => (
        <>
          {index > 0 && ', '}
          <Name of={each} />
        </>
      ))}
    </>
  );
}

/** The time until it looks, or that it sleeps. */
function nextIn({ nextExpirationMs, nowMs }: TimerView): string {
  return nextExpirationMs === null ? 'sleeps' : time(Math.max(0, nextExpirationMs - nowMs));
}
