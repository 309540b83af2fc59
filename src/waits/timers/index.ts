// `purgatory/timers`: setTimeout and its kin on timing wheels, and timeoutSignal.
// docs/drop-in-timers.md
export type { Timeout } from './timeout.ts';
export { type TimeoutSignalOptions, timeoutSignal } from './timeout-signal.ts';
export { clearInterval, clearTimeout, setInterval, setTimeout } from './timers.ts';
