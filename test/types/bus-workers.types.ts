import { expectTypeOf } from 'expect-type';
import type { Bus } from 'purgatory/bus';
import { workersBus } from 'purgatory/bus/workers';

expectTypeOf(workersBus({ prefix: 'test' })).toEqualTypeOf<Bus>();
// @ts-expect-error a prefix is a string
workersBus({ prefix: 7 });
