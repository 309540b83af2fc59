// How many runs a property makes: a fifth of its number in `npm test`, all in the full run. The seed is
// the same each time, so that only a change of the code makes a test red; `npm run soak` draws fresh
// ones. FC_RUNS=10000 npx mocha, for a long search; FC_SEED to repeat one.
import type { Parameters, RunDetails } from 'fast-check';
import { isFull } from '../support/full.ts';

/** The parameters of a property of short histories, which are shrunk when they fail. */
export function runs<T>(inFullRun: number): Parameters<T> {
  const { FC_RUNS, FC_SEED = 1 } = process.env;
  return {
    numRuns: Number(FC_RUNS ?? Math.ceil(isFull ? inFullRun : inFullRun / 5)),
    seed: Number(FC_SEED),
  };
}

/**
 * The parameters of a property of long histories: too long to shrink or to print, so told by their
 * seed.
 */
export function longRuns<T>(inFullRun: number): Parameters<T> {
  return {
    ...runs(inFullRun),
    endOnFailure: true,
    reporter: ({ failed, seed, counterexamplePath, errorInstance }: RunDetails<T>): void => {
      if (failed)
        throw new Error(`failed with FC_SEED=${seed}, path ${counterexamplePath}`, { cause: errorInstance });
    },
  };
}
