// A number with its name, explained on hover and focus. It is a button, because a keyboard and a
// screen reader can reach that.
import type { ComponentChildren, JSX } from 'preact';
import type { Term } from './explanations.ts';

interface Props {
  readonly of: Term;
  readonly name: string;
  readonly children: ComponentChildren;
  readonly note?: ComponentChildren;
  readonly tone?: string;
}

export function Figure({ of, name, children, note, tone }: Props): JSX.Element {
  return (
    <button
      type="button"
      class="figure"
      data-explain={of}
      data-tone={tone}
      aria-describedby={`explain-${of}`}
    >
      <span class="name">{name}</span> <span class="value">{children}</span>
      {note !== undefined && <span class="note"> {note}</span>}
    </button>
  );
}

/** The heading of a section, or a column, with its explanation. */
export function Explained({ of, children }: { of: Term; children: ComponentChildren }): JSX.Element {
  return (
    <button type="button" class="term" data-explain={of} aria-describedby={`explain-${of}`}>
      {children}
    </button>
  );
}
