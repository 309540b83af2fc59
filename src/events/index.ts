// `purgatory/events`: every event by the name of its channel, with its payload's type.
//
// The channels are Node's own (node:diagnostics_channel), so nothing of this file is needed to listen; it is here for the types. Events
// come from all timers and purgatories of the process: a listener that wants those of one looks at `event.timer` or `event.purgatory`.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type {
  OperationEnded,
  OperationError,
  OperationParked,
  OperationTried,
} from '../purgatory/operation-events.ts';
import type { ReaperSliced, TaskError, TaskRun, WheelCascaded } from '../timer/timer-events.ts';

export type {
  Named,
  OperationEnded,
  OperationError,
  OperationParked,
  OperationTried,
} from '../purgatory/operation-events.ts';
export type { ReaperSliced, TaskError, TaskRun, WheelCascaded } from '../timer/timer-events.ts';

/** The payload of each channel. */
export interface PurgatoryEvents {
  'purgatory:operation:parked': OperationParked;
  'purgatory:operation:tried': OperationTried;
  'purgatory:operation:completed': OperationEnded;
  'purgatory:operation:expired': OperationEnded;
  'purgatory:operation:cancelled': OperationEnded;
  'purgatory:operation:error': OperationError;
  'purgatory:task:run': TaskRun;
  'purgatory:task:error': TaskError;
  'purgatory:wheel:cascaded': WheelCascaded;
  'purgatory:reaper:sliced': ReaperSliced;
}

/**
 * Calls `listener` for each event of the channel `name`, inside the call that it tells of: look, be quick, change nothing. What it throws
 * becomes an uncaught exception. Returns a function that ends the subscription.
 */
export function listen<N extends keyof PurgatoryEvents>(
  name: N,
  listener: (event: PurgatoryEvents[N]) => void,
): () => void {
  const receive = (event: unknown): void => listener(event as PurgatoryEvents[N]);
  subscribe(name, receive);
  return () => {
    unsubscribe(name, receive);
  };
}
