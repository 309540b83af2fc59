// Of the chosen purgatories: the hottest keys with the events that are being served, and the
// operations that have been parked longest. A found key has its operations in the same table.
import { Component, type ComponentChildren, createRef, type JSX } from 'preact';
import { type PurgatoryView, type ShownOperation, TOP } from '../../frame.ts';
import { most, sum } from '../data/history.ts';
import { Explained, Section } from '../words/explained.tsx';
import { clock, count, plural, progress, time } from '../words/format.ts';
import { Key, Keys, Name, Operation } from '../words/names.tsx';
import { tone } from '../words/tone.ts';
import { quoted } from '../words/visible.ts';

interface Views {
  readonly views: readonly PurgatoryView[];
}

interface TableProps<T> {
  readonly test: string;
  /** What it says in place of a table without rows. */
  readonly none?: string;
  readonly rows: readonly T[];
  /** `false`: this column is left out. */
  readonly columns: readonly (
    | false
    | readonly [ComponentChildren, (row: T) => ComponentChildren, look?: string]
  )[];
}

/** While the keyboard is in a row, the table holds still: Enter opens what is read. */
export class Table<T> extends Component<TableProps<T>> {
  readonly #table = createRef<HTMLTableElement>();

  override shouldComponentUpdate(): boolean {
    return !this.#table.current?.querySelector(':focus-visible');
  }

  override render(): JSX.Element {
    const { test, none, rows, columns } = this.props;
    if (rows.length === 0) return <p class="none">{none}</p>;
    const shown = columns.filter((column) => column !== false);
    return (
      <table ref={this.#table} class="named" data-test={test}>
        <thead>
          <tr>
            {shown.map(([heading, , look], index) => (
              <th key={index} scope="col" class={look}>
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {shown.map(([, cell, look], column) => (
                <td key={column} class={look}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    );
  }
}

export function HottestKeys({ views }: Views): JSX.Element {
  const rows = views
    .flatMap(({ name, hottestKeys }) => hottestKeys.map((hot) => ({ ...hot, name })))
    .sort((a, b) => b.watchers - a.watchers)
    .slice(0, TOP);
  const bar = (watchers: number): JSX.Element => (
    <>
      <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
        <rect width={(100 * watchers) / rows[0].watchers} height="8" />
      </svg>
      {count(watchers)}
    </>
  );
  return (
    <Section of="hottest" title="Hottest keys">
      <Table
        test="hottest"
        none="No key is watched."
        rows={rows}
        columns={[
          ['Key', ({ key }) => <Key of={key} />],
          views.length > 1 && ['Purgatory', ({ name }) => <Name of={name} />, 'short'],
          ['Watchers', ({ watchers }) => bar(watchers), 'bar'],
        ]}
      />
      <p class="note" data-test="events">
        <Explained of="events">{eventsInWords(views)}</Explained>
      </p>
    </Section>
  );
}

/** Always there, so that an event of some ms does not move the page. */
function eventsInWords(views: readonly PurgatoryView[]): string {
  const pending = sum(views, ({ events }) => events.pendingKeys);
  const waiting = pending === 0 ? '' : `${plural(pending, 'key waits', 'keys wait')} for their event.`;
  const passes = views.flatMap(({ events }) => events.oldestPass ?? []);
  if (passes.length === 0) return waiting || 'No event is being served.';
  const oldest = most(passes, ({ ageMs }) => ageMs);
  return `${quoted(oldest.key)}: ${progress(oldest)}, ${time(oldest.ageMs)}. ${waiting}`;
}

export function OldestParked({ views, nowMs }: Views & { nowMs: number }): JSX.Element {
  const operations = views
    .flatMap(({ oldest }) => oldest)
    .sort((a, b) => b.ageMs - a.ageMs)
    .slice(0, TOP);
  return (
    <Section of="oldest" title="Oldest parked">
      <OperationTable test="oldest" {...{ operations, nowMs }} namesPurgatory={views.length > 1} />
    </Section>
  );
}

/** When it began, and for how long it has gone on. `nowMs`: by the clock of the server's host. */
export function Since({ ageMs, nowMs }: { ageMs: number; nowMs: number }): JSX.Element {
  return (
    <>
      <span class="moment">{clock(nowMs - ageMs)}</span> <small>{time(ageMs)}</small>
    </>
  );
}

interface OperationTableProps {
  readonly test: string;
  readonly operations: readonly ShownOperation[];
  readonly namesPurgatory?: boolean;
  /** By the clock of the server's host. */
  readonly nowMs: number;
}

/** What each operation is and watches, since when, and until when. */
export function OperationTable({
  test,
  operations,
  namesPurgatory,
  nowMs,
}: OperationTableProps): JSX.Element {
  const what = ({ id, label, type, purgatory, keys }: ShownOperation): JSX.Element => (
    <>
      <Operation id={id} name={label || type} />{' '}
      {namesPurgatory && (
        <small>
          in <Name of={purgatory} />
        </small>
      )}{' '}
      <Keys of={keys} />
    </>
  );
  /** The time until the deadline. */
  const left = ({ leftMs: ms }: ShownOperation): JSX.Element | string => {
    if (ms === null || ms >= 0) return ms === null ? 'no deadline' : time(ms);
    return <strong {...tone(ms < -1000 ? 'bad' : undefined)}>{time(-ms)} over</strong>;
  };
  return (
    <Table
      test={test}
      none="Nothing is parked."
      rows={operations}
      columns={[
        ['Operation', what],
        ['Since', ({ ageMs }) => <Since {...{ ageMs, nowMs }} />, 'short'],
        ['Left', left, 'short'],
      ]}
    />
  );
}
