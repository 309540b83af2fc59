// The events of a timer, on channels of node:diagnostics_channel.
//
// Ground rules. Each event has one channel, named `purgatory:area:event`. The code looks at
// `hasSubscribers` once, and makes the payload only if somebody listens. An event without a
// subscriber costs a load and a branch. Subscribers run inside the timer's call, so they must be
// quick. What a subscriber throws becomes an uncaught exception in a later turn (Node does that),
// and the timer goes on.
import { type Channel, channel } from 'node:diagnostics_channel';
import type { Timer } from '../timer.ts';
import type { TimerTask } from '../timer-task.ts';

/** `purgatory:task:run`: a task is about to run, and can no longer be cancelled. */
export interface TaskRun {
  readonly timer: Timer;
  readonly task: TimerTask;
  /** How long after the tick of its deadline, in ms, by the timer's last reading of the clock. */
  readonly latenessMs: number;
}

/** `purgatory:task:error`: a task threw. (For a parked operation: `purgatory:operation:error`.) */
export interface TaskError {
  readonly timer: Timer;
  readonly task: TimerTask;
  readonly error: unknown;
}

/**
 * `purgatory:wheel:cascaded`: tasks of an expired overflow bucket have moved to finer wheels. A
 * large bucket takes several steps.
 */
export interface WheelCascaded {
  readonly timer: Timer;
  /** The bucket's wheel: 1 for the first overflow wheel, and so on. */
  readonly level: number;
  /** The bucket's index in its wheel. */
  readonly bucket: number;
  /** How many tasks have moved: 1 or more. */
  readonly tasks: number;
}

/** `purgatory:reaper:sliced`: the reaper has yielded to the event loop with more to run. */
export interface ReaperSliced {
  readonly timer: Timer;
  /** How many tasks ran in the slice. 0: other work had spent it. */
  readonly ran: number;
  /** How many tasks are pending, due or not. */
  readonly pending: number;
}

export const taskRun: Channel = channel('purgatory:task:run');
export const taskError: Channel = channel('purgatory:task:error');
export const wheelCascaded: Channel = channel('purgatory:wheel:cascaded');
export const reaperSliced: Channel = channel('purgatory:reaper:sliced');
