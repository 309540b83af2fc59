// Options that nobody reads, because their name is misspelt or belongs to something else.
//
// Ground rules. Where a call could do harm in silence (what an inspector shows, where it listens)
// such an option is refused. Everywhere else it is told to developers who ask for it
// (NODE_DEBUG=purgatory), once for each name: users may pass objects of theirs that have more in
// them. The lists of names are typed by the options, so the compiler keeps them complete. While
// debugging is off, a check costs one comparison.
import { debugOnce, isDebugging } from './debug.ts';
import { invalidArgValue } from './node-errors.ts';
import { cut } from './text.ts';

/** The names of all options of a type. */
export type OptionNames<Options> = Readonly<Record<keyof Options, true>>;

/** Tells once of each option that `names` does not have. @param of what the options are for. */
export function hintAtUnread<Options extends object>(
  of: string,
  options: Partial<Options> | undefined,
  names: OptionNames<Options>,
): void {
  if (!isDebugging || options === undefined) return;
  for (const name of unread(options, names)) {
    const option = cut(name);
    const near = meant(name, names);
    debugOnce(names, `${of}: ${option}`, '%s: nobody reads the option "%s"%s', of, option, near);
  }
}

/**
 * @param of what the error calls `options`.
 * @throws TypeError with ERR_INVALID_ARG_VALUE for an option that `names` does not have.
 */
export function refuseUnread<Options extends object>(
  of: string,
  options: Partial<Options>,
  names: OptionNames<Options>,
  why = '',
): void {
  for (const name of unread(options, names)) {
    const value = (options as Record<string, unknown>)[name];
    throw invalidArgValue(`${of}.${cut(name)}`, `is no option${meant(name, names)}${why}`, value);
  }
}

function unread(options: object, names: object): string[] {
  return Object.keys(options).filter((name) => !Object.hasOwn(names, name));
}

/** The option that is spelt like `name`, if there is one: it may lack the unit, or a letter. */
function meant(name: string, names: object): string {
  const given = name.toLowerCase();
  const near = Object.keys(names).find((each) => {
    const known = each.toLowerCase();
    return known.startsWith(given) || editDistance(given, known) <= known.length / 3;
  });
  return near === undefined ? '' : ` (is "${near}" meant?)`;
}

/** How many letters to insert, delete or replace to make `b` of `a` (Levenshtein's distance). */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const replaced = row[j]! + (a[i] === b[j] ? 0 : 1);
      next.push(Math.min(replaced, row[j + 1]! + 1, next[j]! + 1));
    }
    row = next;
  }
  return row.at(-1)!;
}
