// The options of a class or a call: one table of rules a kind, with a line for each option.
//
// Invariants. A table is typed by the options, so the compiler keeps it complete. What a
// constructor does not read of them is an error of the compiler, too: `Exactly`, `allRead`. So no
// class can take an option and ignore it. All is checked before anything has changed.
//
// A name that no table has is misspelt, or belongs to another class. Where it could do harm in
// silence (what an inspector shows, where it listens), it is refused. Else a warning of the process
// says so, once for each name and kind: with a misspelt `maxParked` there is no limit.
//
// Costs. A table takes 70 ns more than three options read by hand. So calls of a hot path (a wait, an
// event, a permit) do that, and only their names are in a table: some 10 ns an option.
import {
  checkedBoolean,
  checkedNumber,
  checkedOptions,
  type NumberRule,
  requiredClock,
  requiredNumber,
  requiredString,
} from './checks.ts';
import { isFirst } from './debug.ts';
import { invalidArgValue } from './node-errors.ts';
import { cut } from './text.ts';

const WARNED = {};

/** `value` of the option `name`, checked, or the default for undefined. Throws for a bad one. */
export type Rule<T> = (name: string, value: unknown) => T;

/** A rule for each option. */
export type Rules<Checked> = { readonly [Name in keyof Checked]-?: Rule<Checked[Name]> };

/** `Options` after their check: all have a value, but `Bare`, which have no default. */
export type Checked<Options, Bare extends keyof Options = never> = {
  readonly [Name in keyof Required<Options>]: Name extends Bare
    ? Options[Name]
    : Exclude<Options[Name], undefined>;
};

/** The names of all options of a kind. */
export type OptionNames<Options> = Readonly<Record<keyof Options, unknown>>;

/** `Given`, which has nothing that `Options` has not: what is passed on is read. */
export type Exactly<Options, Given extends Options> = Given &
  Readonly<Record<Exclude<keyof Given, keyof Options>, never>>;

/**
 * `Options` for a hot path, where `allRead` would cost an object: all are read by these names. With
 * one more option nothing can be given.
 */
export type Reads<Options, Names extends keyof Options> = Options &
  Readonly<Record<Exclude<keyof Options, Names>, never>>;

/** For what is left of options when all were read: nothing. */
export function allRead(_rest: Readonly<Record<string, never>>): void {}

/** The class `of` and the `name`, for errors and warnings. @throws TypeError for a name that is none. */
export function titleOf(of: string, name: unknown): string {
  return `${of} "${requiredString('name', name)}"`;
}

/**
 * The name and the options of a class that had its name among its options before. Warns, once, of
 * that form.
 *
 * @param first the name, or the options with it.
 */
export function nameFirst<Options extends object>(
  of: string,
  first: unknown,
  second: Options | undefined,
  fallback: string,
): [name: string, options: Options | undefined] {
  if (typeof first !== 'object' && first !== undefined) return [requiredString('name', first), second];
  const { name = fallback, ...options } = checkedOptions(first as { name?: string } & Options);
  deprecate(`new ${of}({ name, ... }) goes with version 2: write new ${of}(name, { ... })`);
  return [requiredString('options.name', name), options as Options];
}

/** Warns once a process of what goes with the next major version. */
export function deprecate(text: string): void {
  if (!isFirst(WARNED, text)) return;
  process.emitWarning(text, { type: 'DeprecationWarning', code: 'PURGATORY_DEPRECATED', ctor: deprecate });
}

/**
 * Every option by its rule. Warns of those that have none.
 *
 * @param of what the options are for.
 * @throws TypeError, RangeError (Node's codes) for a bad one.
 */
export function readOptions<C extends object>(of: string, options: object | undefined, rules: Rules<C>): C {
  const given: Partial<Record<string, unknown>> = knownOptions(of, options, rules as OptionNames<object>);
  const read: Partial<Record<string, unknown>> = {};
  for (const [name, rule] of Object.entries<Rule<unknown>>(rules)) {
    read[name] = rule(`options.${name}`, given[name]);
  }
  return read as C;
}

/** The rule of an option that is checked by whom it is passed on to. */
export const asGiven: Rule<never> = (_, value) => value as never;

/** By `rule`, or undefined. */
export function optional<T>(rule: (name: string, value: never) => T): Rule<T | undefined> {
  return (name, value) => (value === undefined ? undefined : rule(name, value as never));
}

export function numberOr(fallback: number, rule: NumberRule): Rule<number> {
  return (name, value) => checkedNumber(name, value, fallback, rule);
}

export function numberOf(rule: NumberRule): Rule<number> {
  return (name, value) => requiredNumber(name, value, rule);
}

export function booleanOr(fallback: boolean): Rule<boolean> {
  return (name, value) => checkedBoolean(name, value, fallback);
}

export function clockOr<C extends { now(): number; wakeAt: unknown }>(fallback: C): Rule<C> {
  return (name, value) => (value === undefined ? fallback : requiredClock(name, value as C));
}

/** In ms: that of loads of SharedWaits, and of the `current` of thresholds. */
export const loadTimeoutMs: Rule<number> = numberOr(10_000, {
  min: 1,
  max: Number.MAX_SAFE_INTEGER,
  orInfinity: true,
});

/** One of two words, the first of which is the default. */
export function wordOf<A extends string, B extends string>(first: A, second: B): Rule<A | B> {
  return (name, value = first) => {
    if (value === first || value === second) return value as A | B;
    throw invalidArgValue(name, `must be '${first}' or '${second}'`, value);
  };
}

/**
 * `options`, or an empty object for undefined. Warns, once, of each option that `names` does not
 * have.
 *
 * @throws TypeError with ERR_INVALID_ARG_TYPE for what is no object.
 */
export function knownOptions<Options extends object>(
  of: string,
  options: Options | undefined,
  names: OptionNames<Options>,
): Partial<Options> {
  const given = checkedOptions(options);
  // Half as long as by Object.hasOwn.
  for (const name in given) if (names[name] === undefined) warn(of, given, name, names);
  return given;
}

function warn(of: string, options: object, name: string, names: object): void {
  // An instance of a class, such as a store with a method `load`, has fields of its own.
  if (!Object.hasOwn(options, name) || !isPlain(options)) return;
  const option = cut(name);
  if (!isFirst(names, option)) return;
  const text = `${of}: nobody reads the option "${option}"${meant(name, names)}`;
  const ctor = knownOptions; // --trace-warnings then begins with who called it
  process.emitWarning(text, { type: 'PurgatoryWarning', code: 'PURGATORY_UNREAD_OPTION', ctor });
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
