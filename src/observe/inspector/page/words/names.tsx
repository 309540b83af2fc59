// Names, keys and operations of the user, which can be read, clicked and chosen.
import { Fragment, type JSX } from 'preact';
import { askFor, choose } from '../data/store.ts';
import { visible } from './visible.ts';

/** Keys shown of an operation. */
const MAX_KEYS = 4;

export function Name({ of }: { of: string }): JSX.Element {
  return <bdi>{visible(of)}</bdi>;
}

export function Bold({ of }: { of: string }): JSX.Element {
  return (
    <strong>
      <Name of={of} />
    </strong>
  );
}

/** A key. A click shows who waits on it. */
export function Key({ of }: { of: string }): JSX.Element {
  return (
    <button type="button" class="key" title="Who waits on it" onClick={() => choose({ key: of })}>
      <Name of={of} />
    </button>
  );
}

/** The first of the keys that a snapshot tells, which are not all where an operation has many. */
export function Keys({ of }: { of: readonly string[] }): JSX.Element {
  return (
    <span class="keys">
      {of.slice(0, MAX_KEYS).map((key, index) => (
        <Fragment key={index}>
          {index > 0 && ', '}
          <Key of={key} />
        </Fragment>
      ))}
      {of.length > MAX_KEYS && <small> and more</small>}
    </span>
  );
}

/** The name of an operation. A click shows all its keys. */
export function Operation({ id, name }: { id: number | null; name: string }): JSX.Element {
  if (id === null) return <Name of={name} />;
  return (
    <button type="button" class="operation" title="All its keys" onClick={() => askFor(id)}>
      <Name of={name} />
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
