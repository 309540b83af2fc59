import type { Struct } from '../schema.ts';

/**
 * One api of the protocol: its key, what the broker serves of it, and its two messages in the
 * notation of schema.ts.
 */
export interface Api<Q extends Struct = Struct, R extends Struct = Struct> {
  readonly key: number;
  readonly versions: readonly [min: number, max: number];
  /** The first version with compact lengths and tagged fields. */
  readonly flexible: number;
  readonly request: Q;
  readonly response: R;
}

export const api = <const Q extends Struct, const R extends Struct>(
  key: number,
  versions: readonly [number, number],
  flexible: number,
  request: Q,
  response: R,
): Api<Q, R> => ({ key, versions, flexible, request, response });

/** The notation of `throttleTimeMs`, which is always 0 here: nobody is throttled. */
export const throttleFrom = <const V extends string>(versions: V) => `int32 ${versions} = 0` as const;
