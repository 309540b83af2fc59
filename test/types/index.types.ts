import { expectTypeOf } from 'expect-type';
import {
  type Condition,
  type ConditionContext,
  DelayedOperation,
  type EventOptions,
  Purgatory,
  type PurgatoryError,
  SystemTimer,
  systemClock,
  TimerTask,
  type WaitResult,
} from 'purgatory';

class Fetch extends DelayedOperation {
  readonly offset = 1;
  override tryComplete(): boolean {
    return this.forceComplete();
  }
  override onComplete(): void {}
}

// A condition may look at the key of the event, which is undefined where none causes the try.
class Keyed extends Fetch {
  override tryComplete(key?: string): boolean {
    return key !== undefined && super.tryComplete();
  }
}
new Keyed(5).tryComplete();
expectTypeOf<Parameters<DelayedOperation['tryComplete']>[0]>().toBeUnknown();

// A purgatory's own operations come back as what they are.
const fetches = new Purgatory<string, Fetch>('fetches', {
  onError: (error, op) => {
    expectTypeOf(error).toBeUnknown();
    expectTypeOf(op).toEqualTypeOf<Fetch>();
  },
});
expectTypeOf(fetches.close()).toEqualTypeOf<Fetch[]>();
expectTypeOf(fetches.cancelForKey('k')).toEqualTypeOf<Fetch[]>();
expectTypeOf(fetches.tryCompleteElseWatch).parameters.toEqualTypeOf<[Fetch, readonly string[]]>();
expectTypeOf(fetches.checkAndComplete).parameters.toEqualTypeOf<[string, EventOptions?]>();
expectTypeOf(fetches).toExtend<Disposable>();
// @ts-expect-error a key of another type
fetches.notify(1);
// @ts-expect-error another operation
fetches.tryCompleteElseWatch({}, ['k']);
// @ts-expect-error counts cannot be set
fetches.numDelayed = 1;

// Without type arguments, keys are strings, and any operation may be parked.
const plain = new Purgatory('plain');
plain.notify('key');
expectTypeOf(plain.close()).toEqualTypeOf<DelayedOperation[]>();
expectTypeOf<Condition<number>>().parameter(0).toEqualTypeOf<ConditionContext<string>>();
// @ts-expect-error the keys of several events, where one key is meant
plain.notify(['a', 'b']);
// @ts-expect-error a number, where keys are strings
void plain.waitFor([7], () => undefined, { timeoutMs: 5 });
new Purgatory<unknown>('anything').notify({ any: 'key' });

// The value of waitFor is what the condition returns, without undefined.
declare const found: string | undefined;
const waited = fetches.waitFor(['k'], () => found, { timeoutMs: 5, signal: AbortSignal.timeout(5) });
expectTypeOf(waited).toEqualTypeOf<Promise<WaitResult<string>>>();
expectTypeOf<WaitResult<string>>().toEqualTypeOf<
  { expired: false; value: string } | { expired: true; value?: undefined }
>();
// A result destructures.
void waited.then(({ expired, value }) => {
  if (!expired) expectTypeOf(value).toEqualTypeOf<string>();
});
// @ts-expect-error a deadline must be given; Infinity is one
void fetches.waitFor(['k'], () => found, {});
// Null and false mean "not yet" too.
declare const row: { id: string } | null;
expectTypeOf(fetches.waitFor(['k'], () => row, { timeoutMs: 5 })).toEqualTypeOf<
  Promise<WaitResult<{ id: string }>>
>();
declare const isDone: boolean;
expectTypeOf(fetches.waitFor(['k'], async () => isDone, { timeoutMs: 5 })).toEqualTypeOf<
  Promise<WaitResult<true>>
>();
void fetches.waitFor(['k'], ({ key }) => key?.length, { timeoutMs: 5 });
// A condition may return a promise, and is given a signal.
const read = async ({ signal }: { signal: AbortSignal }): Promise<string | undefined> =>
  signal.aborted ? undefined : found;
expectTypeOf(fetches.waitFor(['k'], read, { timeoutMs: 5, label: 'GET /' })).toEqualTypeOf<
  Promise<WaitResult<string>>
>();

// Timers and tasks.
expectTypeOf(SystemTimer).toBeConstructibleWith({ tickMs: 1, wheelSize: 64, clock: systemClock });
// @ts-expect-error a task has to say what it runs
new (class extends TimerTask {})(5);
// @ts-expect-error an operation has to have a condition
new (class extends DelayedOperation {
  override onComplete(): void {}
})(5);

declare const error: PurgatoryError;
// @ts-expect-error no code of ours
export const isFull = error.code === 'ERR_PURGATORY_FUL';

// follow gives what waitFor resolves with, one after the other.
async function follows(purgatory: Purgatory): Promise<void> {
  for await (const { expired, value } of purgatory.follow(['k'], () => 5 as number | undefined, {
    timeoutMs: 5,
  })) {
    if (expired) expectTypeOf(value).toBeUndefined();
    else expectTypeOf(value).toBeNumber();
  }
}
void follows;
