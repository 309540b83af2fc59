import { expectTypeOf } from 'expect-type';
import { setInterval, setTimeout } from 'purgatory/timers/promises';

expectTypeOf(setTimeout(5)).toEqualTypeOf<Promise<void>>();
expectTypeOf(setTimeout(5, 'value')).resolves.toBeString();
expectTypeOf(setTimeout(5, 'value', { ref: false, signal: AbortSignal.timeout(5) })).resolves.toBeString();
expectTypeOf(setInterval(5, 'value')).toEqualTypeOf<AsyncGenerator<string, void, undefined>>();
