/**
 * For authors of a `Timer`: how a task finds the timer that holds it, so that `task.cancel()` reaches
 * that timer.
 *
 * A timer sets `task.$keeper` to itself when it adds a task, and clears the field when it drops the
 * task. A task with another keeper is a parked operation. Its keeper is its purgatory: ask the keeper
 * to remove the task. `task.$slot` is for the timer's own bookkeeping. It is {@link NOT_HELD} while no
 * timer holds the task.
 *
 * @example
 * {@includeCode ./timer-protocol.example.ts}
 *
 * @module purgatory/timer-protocol
 */
export * from '../../src/timer/timer-protocol.ts';
