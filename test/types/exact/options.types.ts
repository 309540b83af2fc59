// Compiled with exactOptionalPropertyTypes, and with skipLibCheck off, so that the declarations of
// each import path are checked too: they must name nothing that is left out of them.
//
// Every property that may be left out may also be given as undefined, so that
// `{ timeoutMs, signal }` compiles where `signal` may be undefined.

import type {
  FixedDelayOptions,
  FixedRateOptions,
  Purgatory,
  PurgatoryOptions,
  SnapshotOptions,
  SystemTimerOptions,
  WaitOptions,
} from 'purgatory';
import type {} from 'purgatory/async-context';
import type { BusOptions, LocalHubOptions, Transport } from 'purgatory/bus';
import type {} from 'purgatory/bus/cluster';
import type { ConformanceOptions } from 'purgatory/bus/conformance';
import type {} from 'purgatory/bus/nats';
import type {} from 'purgatory/bus/postgres';
import type {} from 'purgatory/bus/redis';
import type {} from 'purgatory/bus/workers';
import type {} from 'purgatory/events';
import type { IdleTimeoutsOptions } from 'purgatory/idle';
import type {
  Inspector,
  InspectorOptions,
  ObservedBus,
  ObservedPurgatory,
  ObservedTimer,
} from 'purgatory/inspector';
import type { MetricSources } from 'purgatory/metrics';
import type { QueuesOptions, TakeManyOptions } from 'purgatory/queues';
import type { ExpectOptions, RepliesOptions } from 'purgatory/replies';
import type {
  HashedWheelTimerOptions,
  HierarchicalWheelTimerOptions,
  SchemeTimerOptions,
  SimpleWheelTimerOptions,
} from 'purgatory/schemes';
import type { AcquireOptions, SemaphoreOptions, TryAcquireOptions } from 'purgatory/semaphore';
import type { SharedWaits, SharedWaitsOptions, WaitUntilOptions } from 'purgatory/shared';
import type { ThresholdPurgatoryOptions } from 'purgatory/threshold';
import type { TimeoutSignalOptions } from 'purgatory/timers';
import type { TimerOptions } from 'purgatory/timers/promises';

/** `T`, with undefined for each property that is optional. */
type WithUndefined<T> = { [K in keyof T]: object extends Pick<T, K> ? T[K] | undefined : T[K] };

/** Compiles only where `Given` may be passed for `Taken`. */
type Assignable<Given extends Taken, Taken> = Given;

// @ts-expect-error the compiler option is on: undefined for a property that may only be left out
export type Refused = Assignable<WithUndefined<{ exact?: string }>, { exact?: string }>;

export type Taken = [
  Assignable<WithUndefined<PurgatoryOptions>, PurgatoryOptions>,
  Assignable<WithUndefined<WaitOptions>, WaitOptions>,
  Assignable<WithUndefined<SnapshotOptions>, SnapshotOptions>,
  Assignable<WithUndefined<SystemTimerOptions>, SystemTimerOptions>,
  Assignable<WithUndefined<FixedDelayOptions>, FixedDelayOptions>,
  Assignable<WithUndefined<FixedRateOptions>, FixedRateOptions>,
  Assignable<WithUndefined<ThresholdPurgatoryOptions>, ThresholdPurgatoryOptions>,
  Assignable<WithUndefined<IdleTimeoutsOptions<string>>, IdleTimeoutsOptions<string>>,
  Assignable<WithUndefined<RepliesOptions>, RepliesOptions>,
  Assignable<WithUndefined<ExpectOptions>, ExpectOptions>,
  Assignable<WithUndefined<TimeoutSignalOptions>, TimeoutSignalOptions>,
  Assignable<WithUndefined<TimerOptions>, TimerOptions>,
  Assignable<WithUndefined<QueuesOptions>, QueuesOptions>,
  Assignable<WithUndefined<TakeManyOptions>, TakeManyOptions>,
  Assignable<WithUndefined<SemaphoreOptions>, SemaphoreOptions>,
  // Not the key: one that is undefined by mistake would be one lock for all.
  Assignable<WithUndefined<Omit<AcquireOptions, 'key'>>, AcquireOptions>,
  Assignable<WithUndefined<Omit<TryAcquireOptions, 'key'>>, TryAcquireOptions>,
  Assignable<WithUndefined<SharedWaitsOptions<string>>, SharedWaitsOptions<string>>,
  Assignable<WithUndefined<WaitUntilOptions>, WaitUntilOptions>,
  Assignable<WithUndefined<SchemeTimerOptions>, SchemeTimerOptions>,
  Assignable<WithUndefined<HashedWheelTimerOptions>, HashedWheelTimerOptions>,
  Assignable<WithUndefined<HierarchicalWheelTimerOptions>, HierarchicalWheelTimerOptions>,
  Assignable<WithUndefined<SimpleWheelTimerOptions>, SimpleWheelTimerOptions>,
  Assignable<WithUndefined<BusOptions>, BusOptions>,
  Assignable<WithUndefined<LocalHubOptions>, LocalHubOptions>,
  Assignable<WithUndefined<Transport>, Transport>,
  Assignable<WithUndefined<ConformanceOptions>, ConformanceOptions>,
  Assignable<WithUndefined<InspectorOptions>, InspectorOptions>,
  Assignable<WithUndefined<ObservedPurgatory>, ObservedPurgatory>,
  Assignable<WithUndefined<ObservedTimer>, ObservedTimer>,
  Assignable<WithUndefined<ObservedBus>, ObservedBus>,
  Assignable<WithUndefined<MetricSources>, MetricSources>,
  Assignable<{ port: number | undefined }, NonNullable<Parameters<Inspector['listen']>[0]>>,
];

// As a handler that may have a signal calls it.
declare const polls: Purgatory<string>;
export function poll(signal?: AbortSignal): Promise<unknown> {
  return polls.waitFor(['feed'], () => undefined, { timeoutMs: 30_000, signal });
}

// Results destructure with that compiler option, too.
export async function answer(jobs: SharedWaits<string>): Promise<string | undefined> {
  const { expired, value } = await polls.waitFor(['feed'], () => 'news', { timeoutMs: 30_000 });
  if (!expired) return value;
  const job = await jobs.waitUntil('7', (state) => state, { timeoutMs: 30_000 });
  const { value: result, state } = job;
  return result ?? state;
}
