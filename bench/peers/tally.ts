/**
 * Counts how the operations of this process ended. A process runs one system, so one tally is
 * enough.
 */
export const tally: { done: number; onExpired: ((op: unknown) => void) | undefined } = {
  done: 0,
  onExpired: undefined,
};
