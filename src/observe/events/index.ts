// `purgatory/events`: every event by the name of its channel, with the type of its payload.
// docs/operations.md
export type { BusEcho, BusOverflow, BusStateChanged, BusSwept } from '../../bus/telemetry/bus-meter.ts';
export type {
  Named,
  OperationEnded,
  OperationError,
  OperationParked,
  OperationRejected,
  OperationTried,
  PassSliced,
} from '../../purgatory/telemetry/purgatory-meter.ts';
export type { ReaperSliced, TaskError, TaskRun, WheelCascaded } from '../../timer/timer-meter.ts';
export type { ReplyEnded } from '../../waits/replies/reply-ended.ts';
export type { LoadAnswered, LoadFailed } from '../../waits/shared/load-meter.ts';
export { listen, type PurgatoryEvents } from './channels.ts';
