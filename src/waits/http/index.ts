// `purgatory/http`: waits that end when their client has gone, or reads on.
export type { BarrierOptions, BarrierResult } from '../../timer/barrier.ts';
export { clientSignal } from './client-signal.ts';
export { type ClosingEmitter, closeSignal } from './close-signal.ts';
export { drained } from './drained.ts';
