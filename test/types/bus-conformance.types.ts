import { expectTypeOf } from 'expect-type';
import type { Transport } from 'purgatory/bus';
import { type ConformanceCase, transportConformance } from 'purgatory/bus/conformance';

declare const makeTransport: () => Transport;
const cases = transportConformance(makeTransport, { sever: async () => {}, patienceMs: 5 });
expectTypeOf(cases).toEqualTypeOf<ConformanceCase[]>();
expectTypeOf<ConformanceCase['run']>().toEqualTypeOf<() => Promise<void>>();
// @ts-expect-error what makes a transport is wanted, not a transport
transportConformance({} as Transport);
