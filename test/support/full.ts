// `npm test` proves each fault once, with one engine. `npm run test:full`, which `.ci/run` calls,
// proves it with every engine, in the demos too: the tests that say `fully` run there only.

/** Whether this is the full run. */
export const isFull = process.env.PURGATORY_TESTS === 'full';

/** A test of the full run. Elsewhere mocha counts it as pending. */
export const fully = isFull ? it : it.skip;
