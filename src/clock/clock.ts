// What the engine asks of time. A timer takes one Clock at construction and never reads the host's time itself, so that
// a test, a simulation or a fake clock replaces time as a whole.

/** A source of time and of wake-ups. */
export interface Clock {
  /**
   * The time in ms: monotonic, from any origin, possibly fractional. O(1); a timer reads it once for every start.
   * A reading below an earlier one counts as the earlier one.
   */
  now(): number;

  /**
   * Calls `wake` once, in a later turn and never from inside this call, at the first chance where `now() >= atMs`.
   * A time already reached means the next turn. A timer holds at most one wake-up at a time.
   */
  wakeAt(atMs: number, wake: () => void): WakeUp;
}

/** One wake-up that a {@link Clock} owes. */
export interface WakeUp {
  /** Forgets the wake-up; without effect once it ran. What it throws becomes an uncaught exception in a later turn. */
  cancel(): void;
  /** Lets the wake-up keep the process alive: the state it starts in. Clocks that hold no process need not have it. */
  ref?(): void;
  /** Lets the process end although the wake-up is outstanding. */
  unref?(): void;
}
