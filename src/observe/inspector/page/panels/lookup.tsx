// The result of a search: a key and its waiters, or an operation and its keys.
import type { JSX } from 'preact';
import { type AskedOperation, type Found, type FoundKey, MAX_FOUND } from '../../frame.ts';
import { askFor, choose, type State } from '../data/store.ts';
import { Section } from '../words/explained.tsx';
import { clock, count, plural, time } from '../words/format.ts';
import { Bold, Key, Name } from '../words/names.tsx';
import { OperationTable } from './tables.tsx';

export function Lookup({ state }: { state: State }): JSX.Element | null {
  const { choice, found, asked } = state;
  if (choice.key === undefined && asked === undefined) return null;
  const close = (): void => {
    askFor(undefined);
    choose({ key: undefined });
  };
  return (
    <Section
      of="lookup"
      title="Who waits"
      aside={
        <button type="button" class="act" onClick={close}>
          Close
        </button>
      }
      class="wide"
      test="lookup"
    >
      {asked !== undefined && <Asked operation={asked.operation} />}
      {choice.key !== undefined && <FoundKeys text={choice.key} found={found} />}
    </Section>
  );
}

function Asked({ operation }: { operation: AskedOperation | undefined }): JSX.Element {
  if (operation === undefined) return <p class="none">Asking the server.</p>;
  if (operation === null) {
    return <p class="none">That operation is not parked any more: it was answered, or cancelled.</p>;
  }
  const { type, label, purgatory, wallMs, ageMs, leftMs, watches, more } = operation;
  return (
    <div data-test="asked">
      <p>
        <Bold of={label || type} /> in <Name of={purgatory} />, parked {time(ageMs)} ago at{' '}
        {clock(wallMs - ageMs)},{' '}
        {leftMs === null ? 'has no deadline' : `has its deadline at ${clock(wallMs + leftMs)}`}. It waits on{' '}
        {plural(watches.length + more, 'key')}:
      </p>
      <KeyList keys={watches} />
    </div>
  );
}

function FoundKeys({ text, found }: { text: string; found: Found | undefined }): JSX.Element {
  if (found?.text !== text) return <p class="none">Looking for it.</p>;
  const { keys, isWhole, operations, wallMs } = found;
  const [first, ...more] = keys;
  const scope = isWhole
    ? ''
    : ' There are too many keys to look at all of them. Type the whole key to be sure.';
  if (first === undefined) {
    return (
      <p class="none" role="status">
        Nobody waits on a key with <Name of={text} /> in it now.{scope}
      </p>
    );
  }
  const { key, purgatory, watchers } = first;
  const isPart = watchers > operations.length && operations.length > 0;
  return (
    <>
      <p role="status">
        <Bold of={key} /> in <Name of={purgatory} />: {plural(watchers, 'operation waits', 'operations wait')}
        {isPart && `; these ${operations.length} the longest`}.
      </p>
      {operations.length > 0 && (
        <OperationTable key={`${purgatory} ${key}`} test="waiters" {...{ operations }} nowMs={wallMs} />
      )}
      {more.length > 0 && (
        <>
          <p class="none">
            {more.length + 1 === MAX_FOUND ? 'More keys' : plural(more.length, 'more key')} with it:{scope}
          </p>
          <KeyList keys={more} />
        </>
      )}
    </>
  );
}

function KeyList({ keys }: { keys: readonly FoundKey[] }): JSX.Element {
  return (
    <ul class="found">
      {keys.map(({ key, purgatory, watchers }) => (
        <li key={`${purgatory} ${key}`}>
          <Key of={key} />{' '}
          <small>
            {count(watchers)} in <Name of={purgatory} />
          </small>
        </li>
      ))}
    </ul>
  );
}
