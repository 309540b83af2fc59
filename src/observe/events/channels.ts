// Every event by the name of its channel, with the type of its payload.
//
// The channels are Node's own (node:diagnostics_channel). Nothing of this file is needed to listen:
// it is here for the types. Events come from all timers, purgatories and buses of the process. A
// listener for one of them checks `event.timer`, `event.purgatory` or `event.bus`.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { requiredFunction } from '../../base/checks.ts';
import { invalidArgValue } from '../../base/node-errors.ts';
import type { BusEcho, BusOverflow, BusStateChanged, BusSwept } from '../../bus/telemetry/bus-meter.ts';
import type {
  OperationEnded,
  OperationError,
  OperationParked,
  OperationRejected,
  OperationTried,
  PassSliced,
} from '../../purgatory/telemetry/purgatory-meter.ts';
import type { ReaperSliced, TaskError, TaskRun, WheelCascaded } from '../../timer/timer-meter.ts';
import type { ReplyEnded } from '../../waits/replies/reply-ended.ts';
import type { LoadAnswered, LoadFailed } from '../../waits/shared/load-meter.ts';

/** The payload of each channel. */
export interface PurgatoryEvents {
  'purgatory:operation:parked': OperationParked;
  'purgatory:operation:tried': OperationTried;
  'purgatory:operation:completed': OperationEnded;
  'purgatory:operation:expired': OperationEnded;
  'purgatory:operation:cancelled': OperationEnded;
  'purgatory:operation:rejected': OperationRejected;
  'purgatory:operation:error': OperationError;
  'purgatory:pass:sliced': PassSliced;
  'purgatory:load:answered': LoadAnswered;
  'purgatory:load:failed': LoadFailed;
  'purgatory:reply:ended': ReplyEnded;
  'purgatory:task:run': TaskRun;
  'purgatory:task:error': TaskError;
  'purgatory:wheel:cascaded': WheelCascaded;
  'purgatory:reaper:sliced': ReaperSliced;
  'purgatory:bus:state': BusStateChanged;
  'purgatory:bus:echo': BusEcho;
  'purgatory:bus:swept': BusSwept;
  'purgatory:bus:overflow': BusOverflow;
}

const CHANNELS: Readonly<Record<keyof PurgatoryEvents, true>> = {
  'purgatory:operation:parked': true,
  'purgatory:operation:tried': true,
  'purgatory:operation:completed': true,
  'purgatory:operation:expired': true,
  'purgatory:operation:cancelled': true,
  'purgatory:operation:rejected': true,
  'purgatory:operation:error': true,
  'purgatory:pass:sliced': true,
  'purgatory:load:answered': true,
  'purgatory:load:failed': true,
  'purgatory:reply:ended': true,
  'purgatory:task:run': true,
  'purgatory:task:error': true,
  'purgatory:wheel:cascaded': true,
  'purgatory:reaper:sliced': true,
  'purgatory:bus:state': true,
  'purgatory:bus:echo': true,
  'purgatory:bus:swept': true,
  'purgatory:bus:overflow': true,
};

/**
 * Calls `listener` for each event of the channel `name`, inside the call that causes the event. A
 * listener must be quick and change nothing. What it throws becomes an uncaught exception. Returns
 * a function that ends the subscription.
 *
 * @throws TypeError ERR_INVALID_ARG_VALUE for a channel that does not exist, ERR_INVALID_ARG_TYPE
 * for a listener that is no function.
 */
export function listen<N extends keyof PurgatoryEvents>(
  name: N,
  listener: (event: PurgatoryEvents[N]) => void,
): () => void {
  if (!Object.hasOwn(CHANNELS, name)) {
    throw invalidArgValue('name', 'must be one of the channels of purgatory/events', name);
  }
  requiredFunction('listener', listener);
  const receive = (event: unknown): void => listener(event as PurgatoryEvents[N]);
  subscribe(name, receive);
  return () => {
    unsubscribe(name, receive);
  };
}
