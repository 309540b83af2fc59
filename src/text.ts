// Keys, labels and class names as people read them: one line of at most MAX_TEXT characters, made
// without running code of the user's.
import { inspect } from 'node:util';

const MAX_TEXT = 100;

/** A key as people read it: one line, cut. */
export function keyText(key: unknown): string {
  if (typeof key === 'string') return cut(key);
  return cut(
    inspect(key, {
      depth: 1,
      breakLength: Number.POSITIVE_INFINITY,
      customInspect: false,
      getters: false,
      maxArrayLength: 8,
      maxStringLength: MAX_TEXT,
    }),
  );
}

export function cut(line: string): string {
  return line.length <= MAX_TEXT ? line : `${line.slice(0, MAX_TEXT - 1)}…`;
}
