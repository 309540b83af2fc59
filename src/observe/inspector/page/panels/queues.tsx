// The chosen queues, a line each: what is kept, and who waits for it.
import type { JSX } from 'preact';
import type { PurgatoryView } from '../../frame.ts';
import { Section } from '../words/explained.tsx';
import { count } from '../words/format.ts';
import { Name } from '../words/names.tsx';
import { Table } from './tables.tsx';

type Queues = PurgatoryView & Required<Pick<PurgatoryView, 'items'>>;

export function QueuesTable({ views }: { views: readonly PurgatoryView[] }): JSX.Element | null {
  const rows = views.filter((view): view is Queues => view.items !== undefined);
  if (rows.length === 0) return null;
  const kept = ({ items: { size, max } }: Queues): string =>
    `${count(size)}${max === null ? '' : ` of ${count(max)}`}`;
  return (
    <Section of="items" title="Queues">
      <Table
        test="queues"
        rows={rows}
        columns={[
          ['Queues', ({ name }) => <Name of={name} />],
          ['Items', kept, 'short'],
          ['Keys', ({ items }) => count(items.keys), 'short'],
          ['Takers', ({ parked }) => count(parked), 'short'],
        ]}
      />
    </Section>
  );
}
