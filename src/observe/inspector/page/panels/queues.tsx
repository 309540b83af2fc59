// The chosen queues, a line each: what is kept, and who waits for it; and who has what on lease.
import type { JSX } from 'preact';
import { type PurgatoryView, TOP } from '../../frame.ts';
import { Section } from '../words/explained.tsx';
import { count, plural, time } from '../words/format.ts';
import { Key, Name } from '../words/names.tsx';
import { Since, Table } from './tables.tsx';

type Queues = PurgatoryView & Required<Pick<PurgatoryView, 'items'>>;
type Lease = Queues['items']['leases'][number];

interface QueuesProps {
  readonly views: readonly PurgatoryView[];
  /** By the clock of the server's host. */
  readonly nowMs: number;
}

export function QueuesTable({ views, nowMs }: QueuesProps): JSX.Element | null {
  const rows = views.filter((view): view is Queues => view.items !== undefined);
  if (rows.length === 0) return null;
  const leases = rows
    .flatMap(({ items }) => items.leases)
    .sort((a, b) => b.ageMs - a.ageMs)
    .slice(0, TOP);
  return (
    <Section of="items" title="Queues">
      <Table
        test="queues"
        rows={rows}
        columns={[
          ['Queues', longest],
          ['Items', kept, 'short'],
          ['Takers', ({ parked }) => count(parked), 'short'],
        ]}
      />
      {leases.length > 0 && (
        <Table
          test="leases"
          rows={leases}
          columns={[
            ['On lease', leased],
            ['Since', ({ ageMs }) => <Since {...{ ageMs, nowMs }} />, 'short'],
          ]}
        />
      )}
    </Section>
  );
}

/** Its name, and its key with the most items. */
function longest({ name, items: { longest, oldest } }: Queues): JSX.Element {
  return (
    <>
      <Name of={name} />
      {longest.length > 0 && (
        <>
          {': '}
          <small>
            <Name of={longest[0].key} /> has {count(longest[0].size)}
            {oldest !== null && `, the oldest is ${time(oldest.ageMs)} old or more`}
          </small>
        </>
      )}
    </>
  );
}

function kept({ items: { size, max, delayed, leased } }: Queues): JSX.Element {
  const others = [delayed > 0 && `${count(delayed)} later`, leased > 0 && `${count(leased)} on lease`];
  return (
    <>
      {count(size)}
      {max !== null && ` of ${count(max)}`} <small>{others.filter(Boolean).join(', ')}</small>
    </>
  );
}

function leased({ key, label, deliveries }: Lease): JSX.Element {
  return (
    <>
      {label === null ? 'no label' : <Name of={label} />} <small>has an item of</small> <Key of={key} />
      {deliveries > 1 && <small>, delivered {plural(deliveries, 'time')}</small>}
    </>
  );
}
