// What the engine needs of time. A timer is given one Clock and never reads the host's time itself.
// So a test, a simulation or a fake clock replaces all of time.

/** A source of time and of wake-ups. */
export interface Clock {
  /**
   * The time in ms: monotonic, from any origin, whole or fractional. O(1). A timer reads it once
   * for each start. A reading below an earlier one counts as the earlier one, until it is more than a
   * second below: then time goes on from there, and what is pending keeps the rest of its delay.
   */
  now(): number;

  /**
   * Calls `wake` once, as soon as `now() >= atMs`, in a later turn and never inside this call. A
   * time in the past means the next turn. A timer holds one wake-up at most: it sets an earlier one,
   * then cancels the other.
   *
   * A clock that lets the host read its sockets before it wakes gives `wake` its reading from before
   * those reads, in ms. What falls due after that reading waits for the next wake-up, and tasks run
   * at the end of that turn, in slices that all timers on the clock share. Called without a reading,
   * `wake` runs tasks in the call, in slices of its own timer. So let a clock around the system clock
   * pass `wake` on as it is; a reading that the offset makes wrong is held between `atMs` and `now()`.
   */
  wakeAt(atMs: number, wake: (dueMs?: number) => void): WakeUp;

  /**
   * Optional: calls `go` in the next turn, never inside this call. The engine leaves work to it that
   * a turn has no time for, and a LocalHub delivers in it. So a simulation holds a process that is to
   * stand still. Default: the host's setImmediate.
   */
  nextTurn?(go: () => void): void;

  /**
   * Whether time stands still while code runs, because only the program moves it. Then all that is
   * due runs in one turn, without slices. Default: false.
   */
  readonly isStill?: boolean;

  /**
   * Whether a test steps from wake-up to wake-up. Then each wake-up is for a task that is due, and
   * all tasks that are due run in it. Default: false.
   */
  readonly isStepped?: boolean;
}

/** A wake-up that a {@link Clock} is to make. */
export interface WakeUp {
  /**
   * Forgets the wake-up. Does nothing after it ran. What this throws becomes an uncaught exception
   * in a later turn.
   */
  cancel(): void;
  /**
   * The wake-up keeps the process alive, as it does at first. Optional: not every clock keeps a
   * process alive.
   */
  ref?(): void;
  /** The process may end before the wake-up. */
  unref?(): void;
  /**
   * As `unref`, until `ref` or `unref` is called: nobody waits for it. False where it cannot rest.
   * One that rests is called early where the host is replaced.
   *
   * @internal
   */
  rest?(): boolean;
}
