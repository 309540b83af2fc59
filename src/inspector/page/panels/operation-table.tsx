// A table of parked operations: what each is and watches, since when, and until when.
import type { ComponentChildren, JSX } from 'preact';
import type { OldOperation } from '../../view-types.ts';
import { time } from '../words/format.ts';
import { Keys, Name, Operation } from '../words/names.tsx';

interface Props {
  readonly operations: readonly (OldOperation & { readonly purgatory: string })[];
  readonly namesPurgatory: boolean;
  readonly test: string;
  /** The heading of the second column, and what it says of an operation. */
  readonly since: readonly [heading: string, of: (ageMs: number) => ComponentChildren];
}

export function OperationTable({ operations, namesPurgatory, test, since }: Props): JSX.Element {
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
