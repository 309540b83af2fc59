// Of the chosen semaphores: how many units are held, and by whom, the longest first.
import type { JSX } from 'preact';
import { type PurgatoryView, TOP } from '../../frame.ts';
import { Section } from '../words/explained.tsx';
import { count, plural } from '../words/format.ts';
import { Key, Name } from '../words/names.tsx';
import { Since, Table } from './tables.tsx';

type Held = NonNullable<PurgatoryView['units']>['holders'][number];

interface HoldersProps {
  readonly views: readonly PurgatoryView[];
  /** By the clock of the server's host. */
  readonly nowMs: number;
}

export function Holders({ views, nowMs }: HoldersProps): JSX.Element | null {
  const semaphores = views.flatMap(({ name, units }) => (units === undefined ? [] : [{ ...units, name }]));
  if (semaphores.length === 0) return null;
  const holders = semaphores
    .flatMap(({ holders }) => holders)
    .sort((a, b) => b.ageMs - a.ageMs)
    .slice(0, TOP);
  const who = ({ label, key, units }: Held): JSX.Element => (
    <>
      <Name of={label} /> <small>{units > 1 ? `${count(units)} units ` : ''}of</small> <Key of={key} />
    </>
  );
  return (
    <Section of="holders" title="Who holds units">
      {holders.length > 0 && (
        <Table
          test="holders"
          rows={holders}
          columns={[
            ['Permit with a label', who],
            ['Since', ({ ageMs }) => <Since {...{ ageMs, nowMs }} />, 'short'],
          ]}
        />
      )}
      {semaphores.map(({ name, held, each }) => (
        <p key={name} class="note" data-test="units">
          <Name of={name} />:{' '}
          {held === 0 ? 'no unit is held' : `${plural(held, 'unit is', 'units are')} held`}
          {each !== null && `, of ${count(each)} a key`}.
        </p>
      ))}
    </Section>
  );
}
