// All that is not well, the worst first.
import type { JSX } from 'preact';
import type { Warning } from './verdict.ts';

export function Warnings({ warnings }: { warnings: readonly Warning[] }): JSX.Element {
  return (
    <section class="wide" aria-labelledby="warnings-title">
      <h2 id="warnings-title">Warnings</h2>
      {warnings.length === 0 ? (
        <p class="none">
          None. Looked for: a blocked event loop, a late timer, passed deadlines, a full purgatory, throws,
          and keys that grow without completion.
        </p>
      ) : (
        <ul class="warnings">
          {warnings.map(({ tone, what, why }) => (
            <li key={what + why} data-tone={tone}>
              <strong>{what}</strong> {why}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
