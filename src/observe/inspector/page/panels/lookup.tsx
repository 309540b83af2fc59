// The result of a search: a key and its waiters, or an operation and its keys.
import type { JSX } from 'preact';
import { type AskedOperation, type Found, type FoundKey, MAX_FOUND } from '../../frame.ts';
import { askFor, choose, type State } from '../data/store.ts';
import { Section } from '../words/explained.tsx';
import { clock, count, plural, time } from '../words/format.ts';
import { Key, Name } from '../words/names.tsx';
import { OperationTable } from './tables.tsx';

export function Lookup({ state }: { state: State }): JSX.Element | null {
  const { choice, found, asked, frames } = state;
  const nowMs = frames[frames.length - 1].wallMs;
  if (choice.key === undefined && asked === undefined) return null;
  return (
    <Section of="lookup" title="Who waits" aside={<Close />} class="wide lookup" test="lookup">
      {asked !== undefined && <Asked operation={asked.operation} nowMs={nowMs} />}
      {choice.key !== undefined && <FoundKeys text={choice.key} found={found} nowMs={nowMs} />}
    </Section>
  );
}

function Close(): JSX.Element {
  const close = (): void => {
    askFor(undefined);
    choose({ key: undefined });
  };
  return (
    <button type="button" class="act" onClick={close}>
      Close
    </button>
  );
}

function Asked({ operation, nowMs }: { operation: AskedOperation | undefined; nowMs: number }): JSX.Element {
  if (operation === undefined) return <p class="none">Asking the server.</p>;
  if (operation === null) {
    return <p class="none">That operation is not parked any more: it was answered, or cancelled.</p>;
  }
  const { type, purgatory, ageMs, leftMs, watches, more } = operation;
  return (
    <div data-test="asked">
      <p>
        <strong>
          <Name of={type} />
        </strong>{' '}
        in <Name of={purgatory} />, parked {time(ageMs)} ago at {clock(nowMs - ageMs)},{' '}
        {leftMs === null ? 'has no deadline' : `has its deadline at ${clock(nowMs + leftMs)}`}. It waits on{' '}
        {plural(watches.length + more, 'key')}:
      </p>
      <KeyList keys={watches} />
    </div>
  );
}

function FoundKeys({
  text,
  found,
  nowMs,
}: {
  text: string;
  found: Found | undefined;
  nowMs: number;
}): JSX.Element {
  if (found?.text !== text) return <p class="none">Looking for it.</p>;
  const { keys, isWhole, operations } = found;
  const scope = isWhole
    ? ''
    : ' There are too many keys to look at all: give the whole key to find it surely.';
  if (keys.length === 0) {
    return (
      <p class="none" role="status">
        Nobody waits on a key with <Name of={text} /> in it now.{scope}
      </p>
    );
  }
  const [first, ...others] = keys;
  return (
    <>
      <p role="status">
        <strong>
          <Name of={first.key} />
        </strong>{' '}
        in <Name of={first.purgatory} />: {plural(first.watchers, 'operation')} wait
        {first.watchers === 1 ? 's' : ''}
        {first.watchers > operations.length && operations.length > 0
          ? `; these ${operations.length} the longest`
          : ''}
        .
      </p>
      {operations.length > 0 && (
        <OperationTable
          operations={operations}
          namesPurgatory={false}
          test="waiters"
          since={['Since', (ageMs) => <Since ageMs={ageMs} nowMs={nowMs} />]}
        />
      )}
      {others.length > 0 && (
        <>
          <p class="none">
            {keys.length === MAX_FOUND ? 'More keys' : plural(others.length, 'more key')} with it:{scope}
          </p>
          <KeyList keys={others} />
        </>
      )}
    </>
  );
}

function Since({ ageMs, nowMs }: { ageMs: number; nowMs: number }): JSX.Element {
  return (
    <>
      {clock(nowMs - ageMs)} <small>{time(ageMs)}</small>
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
