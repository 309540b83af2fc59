import { expectTypeOf } from 'expect-type';
import * as timers from 'purgatory/timers';
import { setInterval, setTimeout } from 'purgatory/timers/promises';

// The arguments of a callback are those that are given, as with Node's.
const timeout = timers.setTimeout(
  (word, count) => {
    expectTypeOf(word).toEqualTypeOf<string>();
    expectTypeOf(count).toEqualTypeOf<number>();
  },
  5,
  'word',
  1,
);
expectTypeOf(timeout).toEqualTypeOf<timers.Timeout>();
expectTypeOf<timers.Timeout>().toExtend<Disposable>();
expectTypeOf<number>().toExtend<Parameters<typeof timers.clearTimeout>[0]>();
// A promise of unknown resolves with nothing, as with Node's.
expectTypeOf(new Promise((resolve) => timers.setTimeout(resolve, 5))).toEqualTypeOf<Promise<unknown>>();
// @ts-expect-error the callback wants an argument that is not given
timers.setTimeout((word: string) => void word, 5);

const signal = timers.timeoutSignal(5, { signal: AbortSignal.timeout(5) });
expectTypeOf(signal).toExtend<AbortSignal & Disposable>();

expectTypeOf(setTimeout(5)).toEqualTypeOf<Promise<void>>();
expectTypeOf(setTimeout(5, 'value', { ref: false, signal: AbortSignal.timeout(5) })).resolves.toBeString();
expectTypeOf(setInterval(5, 'value')).toEqualTypeOf<AsyncGenerator<string, void, undefined>>();
