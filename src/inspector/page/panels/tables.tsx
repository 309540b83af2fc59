// Of the chosen purgatories: the hottest keys with the events that are being served, and the
// operations that have been parked longest.
import type { JSX } from 'preact';
import { TOP } from '../../frame.ts';
import type { PurgatoryView } from '../../view-types.ts';
import { sum } from '../data/history.ts';
import { Explained } from '../words/explained.tsx';
import { count, progress, time } from '../words/format.ts';
import { Key, Name } from '../words/names.tsx';
import { quoted } from '../words/visible.ts';
import { OperationTable } from './operation-table.tsx';

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
    <section aria-labelledby="hottest-title">
      <h2 id="hottest-title">
        <Explained of="hottest">Hottest keys</Explained>
      </h2>
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
    </section>
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
    <section aria-labelledby="oldest-title">
      <h2 id="oldest-title">
        <Explained of="oldest">Oldest parked</Explained>
      </h2>
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
    </section>
  );
}
