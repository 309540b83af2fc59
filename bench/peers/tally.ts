/** What the operations of this process have come to: there is one system a process, so one tally. */
export const tally: { done: number; onExpired: ((op: unknown) => void) | undefined } = {
  done: 0,
  onExpired: undefined,
};
