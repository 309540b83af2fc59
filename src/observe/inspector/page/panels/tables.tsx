// Of the chosen purgatories: the hottest keys with the events that are being served, and the
// operations that have been parked longest. A found key has its operations in the same table.
import type { ComponentChildren, JSX } from 'preact';
import { type FoundOperation, TOP } from '../../frame.ts';
import type { PurgatoryView } from '../../view-types.ts';
import { sum } from '../data/history.ts';
import { Explained, Section } from '../words/explained.tsx';
import { count, progress, time } from '../words/format.ts';
import { Key, Keys, Name, Operation } from '../words/names.tsx';
import { quoted } from '../words/visible.ts';

interface Props {
  readonly views: readonly PurgatoryView[];
}

export function HottestKeys({ views }: Props): JSX.Element {
  const rows = views
    .flatMap(({ name, hottestKeys }) => hottestKeys.map((hot) => ({ ...hot, name })))
    .sort((a, b) => b.watchers - a.watchers)
    .slice(0, TOP);
  const most = rows[0]?.watchers ?? 1;
  return (
    <Section of="hottest" title="Hottest keys">
      {rows.length === 0 ? (
        <p class="none">No key is watched.</p>
      ) : (
        <table class="named" data-test="hottest">
          <thead>
            <tr>
              <th scope="col">Key</th>
              {views.length > 1 && (
                <th scope="col" class="purgatory">
                  Purgatory
                </th>
              )}
              <th scope="col" class="bar">
                Watchers
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ name, key, watchers }) => (
              <tr key={`${name} ${key}`}>
                <td>
                  <Key of={key} />
                </td>
                {views.length > 1 && (
                  <td class="name-of">
                    <Name of={name} />
                  </td>
                )}
                <td class="bar">
                  <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
                    <rect width={(100 * watchers) / most} height="8" />
                  </svg>
                  {count(watchers)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <p class="note" data-test="events">
        <Explained of="events">{eventsInWords(views)}</Explained>
      </p>
    </Section>
  );
}

/** Always there, so that an event of some ms does not move the page. */
function eventsInWords(views: readonly PurgatoryView[]): string {
  const underWay = sum(views, ({ events }) => events.passesUnderWay);
  const pending = sum(views, ({ events }) => events.pendingKeys);
  if (underWay + pending === 0) return 'No event is being served.';
  const { oldestMs, oldestPass } = views
    .map(({ events }) => events)
    .reduce((a, b) => (b.oldestMs > a.oldestMs ? b : a));
  const events = `Events: ${count(underWay)} under way, ${count(pending)} pending`;
  if (oldestPass === null) return `${events}, the oldest for ${time(oldestMs)}.`;
  return `${events}. ${quoted(oldestPass.key)}: ${progress(oldestPass)}, ${time(oldestPass.ageMs)}.`;
}

export function OldestParked({ views }: Props): JSX.Element {
  const oldest = views
    .flatMap(({ name, oldest }) => oldest.map((op) => ({ ...op, purgatory: name })))
    .sort((a, b) => b.ageMs - a.ageMs)
    .slice(0, TOP);
  return (
    <Section of="oldest" title="Oldest parked">
      {oldest.length === 0 ? (
        <p class="none">Nothing is parked.</p>
      ) : (
        <OperationTable
          operations={oldest}
          namesPurgatory={views.length > 1}
          test="oldest"
          since={['Age', time]}
        />
      )}
    </Section>
  );
}

interface OperationTableProps {
  readonly operations: readonly FoundOperation[];
  readonly namesPurgatory: boolean;
  readonly test: string;
  /** The heading of the second column, and what it says of an operation. */
  readonly since: readonly [heading: string, of: (ageMs: number) => ComponentChildren];
}

/** What each operation is and watches, since when, and until when. */
export function OperationTable({
  operations,
  namesPurgatory,
  test,
  since,
}: OperationTableProps): JSX.Element {
  const [heading, sinceOf] = since;
  return (
    <table class="named" data-test={test}>
      <thead>
        <tr>
          <th scope="col">Operation</th>
          <th scope="col" class="short">
            {heading}
          </th>
          <th scope="col" class="short">
            Left
          </th>
        </tr>
      </thead>
      <tbody>
        {operations.map(({ id, type, purgatory, keys, more, ageMs, leftMs }, row) => (
          <tr key={id === null ? `row ${row}` : id}>
            <td class="name-of">
              <Operation id={id} type={type} />{' '}
              {namesPurgatory && (
                <>
                  <small>
                    in <Name of={purgatory} />
                  </small>{' '}
                </>
              )}
              <Keys of={keys} more={more} />
            </td>
            <td>{sinceOf(ageMs)}</td>
            <td data-tone={leftMs !== null && leftMs < -1000 ? 'bad' : undefined}>{left(leftMs)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The time until a deadline. */
function left(ms: number | null): string {
  if (ms === null) return 'no deadline';
  return ms < 0 ? `${time(-ms)} over` : time(ms);
}
