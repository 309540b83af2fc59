/** Draws an element in the colour of a level, a state or an end: --tone in its style. */
export function tone(name: string | undefined): { 'data-tone'?: string; style?: Record<string, string> } {
  return name === undefined ? {} : { 'data-tone': name, style: { '--tone': `var(--${name})` } };
}
