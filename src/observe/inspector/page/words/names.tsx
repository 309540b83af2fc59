// Names, keys and operations of the user, which can be read, clicked and chosen.
import { Fragment, type JSX } from 'preact';
import { askFor, choose } from '../data/store.ts';
import { visible } from './visible.ts';

export function Name({ of }: { of: string }): JSX.Element {
  return <bdi>{visible(of)}</bdi>;
}

/** A key. A click shows who waits on it. */
export function Key({ of }: { of: string }): JSX.Element {
  return (
    <button type="button" class="key" title="Who waits on it" onClick={() => choose({ key: of })}>
      <Name of={of} />
    </button>
  );
}

/** Keys, and how many more there are. */
export function Keys({ of, more }: { of: readonly string[]; more: number }): JSX.Element {
  return (
    <span class="keys">
      {of.map((key, index) => (
        <Fragment key={index}>
          {index > 0 && ', '}
          <Key of={key} />
        </Fragment>
      ))}
      {more > 0 && <small> and {more} more</small>}
    </span>
  );
}

/** The name of an operation. A click shows all its keys. */
export function Operation({ id, type }: { id: number | null; type: string }): JSX.Element {
  if (id === null) return <Name of={type} />;
  return (
    <button type="button" class="operation" title="All its keys" onClick={() => askFor(id)}>
      <Name of={type} />
    </button>
  );
}

interface ChooseProps {
  readonly what: string;
  readonly chosen: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly onChoose: (value: string) => void;
}

/** One of a list. */
export function Choose({ what, chosen, options, onChoose }: ChooseProps): JSX.Element {
  return (
    <label class="choose">
      {what}{' '}
      <select value={chosen} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
