// `purgatory/shared`: waits on state that is kept elsewhere. docs/many-processes.md
export type { LoadAnswered, LoadFailed, LoadSnapshot, LoadsSnapshot, LoadTotals } from './load-meter.ts';
export type { SharedWaitResult } from './shared-waiter.ts';
export { SharedWaits, type SharedWaitsSnapshot } from './shared-waits.ts';
export type { LoadKeys, SharedWaitsOptions, WaitUntilOptions } from './shared-waits-options.ts';
