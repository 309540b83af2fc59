import { expectTypeOf } from 'expect-type';
import type { WaitResult } from 'purgatory';
import { LocalHub } from 'purgatory/bus';
import { SharedWaits } from 'purgatory/shared';

const jobs = new SharedWaits<'running' | 'done'>('jobs', {
  bus: new LocalHub().bus(),
  recheckMs: [50, 500],
  load: async (keys, { signal }) => {
    expectTypeOf(keys).toEqualTypeOf<readonly string[]>();
    expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
    return new Map();
  },
  onError: (error, keys) => {
    expectTypeOf(error).toBeUnknown();
    expectTypeOf(keys).toEqualTypeOf<readonly string[]>();
  },
});
const wait = jobs.waitUntil(
  'job-7',
  (state) => {
    expectTypeOf(state).toEqualTypeOf<'running' | 'done' | undefined>();
    return state === 'done' ? 1 : undefined;
  },
  { timeoutMs: 5, signal: AbortSignal.timeout(5), label: 'GET /job-7' },
);
expectTypeOf(wait).toExtend<Promise<WaitResult<number>>>();
expectTypeOf(jobs.waitUntil('job-7', (state) => state === 'done', { timeoutMs: 5 })).toExtend<
  Promise<WaitResult<true>>
>();
void wait.then(({ expired, value, state }) => {
  expectTypeOf(state).toEqualTypeOf<'running' | 'done' | undefined>();
  if (!expired) expectTypeOf(value).toEqualTypeOf<number>();
});
expectTypeOf(jobs).toExtend<Disposable>();
// @ts-expect-error there is nothing to wait for without a way to load it
new SharedWaits('jobs', {});
// @ts-expect-error keys are strings
jobs.changed(7);
