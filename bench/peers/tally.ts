/** Counts what became of the operations of this process. A process runs one system, so one tally is enough. */
export const tally: { done: number; onExpired: ((op: unknown) => void) | undefined } = {
  done: 0,
  onExpired: undefined,
};
