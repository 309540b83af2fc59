// Keys, labels, class names and messages as people read them: one line, cut to so many characters,
// made without running code of the user's. No character is cut in two. O(characters shown).
import { inspect } from 'node:util';

/** Enough to tell most keys apart, and still one line. */
export const MAX_TEXT = 100;

/** A key as people read it: one line of at most `max` characters. */
export function keyText(key: unknown, max: number = MAX_TEXT): string {
  if (typeof key === 'string') return cut(key, max);
  return cut(
    inspect(key, {
      depth: 1,
      breakLength: Number.POSITIVE_INFINITY,
      customInspect: false,
      getters: false,
      maxArrayLength: 8,
      maxStringLength: MAX_TEXT,
    }),
    max,
  );
}

/** At most `max` characters of `text` (UTF-16 units), the last of which is then an ellipsis. */
export function cut(text: string, max: number = MAX_TEXT): string {
  if (text.length <= max) return text;
  const isInPair = isHighSurrogate(text.charCodeAt(max - 2));
  return `${text.slice(0, isInPair ? max - 2 : max - 1)}…`;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00;
}
