// What a short history is made of: two operations, two keys, and 23 acts. An act is played on a
// purgatory and on its naive twin by the same code, and both write down what happens.

/** An operation: `a` has a deadline 10 ms after it was parked, `b` 20 ms. */
export type Who = 'a' | 'b';
export type Key = 1 | 2;

export const DELAY_MS: Readonly<Record<Who, number>> = { a: 10, b: 20 };

/** What is parked and watched. Both sides give the members in this order. */
export interface State {
  readonly parked: number;
  /** Pairs of an operation and a key that it watches. */
  readonly watches: number;
  readonly keys: number;
  readonly watching1: number;
  readonly watching2: number;
  readonly isPendingA: boolean;
  readonly isPendingB: boolean;
  readonly isCompletedA: boolean;
  readonly isCompletedB: boolean;
}

/** A purgatory, or its twin. */
export interface Side {
  park(who: Who, keys: readonly Key[]): boolean;
  notify(key: Key, atMost: number): void;
  check(key: Key, atMost: number): number;
  cancel(who: Who): boolean;
  force(who: Who): boolean;
  cancelForKey(key: Key): readonly Who[];
  close(): readonly Who[];
  advance(ms: number): void;
  state(): State;
}

const ALL = Number.POSITIVE_INFINITY;
const other = (who: Who): Who => (who === 'a' ? 'b' : 'a');

/** The user code of one history on one side: its operations, and what has happened to them. */
export class Script {
  side!: Side;
  /** What has happened, in order. */
  told = '';
  readonly ready = new Set<Who>();
  /** What the next tries and completions do, each once. */
  inTry: ((script: Script, who: Who) => void)[] = [];
  inCompletion: ((script: Script) => void)[] = [];

  tell(what: string): void {
    this.told += `${what}; `;
  }

  /** Calls `act` of the side. What it returns or throws is told. */
  does(what: string, act: () => unknown): void {
    this.tell(what);
    try {
      const returned = act();
      if (returned !== undefined) this.tell(`${what} gives ${returned}`);
    } catch (error) {
      this.tell(`${what} throws ${nameOf(error)}`);
    }
  }

  /** The `tryComplete` of an operation. */
  tryOf(who: Who): boolean {
    this.tell(`${who} is tried`);
    this.inTry.shift()?.(this, who);
    return this.ready.has(who) && this.side.force(who);
  }

  /** The `onComplete` of an operation. */
  completed(who: Who): void {
    this.tell(`${who} completes`);
    this.inCompletion.shift()?.(this);
  }

  park(who: Who, keys: readonly Key[]): void {
    this.does(`park ${who} on ${keys}`, () => this.side.park(who, keys));
  }

  check(key: Key, atMost: number): void {
    this.does(`check ${key}`, () => this.side.check(key, atMost));
  }
}

export function nameOf(error: unknown): string {
  const { code, message } = error as { code?: string; message: string };
  return code ?? message;
}

/** The end of a turn: what was notified is served. The player does it. */
export const TURN_ENDS = 'the turn ends';

/** All acts, by the words of a report. */
export const ACTS: readonly (readonly [words: string, act: (script: Script) => void])[] = Object.entries({
  'park a on 1': (script: Script) => script.park('a', [1]),
  'park a on 1 and 2': (script: Script) => script.park('a', [1, 2]),
  'park b on 1': (script: Script) => script.park('b', [1]),
  'park b on 2 and 1': (script: Script) => script.park('b', [2, 1]),
  'a is ready': ({ ready }: Script) => void ready.add('a'),
  'b is ready': ({ ready }: Script) => void ready.add('b'),
  'notify 1': ({ side }: Script) => side.notify(1, ALL),
  'notify 2': ({ side }: Script) => side.notify(2, ALL),
  'notify 1, at most 1': ({ side }: Script) => side.notify(1, 1),
  'check 1': (script: Script) => script.check(1, ALL),
  'check 1, at most 1': (script: Script) => script.check(1, 1),
  'cancel a': (script: Script) => script.does('cancel a', () => script.side.cancel('a')),
  'cancel b': (script: Script) => script.does('cancel b', () => script.side.cancel('b')),
  'cancelForKey 1': (script: Script) => script.does('cancelForKey', () => script.side.cancelForKey(1)),
  'force a': (script: Script) => script.does('force a', () => script.side.force('a')),
  '10 ms pass': (script: Script) => script.does('10 ms', () => script.side.advance(10)),
  [TURN_ENDS]: () => {},
  close: (script: Script) => script.does('close', () => script.side.close()),
  'the next try throws': ({ inTry }: Script) => {
    inTry.push(() => {
      throw new Error('planned');
    });
  },
  'the next try notifies 1': ({ inTry }: Script) => void inTry.push(({ side }) => side.notify(1, ALL)),
  'the next try cancels the other': ({ inTry }: Script) => {
    inTry.push((script, who) => script.does('cancel', () => script.side.cancel(other(who))));
  },
  'the next try parks the other on 1': ({ inTry }: Script) => {
    inTry.push((script, who) => script.park(other(who), [1]));
  },
  'the next completion checks 1': ({ inCompletion }: Script) => {
    inCompletion.push((script) => script.check(1, ALL));
  },
});
