// Figures, headings and sections that are explained on hover and focus. What is explained is a
// button, because a keyboard and a screen reader can reach that.
import type { ComponentChildren, JSX } from 'preact';
import type { Term } from './explanations.ts';
import { tone } from './tone.ts';

interface FigureProps {
  readonly of: Term;
  /** Default: the term. */
  readonly name?: string;
  readonly value: string;
  readonly note?: string | undefined;
  readonly tone?: string | undefined;
}

/** A number with its name. */
export function Figure({ of, name = of, value, note, tone: look }: FigureProps): JSX.Element {
  return (
    <button type="button" class="figure" data-explain={of} aria-describedby={`explain-${of}`} {...tone(look)}>
      <span class="name">{name}</span> <span class="value">{value}</span>
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

interface ActProps {
  readonly onClick: () => void;
  readonly children: string;
  readonly disabled?: boolean;
  readonly 'aria-pressed'?: boolean;
}

export function Act(props: ActProps): JSX.Element {
  return <button type="button" class="act" {...props} />;
}

interface SectionProps {
  readonly of: Term;
  readonly title: string;
  readonly children: ComponentChildren;
  /** Beside the title. */
  readonly note?: string | undefined;
  /** At the other end of the line of the title. */
  readonly aside?: ComponentChildren;
  readonly class?: string;
  readonly test?: string;
}

/** A part of the page under its explained title. */
export function Section({ of, title, children, note, aside, class: look, test }: SectionProps): JSX.Element {
  return (
    <section class={look} aria-labelledby={`${of}-title`} data-test={test}>
      <header>
        <h2 id={`${of}-title`}>
          <Explained of={of}>{title}</Explained>
          {note !== undefined && <small> {note}</small>}
        </h2>
        {aside}
      </header>
      {children}
    </section>
  );
}
