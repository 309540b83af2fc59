// Options that nobody reads, because their name is misspelt or belongs to another class.
//
// If such an option could do harm in silence (what an inspector shows, where it listens), it is
// refused. Else a warning of the process names it, and the option that was probably meant: with a
// misspelt `maxParked` there is no limit. A warning comes once a process for each name and kind of
// options. The lists of names are typed by the options, so the compiler keeps them complete. A
// check costs some 10 ns an option.
import { checkedOptions } from './checks.ts';
import { isFirst } from './debug.ts';
import { invalidArgValue } from './node-errors.ts';
import { cut } from './text.ts';

/** The names of all options of a type. */
export type OptionNames<Options> = Readonly<Record<keyof Options, true>>;

/**
 * `options`, or an empty object for undefined. Warns, once, of each option that `names` does not
 * have.
 *
 * @param of what the options are for.
 * @throws TypeError with ERR_INVALID_ARG_TYPE for what is no object.
 */
export function knownOptions<Options extends object>(
  of: string,
  options: Options | undefined,
  names: OptionNames<Options>,
): Partial<Options> {
  const given = checkedOptions(options);
  // Half as long as by Object.hasOwn.
  for (const name in given) if (names[name] !== true) warn(of, given, name, names);
  return given;
}

function warn(of: string, options: object, name: string, names: object): void {
  // An instance of a class, such as a store with a method `load`, has fields of its own.
  if (!Object.hasOwn(options, name) || !isPlain(options)) return;
  const option = cut(name);
  if (!isFirst(names, option)) return;
  const text = `${of}: nobody reads the option "${option}"${meant(name, names)}`;
  process.emitWarning(text, {
    type: 'PurgatoryWarning',
    code: 'PURGATORY_UNREAD_OPTION',
    ctor: knownOptions, // --trace-warnings then begins with the function that was called
  });
}

function isPlain(options: object): boolean {
  const prototype = Object.getPrototypeOf(options);
  return prototype === null || Object.getPrototypeOf(prototype) === null; // of any realm
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
  for (const [name, value] of Object.entries(options)) {
    if (Object.hasOwn(names, name)) continue;
    throw invalidArgValue(`${of}.${cut(name)}`, `is no option${meant(name, names)}${why}`, value);
  }
}

/** The option that `name` probably stands for, if there is one: it may lack the unit, or a letter. */
function meant(name: string, names: object): string {
  const given = name.toLowerCase();
  const near = Object.keys(names).find((each) => isNear(given, each.toLowerCase()));
  return near === undefined ? '' : ` (is "${near}" meant?)`;
}

/** Whether the two differ in one place only, by at most a third of the letters. */
function isNear(given: string, known: string): boolean {
  const [short, long] = [Math.min(given.length, known.length), Math.max(given.length, known.length)];
  let head = 0;
  while (head < short && given[head] === known[head]) head++;
  let tail = 0;
  while (tail < short - head && given.at(-1 - tail) === known.at(-1 - tail)) tail++;
  return head === given.length || long - head - tail <= known.length / 3;
}
