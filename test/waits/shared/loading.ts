// SharedWaits on a manual clock, with a load whose calls the test answers by hand.
import { expect } from 'chai';
import { ManualClock } from '../../../src/index.ts';
import {
  SharedWaits,
  type SharedWaitsOptions,
  type WaitUntilOptions,
} from '../../../src/waits/shared/index.ts';
import { checkPurgatoryInvariants } from '../../support/checks/purgatory.ts';
import { turn } from '../../support/turns.ts';

/** One call of `load`. */
export interface LoadCall {
  readonly keys: readonly string[];
  readonly signal: AbortSignal;
  /**
   * Answers it: with what is stored then, or with `states`. Resolves when all waiters have been
   * tried, which takes more than one turn where a try was slow, or the whole process was.
   */
  answer(states?: Record<string, number>): Promise<void>;
  fail(error: unknown): Promise<void>;
}

export interface Loading {
  readonly clock: ManualClock;
  readonly waits: SharedWaits<number>;
  /** What is stored, for `answer`. */
  readonly store: Map<string, number>;
  readonly calls: LoadCall[];
  readonly errors: { error: unknown; keys: readonly string[] }[];
  /** Waits until the number of `key` is `least` or more. */
  wait(key: string, least?: number, options?: Partial<WaitUntilOptions>): Promise<unknown>;
  /** The keys of all calls since the last look, once a turn has passed. */
  loaded(): Promise<string[]>;
}

/** Failed loads go to `errors`, and are tried again, unless `retry` is given as false. */
export function loading(options: Partial<SharedWaitsOptions<number>> = {}): Loading {
  const clock = new ManualClock();
  const store = new Map<string, number>();
  const calls: LoadCall[] = [];
  const errors: Loading['errors'] = [];
  let seen = 0;
  const waits = new SharedWaits<number>('test', {
    clock,
    load: (keys, { signal }) =>
      new Promise((resolve, reject) => {
        calls.push({
          keys,
          signal,
          async answer(states) {
            const before = answered(waits);
            resolve(states === undefined ? new Map(store) : new Map(Object.entries(states)));
            do await turn();
            while (!signal.aborted && answered(waits) === before);
          },
          fail: (error) => {
            reject(error);
            return turn();
          },
        });
      }),
    retry: true,
    onError: (error, keys) => errors.push({ error, keys }),
    ...options,
  });
  return {
    clock,
    waits,
    store,
    calls,
    errors,
    wait: (key, least = 1, waitOptions) =>
      waits.waitUntil(key, (value) => (value !== undefined && value >= least ? value : undefined), {
        timeoutMs: 1_000_000,
        ...waitOptions,
      }),
    async loaded() {
      await turn();
      const keys = calls.slice(seen).map((call) => call.keys.join(' '));
      seen = calls.length;
      return keys;
    },
  };
}

/** Loads whose answers have all been given. */
function answered(waits: SharedWaits<number>): number {
  return waits.snapshot({ top: 0 }).loads.durations.histogram.counts.reduce((sum, count) => sum + count, 0);
}

/** Nobody waits, nothing is loaded, and nothing is pending on the clock. */
export async function expectEmpty({ waits, clock, calls }: Loading): Promise<void> {
  checkPurgatoryInvariants(waits);
  const before = calls.length;
  const { parked, watchedKeys, loads } = waits.snapshot();
  const { size } = waits.timer;
  expect([parked, watchedKeys, loads.underWay, loads.keysDue, size]).to.deep.equal([0, 0, 0, 0, 0]);
  clock.advance(1_000_000);
  await turn();
  expect(calls).to.have.length(before);
}
