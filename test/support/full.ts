// `npm test` proves each fault once, with one engine. `PURGATORY_TESTS=full npm test` proves it
// with every engine, in the demos, and over longer histories. `.ci/run` is a full run.

/** Whether this is the full run. */
export const isFull = process.env.PURGATORY_TESTS === 'full';
