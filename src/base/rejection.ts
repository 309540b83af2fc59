// How a wait behind a promise ends without a value.

/** Why a promise rejects, kept until it settles. */
export class Rejection {
  readonly reason: unknown;

  constructor(reason: unknown) {
    this.reason = reason;
  }
}

/**
 * The value to resolve a promise with. A Rejection becomes a rejected promise, so a wait need not
 * keep `reject`.
 */
export function resolution(outcome: unknown): unknown {
  return outcome instanceof Rejection ? Promise.reject(outcome.reason) : outcome;
}
