import { expectTypeOf } from 'expect-type';
import {
  listen,
  type OperationEnded,
  type OperationError,
  type OperationParked,
  type OperationRejected,
  type PassSliced,
  type PurgatoryEvents,
  type ReplyEnded,
  type TaskRun,
  type WheelCascaded,
} from 'purgatory/events';

// A listener gets what the event of that name carries.
const stop = listen('purgatory:operation:parked', (event) => {
  expectTypeOf(event).toEqualTypeOf<OperationParked>();
});
expectTypeOf(stop).toEqualTypeOf<() => void>();
listen('purgatory:operation:expired', (event) => expectTypeOf(event).toEqualTypeOf<OperationEnded>());
listen('purgatory:operation:rejected', (event) => expectTypeOf(event).toEqualTypeOf<OperationRejected>());
listen('purgatory:operation:error', (event) => expectTypeOf(event).toEqualTypeOf<OperationError>());
listen('purgatory:pass:sliced', (event) => expectTypeOf(event).toEqualTypeOf<PassSliced>());
listen('purgatory:reply:ended', (event) => expectTypeOf(event).toEqualTypeOf<ReplyEnded>());
listen('purgatory:task:run', (event) => expectTypeOf(event).toEqualTypeOf<TaskRun>());
expectTypeOf<PurgatoryEvents['purgatory:wheel:cascaded']>().toEqualTypeOf<WheelCascaded>();
// @ts-expect-error there is no such event
listen('purgatory:operation:lost', () => {});
