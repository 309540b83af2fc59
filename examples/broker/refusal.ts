/**
 * Why a client's request is not taken, in words for the log: it ends the client's connection, and
 * is no fault of the broker.
 */
export class Refusal extends Error {
  override readonly name: string = 'Refusal';
}
