import { isFull } from './full.ts';

/** A test of the full run alone. Elsewhere mocha counts it as pending. */
export const fully = isFull ? it : it.skip;
