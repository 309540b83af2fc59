import { expectTypeOf } from 'expect-type';
import { ManualClock } from 'purgatory';
import { labelObject, type Permit, Semaphore } from 'purgatory/semaphore';

const permits = new Semaphore('db', { units: 5, maxParked: 100, clock: new ManualClock() });
expectTypeOf(permits.acquire({ timeoutMs: 5, key: 'a', units: 2, label: 'b' })).toEqualTypeOf<
  Promise<Permit>
>();
expectTypeOf(permits.run({ timeoutMs: 5 }, () => 7)).toEqualTypeOf<Promise<number>>();
expectTypeOf(permits.run({ timeoutMs: 5 }, async () => 'text')).toEqualTypeOf<Promise<string>>();
expectTypeOf(permits).toExtend<Disposable>();
// @ts-expect-error units must be given
new Semaphore('db', {});
// @ts-expect-error a deadline must be given
void permits.acquire({});
// @ts-expect-error no options at all
void permits.acquire();
// @ts-expect-error keys are strings unless another type is given
void permits.acquire({ timeoutMs: 5, key: 7 });
void new Semaphore<number>('seats', { units: 1 }).acquire({ timeoutMs: 5, key: 7 });
// @ts-expect-error a Semaphore is on no bus
new Semaphore('db', { units: 1, bus: undefined });

async function work(): Promise<void> {
  using permit = await permits.acquire({ timeoutMs: 5 });
  expectTypeOf(permit.isHeld).toBeBoolean();
}
void work;

expectTypeOf(labelObject(new Date(), 'now')).toEqualTypeOf<Date>();
