import { expectTypeOf } from 'expect-type';
import { ManualClock } from 'purgatory';
import { type Lease, Queues } from 'purgatory/queues';

interface Job {
  id: number;
}

const jobs = new Queues<Job>('jobs', { maxItems: 5, maxParked: 100, clock: new ManualClock() });
expectTypeOf(jobs).toExtend<Disposable>();
jobs.put('a', { id: 1 }, { timeoutMs: 5, onExpired: ({ id }, key) => `${id} ${key}` });
// A result destructures, and `expired` tells what there is.
const { expired, value, key } = await jobs.take(['a'], { timeoutMs: 5 });
if (expired) {
  expectTypeOf(value).toEqualTypeOf<undefined>();
  expectTypeOf(key).toEqualTypeOf<undefined>();
} else {
  expectTypeOf(value).toEqualTypeOf<Job>();
  expectTypeOf(key).toEqualTypeOf<string>();
}
const lease = await jobs.lease(['a'], { timeoutMs: 5, leaseMs: 5 });
if (lease.expired) {
  expectTypeOf(lease.value).toEqualTypeOf<undefined>();
} else {
  expectTypeOf(lease).toEqualTypeOf<Lease<Job>>();
  expectTypeOf(lease.value).toEqualTypeOf<Job>();
}
// @ts-expect-error how long the lease lasts must be given
void jobs.lease(['a'], { timeoutMs: 5 });
const many = await jobs.takeMany(['a'], { timeoutMs: 5, max: 2 });
if (!many.expired) expectTypeOf(many.values).toEqualTypeOf<Job[]>();
// @ts-expect-error a deadline must be given
void jobs.take(['a'], {});
// @ts-expect-error a number of items must be given
void jobs.takeMany(['a'], { timeoutMs: 5 });
// @ts-expect-error several keys are an array
void jobs.take('a', { timeoutMs: 5 });
// @ts-expect-error the item is a Job
jobs.put('a', 7);
// @ts-expect-error keys are strings unless another type is given
jobs.put(7, { id: 1 });
new Queues<Job, number>('jobs').put(7, { id: 1 });
