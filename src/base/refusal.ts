// How a wait behind a promise ends without a value.

/** Why a promise rejects, kept until it settles. */
export class Refusal {
  readonly reason: unknown;

  constructor(reason: unknown) {
    this.reason = reason;
  }
}

/**
 * What a promise is to be resolved with. A Refusal becomes a rejected promise: so a wait needs
 * `resolve` alone, and keeps one function less for as long as it waits.
 */
export function resolution(outcome: unknown): unknown {
  return outcome instanceof Refusal ? Promise.reject(outcome.reason) : outcome;
}
