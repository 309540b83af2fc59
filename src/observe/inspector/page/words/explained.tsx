// Figures, headings and sections that are explained on hover and focus. What is explained is a
// button, because a keyboard and a screen reader can reach that.
import type { ComponentChildren, JSX } from 'preact';
import type { Term } from './explanations.ts';

interface FigureProps {
  readonly of: Term;
  readonly name: string;
  readonly children: ComponentChildren;
  readonly note?: ComponentChildren;
  readonly tone?: string;
}

/** A number with its name. */
export function Figure({ of, name, children, note, tone }: FigureProps): JSX.Element {
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
  const heading = (
    <h2 id={`${of}-title`}>
      <Explained of={of}>{title}</Explained>
      {note !== undefined && <small> {note}</small>}
    </h2>
  );
  return (
    <section class={look} aria-labelledby={`${of}-title`} data-test={test}>
      {aside === undefined ? (
        heading
      ) : (
        <header>
          {heading}
          {aside}
        </header>
      )}
      {children}
    </section>
  );
}
