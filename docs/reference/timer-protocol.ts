/**
 * For authors of a `Timer` of their own: how a task finds the timer that holds it, so that `task.cancel()` reaches it.
 *
 * A timer sets `task.$keeper` to itself when it adds a task, and clears the field when it lets go of it. A task with
 * another keeper is a parked operation: the keeper is its purgatory, and is asked to remove it. `task.$slot` is for the
 * timer's own bookkeeping, {@link NOT_HELD} while no timer holds the task.
 *
 * @example
 * {@includeCode ./timer-protocol.example.ts}
 *
 * @module purgatory/timer-protocol
 */
export * from '../../src/timer/timer-protocol.ts';
