import { expectTypeOf } from 'expect-type';
import { listen, type OperationParked, type PurgatoryEvents, type WheelCascaded } from 'purgatory/events';

// A listener gets what the event of that name carries.
listen('purgatory:operation:parked', (event) => expectTypeOf(event).toEqualTypeOf<OperationParked>());
expectTypeOf<PurgatoryEvents['purgatory:wheel:cascaded']>().toEqualTypeOf<WheelCascaded>();
// @ts-expect-error there is no such event
listen('purgatory:operation:lost', () => {});
