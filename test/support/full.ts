// `npm test` proves each fault once, with one engine. `npm run test:full` proves it with every
// engine, and in the demos: the tests that say `fully` run there, and in `.ci/run`, only.

/** Whether this is the full run. */
export const isFull = process.env.PURGATORY_TESTS === 'full';

/** A test of the full run. Elsewhere mocha counts it as pending. */
export const fully = isFull ? it : it.skip;
