// The last error of each purgatory, as user code threw it: what, where and how long ago.
import type { JSX } from 'preact';
import type { PurgatoryView } from '../../frame.ts';
import { Section } from '../words/explained.tsx';
import { time } from '../words/format.ts';
import { Key, Name } from '../words/names.tsx';

export function Errors({ views }: { views: readonly PurgatoryView[] }): JSX.Element | null {
  const errors = views.flatMap(({ name, lastError }) => (lastError === null ? [] : [{ name, ...lastError }]));
  if (errors.length === 0) return null;
  return (
    <Section of="errors" title="Last errors" class="wide">
      <ul class="errors" data-test="errors">
        {errors
          .sort((a, b) => a.agoMs - b.agoMs)
          .map(({ name, operation, key, message, agoMs }) => (
            <li key={name}>
              <span class="when">{time(agoMs)} ago</span> <Name of={operation} />
              {key !== null && (
                <>
                  {' '}
                  on <Key of={key} />
                </>
              )}{' '}
              in <Name of={name} />: <Name of={message} />
            </li>
          ))}
      </ul>
    </Section>
  );
}
