// Hottest keys and oldest parked operations of the chosen purgatories.
import type { JSX } from 'preact';
import { type PurgatoryView, TOP } from '../frame.ts';
import { Explained } from './explained.tsx';
import { count, time } from './format.ts';

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
        <table data-test="hottest">
          <thead>
            <tr>
              <th scope="col">Key</th>
              {views.length > 1 && <th scope="col">Purgatory</th>}
              <th scope="col">Watchers</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ name, key, watchers }) => (
              <tr key={`${name} ${key}`}>
                <td class="key">{key}</td>
                {views.length > 1 && <td>{name}</td>}
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
    </section>
  );
}

export function OldestParked({ views }: Props): JSX.Element {
  const rows = views
    .flatMap(({ name, oldest }) => oldest.map((op) => ({ ...op, name })))
    .sort((a, b) => b.ageMs - a.ageMs)
    .slice(0, TOP);
  return (
    <section aria-labelledby="oldest-title">
      <h2 id="oldest-title">
        <Explained of="oldest">Oldest parked</Explained>
      </h2>
      {rows.length === 0 ? (
        <p class="none">Nothing is parked.</p>
      ) : (
        <table data-test="oldest">
          <thead>
            <tr>
              <th scope="col">Operation</th>
              <th scope="col">Age</th>
              <th scope="col">Left</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ name, type, keys, ageMs, leftMs }, row) => (
              <tr key={row}>
                <td>
                  {type}
                  {views.length > 1 && <small> in {name}</small>} <span class="key">{keys.join(', ')}</span>
                </td>
                <td>{time(ageMs)}</td>
                <td data-tone={leftMs !== null && leftMs < -1000 ? 'bad' : undefined}>
                  {leftMs === null ? 'no deadline' : leftMs < 0 ? `${time(-leftMs)} over` : time(leftMs)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
