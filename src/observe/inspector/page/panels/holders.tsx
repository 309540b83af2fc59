// Of the chosen semaphores: how many units are held, and by whom for the longest time. Of queues:
// how many items they keep.
import type { JSX } from 'preact';
import type { PurgatoryView } from '../../frame.ts';
import { Section } from '../words/explained.tsx';
import { clock, count, time } from '../words/format.ts';
import { Key, Name } from '../words/names.tsx';
import { Table } from './tables.tsx';

type Units = NonNullable<PurgatoryView['units']>;
type Held = NonNullable<Units['heldLongest']>;

interface Row extends Units {
  readonly name: string;
}

export function Holders({
  views,
  nowMs,
}: {
  readonly views: readonly PurgatoryView[];
  /** By the clock of the server's host. */
  readonly nowMs: number;
}): JSX.Element | null {
  const rows = views.flatMap(({ name, units }): Row[] => (units === undefined ? [] : [{ ...units, name }]));
  const queues = views.flatMap(({ name, items }) => (items === undefined ? [] : [{ ...items, name }]));
  if (rows.length + queues.length === 0) return null;
  const who = ({ label, key, units }: Held): JSX.Element => (
    <>
      <Name of={label} /> <small>{units > 1 ? `${count(units)} units ` : ''}of</small> <Key of={key} />
    </>
  );
  const since = ({ ageMs }: Held): JSX.Element => (
    <>
      <span class="moment">{clock(nowMs - ageMs)}</span> <small>{time(ageMs)}</small>
    </>
  );
  return (
    <Section of="holders" title="Who holds units">
      {rows.length > 0 && (
        <Table
          test="holders"
          rows={rows}
          columns={[
            ['Semaphore', ({ name }) => <Name of={name} />],
            ['Held', ({ held, each }) => `${count(held)}, ${count(each)} a key`, 'short'],
            ['Held longest', ({ heldLongest }) => (heldLongest === null ? 'no label' : who(heldLongest))],
            ['Since', ({ heldLongest }) => heldLongest !== null && since(heldLongest), 'short'],
          ]}
        />
      )}
      {queues.map(({ name, size, keys, max }) => (
        <p key={name} class="note" data-test="items">
          <Name of={name} /> keeps {count(size)} {max !== null && `of ${count(max)} `}items, of {count(keys)}{' '}
          {keys === 1 ? 'key' : 'keys'}.
        </p>
      ))}
    </Section>
  );
}
