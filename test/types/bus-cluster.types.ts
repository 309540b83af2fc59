import { expectTypeOf } from 'expect-type';
import type { Bus } from 'purgatory/bus';
import { clusterBus, relayBus } from 'purgatory/bus/cluster';

expectTypeOf(clusterBus({ prefix: 'test' })).toEqualTypeOf<Bus>();
expectTypeOf(relayBus()).toExtend<Disposable>();
// @ts-expect-error the relay has no options
relayBus({ prefix: 'test' });
