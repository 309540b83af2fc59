// What a rule of the page is, and what rules are made of. Pure.
//
// Ground rules. A rule has a name, a level, and sentences: what is wrong, and why. `now` finds it
// in the frames, the present. `past` finds it in the seconds of the server: `find` says what is
// wrong in a second, and `say` makes a sentence of what was found in some of them. That is an
// incident of the history, and the verdict shows it while it goes on and for a while after. So it is
// told to who opens the page late, too. `watch` says what may become one.
import type { PurgatoryView, Second, SecondOfPurgatory } from '../../frame.ts';
import { count } from '../words/format.ts';
import { quoted } from '../words/visible.ts';
import { last, type Recording, views } from './history.ts';

export type Level = 'note' | 'warn' | 'bad';

/**
 * What is wrong, as the headline calls it; and why: the numbers, and what to do. Its level, where
 * that is not the rule's.
 */
export type Sentence = readonly [what: string, why: string, level?: Level];

export interface Rule {
  readonly name: string;
  /** Default `warn`. */
  readonly level?: Level;
  readonly now?: (recording: Recording) => readonly Sentence[];
  /** The verdict tells it where `now` finds nothing. */
  readonly past?: Past<unknown>;
  /** What goes on that is not judged yet. The verdict says so where all is well. */
  readonly watch?: (recording: Recording) => readonly string[];
}

export interface Past<Found> {
  /** What is wrong in the second with the index `at`. */
  find(second: Second, at: number, seconds: readonly Second[]): readonly Found[];
  /** @param found in seconds that follow each other, or nearly so. Not empty. */
  say(found: readonly Found[]): Sentence;
  /** How long the verdict tells it after it has ended, in ms. */
  readonly forMs: number;
}

export const RECENT_MS = 10_000;
export const MINUTE_MS = 60_000;
/**
 * What grows by so many, and in each tenth of so many seconds, is no burst: clients that come back
 * after a deploy, or the beginning of a busy day.
 */
export const MANY = 100;
/** Of so many purgatories the last error is told. */
const MAX_ERRORS = 3;

/** What was found in a purgatory, by its name. */
export type Of<T> = T & { readonly name: string };

/** So that `say` gets what `find` finds. */
export function past<Found>(
  find: Past<Found>['find'],
  say: (found: readonly Found[]) => Sentence,
  forMs = RECENT_MS,
): Past<unknown> {
  return { find, say, forMs } satisfies Past<Found>;
}

/** The seconds themselves for which it `holds`. */
export function whole(
  holds: (second: Second, at: number, seconds: readonly Second[]) => boolean,
): Past<Second>['find'] {
  return (second, at, seconds) => (holds(second, at, seconds) ? [second] : []);
}

/** What is found in each purgatory. */
export function each<T extends object>(
  find: (of: Of<SecondOfPurgatory>, at: number, seconds: readonly Second[]) => T | undefined,
): Past<Of<T>>['find'] {
  return (second, at, seconds) =>
    views(second).flatMap((of) => {
      const found = find(of, at, seconds);
      return found === undefined ? [] : [{ ...found, name: of.name }];
    });
}

/**
 * By how much the value has grown within `spanS` seconds up to the one with the index `at`. 0 where
 * it has not grown in each tenth of them, or is not known for so long.
 */
export function grown(
  seconds: readonly Second[],
  at: number,
  spanS: number,
  measure: (second: Second) => number | undefined,
): number {
  if (at < spanS) return 0;
  const values = Array.from({ length: 11 }, (_, part) => measure(seconds[at - (spanS * part) / 10]));
  const grows = values.every((value, part) => part === 0 || Number(value) < Number(values[part - 1]));
  return grows ? Number(values[0]) - Number(values[10]) : 0;
}

/** Of each purgatory in which a number grows, from second to second, by MANY in all. */
export function eachGrowing(
  measureOf: (name: string) => (second: Second) => number | undefined,
  say: (name: string, value: number, more: string) => string,
): NonNullable<Rule['watch']> {
  return ({ frames, seconds }) =>
    last(frames).purgatories.flatMap(({ name }) => {
      const values = seconds.map(measureOf(name)).map(Number).reverse();
      const falls = values.findIndex((value, ago) => !(value > values[ago + 1]));
      const more = values[0] - values[falls];
      if (!(more >= MANY)) return [];
      return [say(name, values[0], `${count(more)} more than ${falls} s before`)];
    });
}

/** What `say` finds wrong with each purgatory. */
export function eachView(
  { frames }: Recording,
  say: (view: PurgatoryView) => Sentence | undefined,
): Sentence[] {
  return last(frames).purgatories.flatMap((view) => {
    const sentence = say(view);
    return sentence === undefined ? [] : [sentence];
  });
}

export function lastError(found: readonly Of<Pick<SecondOfPurgatory, 'error'>>[]): string {
  const errors = new Map(found.flatMap(({ name, error }) => (error ? [[name, error]] : [])));
  if (errors.size === 0) return 'The errors went to onError.';
  const texts = Array.from(errors, ([name, { operation, key, message }]) => {
    const on = key === null ? '' : ` on ${quoted(key)}`;
    return `${quoted(message)} (${quoted(operation)}${on} in ${quoted(name)})`;
  });
  return `The last error: ${texts.slice(-MAX_ERRORS).join('; ')}.`;
}

/** Each once. */
export function listed(names: readonly string[]): string {
  return [...new Set(names)].map(quoted).join(', ');
}
