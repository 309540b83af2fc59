// What an observer looks at (purgatories, timers, buses): given once, or made later and given up when closed.
//
// Ground rules. The sources are read anew at each look, in O(sources), and nothing of them is kept in between. One that tells that it is
// closed is left out. All are checked once, when they are given; what a later read gives is the user's code, and what that throws passes through.
import { invalidArgType } from './errors.ts';

/** An array, a Set or any other iterable, or a function that returns one. It is read anew at each look. */
export type Sources<T> = Iterable<T> | (() => Iterable<T>);

/** What can be a source. */
export interface Source {
  readonly isClosed?: boolean;
  snapshot(options: never): unknown;
}

/** The sources that are open now. O(sources). */
export function openSources<T extends Source>(sources: Sources<T>): T[] {
  const read = typeof sources === 'function' ? sources() : sources;
  return Array.from(read).filter(({ isClosed }) => isClosed !== true);
}

/** @throws TypeError ERR_INVALID_ARG_TYPE for what is neither iterable nor a function, or gives what has no snapshot(). */
export function checkSources(name: string, sources: unknown, what: string): void {
  const read = typeof sources === 'function' ? sources() : sources;
  if (typeof read !== 'object' || read === null || !(Symbol.iterator in read)) {
    throw invalidArgType(name, 'an iterable, or a function that returns one', read);
  }
  let index = 0;
  for (const each of read as Iterable<unknown>) checkSource(`${name}[${index++}]`, each, what);
}

export function checkSource(name: string, source: unknown, what: string): void {
  if (typeof (source as Partial<Source> | null | undefined)?.snapshot !== 'function') {
    throw invalidArgType(name, what, source);
  }
}
