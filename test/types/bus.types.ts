import { expectTypeOf } from 'expect-type';
import { ManualClock, Purgatory } from 'purgatory';
import { type Bus, type BusOptions, type BusState, createBus, LocalHub, type Transport } from 'purgatory/bus';

const hub = new LocalHub({ clock: new ManualClock() });
const bus = hub.bus({ prefix: 'test', flushMs: 1 });
expectTypeOf(bus).toEqualTypeOf<Bus>();
expectTypeOf(bus.state).toEqualTypeOf<'connecting' | 'live' | 'gap' | 'closed'>();
expectTypeOf<BusState>().toEqualTypeOf<Bus['state']>();
expectTypeOf(bus.flush()).toEqualTypeOf<Promise<{ expired: boolean }>>();
expectTypeOf(bus.close()).toEqualTypeOf<Promise<void>>();
expectTypeOf(bus.snapshot()).toBeObject();
expectTypeOf(hub.cut).parameter(0).toEqualTypeOf<Bus | undefined>();
expectTypeOf<BusOptions['onError']>().toEqualTypeOf<((error: unknown) => void) | undefined>();
// @ts-expect-error a state cannot be set
bus.state = 'live';

// A transport from outside becomes a bus.
declare const transport: Transport;
expectTypeOf(createBus(transport)).toEqualTypeOf<Bus>();

// A purgatory takes a bus, whatever its keys; keys that are no strings are refused at run time.
new Purgatory<string>('orders', { bus });
