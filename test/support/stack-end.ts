/**
 * Calls `call` where the stack ends, again and again with a little more of it left, until it no
 * longer throws. `pad` frames are on the stack before: with another number, it overflows elsewhere.
 */
export function atStackEnd(pad: number, call: () => void): void {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0; // thousands of traces would take seconds
  let isDone = false;
  const dive = (): void => {
    try {
      dive();
    } catch {
      // the stack has ended
    }
    if (isDone) return;
    try {
      call();
      isDone = true;
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
  };
  const pads = (left: number): void => (left > 0 ? pads(left - 1) : dive());
  pads(pad);
  Error.stackTraceLimit = stackTraceLimit;
}
