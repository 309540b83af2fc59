export type { DurationSnapshot } from './base/duration-histogram.ts';
export { PurgatoryError, type PurgatoryErrorCode } from './base/errors.ts';
export type { Clock, WakeUp } from './clock/clock.ts';
export { ManualClock } from './clock/manual-clock.ts';
export { systemClock } from './clock/system-clock.ts';
export type { Condition, ConditionContext } from './purgatory/condition-wait.ts';
export { DelayedOperation } from './purgatory/delayed-operation.ts';
export type { EventOptions } from './purgatory/event-limit.ts';
export { Purgatory } from './purgatory/purgatory.ts';
export type { PurgatoryOptions, WaitOptions } from './purgatory/purgatory-options.ts';
export type { PurgatoryTotals } from './purgatory/telemetry/purgatory-meter.ts';
export type {
  EndlessSnapshot,
  EventsSnapshot,
  HotKey,
  OldOperation,
  OpenTriesSnapshot,
  PassSnapshot,
  PurgatorySnapshot,
  SlowTrySnapshot,
  SnapshotOptions,
} from './purgatory/telemetry/purgatory-snapshot.ts';
export type { NotYet, WaitResult } from './purgatory/wait.ts';
export type { FixedDelayOptions, FixedRateOptions } from './timer/periodic-task.ts';
export { SystemTimer } from './timer/system-timer.ts';
export type { SystemTimerOptions } from './timer/system-timer-options.ts';
export type { Timer } from './timer/timer.ts';
export type { LevelSnapshot, TimerSnapshot } from './timer/timer-snapshot.ts';
export { TimerTask } from './timer/timer-task.ts';
