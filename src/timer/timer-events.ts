// What a timer tells of its work, on channels of node:diagnostics_channel.
//
// Ground rules. One channel an event, named `purgatory:area:event`. A site looks at `hasSubscribers` once and makes the payload only when
// somebody listens: an event that nobody listens to costs a load and a branch. Subscribers run inside the timer's call: they look
// and are quick. What one throws becomes an uncaught exception in a later turn (Node sees to that), and the timer goes on.
import { type Channel, channel } from 'node:diagnostics_channel';
import type { Timer } from './timer.ts';
import type { TimerTask } from './timer-task.ts';

/** `purgatory:task:run`: a task is about to run, and can no longer be cancelled. */
export interface TaskRun {
  readonly timer: Timer;
  readonly task: TimerTask;
  /** How long after its deadline's tick, in ms by the timer's last reading of its clock. */
  readonly latenessMs: number;
}

/** `purgatory:task:error`: a task threw. What a parked operation throws is told on `purgatory:operation:error`. */
export interface TaskError {
  readonly timer: Timer;
  readonly task: TimerTask;
  readonly error: unknown;
}

/** `purgatory:wheel:cascaded`: tasks of an expired overflow bucket have been re-added to finer wheels; of a large one, in several steps. */
export interface WheelCascaded {
  readonly timer: Timer;
  /** The bucket's wheel: 1 for the first overflow wheel, and so on. */
  readonly level: number;
  /** The bucket's index in its wheel. */
  readonly bucket: number;
  /** How many tasks were moved: 1 or more. */
  readonly tasks: number;
}

/** `purgatory:reaper:sliced`: the reaper has yielded to the event loop with more to run. */
export interface ReaperSliced {
  readonly timer: Timer;
  /** Tasks that ran in the slice. */
  readonly ran: number;
  /** Tasks that are pending, due or not. */
  readonly pending: number;
}

export const taskRun: Channel = channel('purgatory:task:run');
export const taskError: Channel = channel('purgatory:task:error');
export const wheelCascaded: Channel = channel('purgatory:wheel:cascaded');
export const reaperSliced: Channel = channel('purgatory:reaper:sliced');
